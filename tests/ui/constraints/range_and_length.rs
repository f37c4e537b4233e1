use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(range(min = 1), length(max = 9))] a: u8,
    #[arg(pattern = "^[0-9]$", range(min = 1))] b: u8,
) {
    let _ = (a, b);
}

fn main() {
    let _ = read;
}
