use tool_core::tool;

/// Does it.
#[tool(operation = Read, alias = "old name")]
fn read() {}

/// Does it.
#[tool(operation = Read, alias = "")]
fn empty() {}

fn main() {
    let _ = read;
    let _ = empty;
}
