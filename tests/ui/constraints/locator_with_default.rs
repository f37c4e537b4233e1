use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(locator, default = 1)] a: u8,
    #[arg(default, locator)] b: u8,
) {
    let _ = (a, b);
}

fn main() {
    let _ = read;
}
