use tool_core::tool;

/// Does it.
#[tool(operation = Read, alias = "read")]
fn read() {}

/// Does it.
#[tool(operation = Read, name = "page.read", alias = "page.read")]
fn named() {}

fn main() {
    let _ = read;
    let _ = named;
}
