use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(range(min = "1"))] a: u8,
    #[arg(range(min = 'a', max = true))] b: u8,
) {
    let _ = (a, b);
}

fn main() {
    let _ = read;
}
