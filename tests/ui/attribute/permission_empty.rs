use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "")]
fn empty() {}

/// Does it.
#[tool(operation = Read, permission = "  ")]
fn blank() {}

fn main() {
    let _ = empty;
    let _ = blank;
}
