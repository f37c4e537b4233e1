use tool_core::tool;

/// Reads.
#[tool(operation = Read, path = "{a}/{b}")]
fn read(#[arg(locator)] a: Vec<String>, #[arg(locator)] b: Option<u8>) {
    let _ = (a, b);
}

fn main() {
    let _ = read;
}
