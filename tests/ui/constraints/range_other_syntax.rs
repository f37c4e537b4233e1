use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(range)] a: u8,
    #[arg(range = 1..=9)] b: u8,
    #[arg(range(1, 9))] c: u8,
    #[arg(range(min(1)))] d: u8,
    #[arg(range(min))] e: u8,
    #[arg(range(least = 1))] f: u8,
    #[arg(range(min = 1, min = 2))] g: u8,
) {
    let _ = (a, b, c, d, e, f, g);
}

fn main() {
    let _ = read;
}
