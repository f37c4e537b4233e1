use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "")]
fn empty() {}

/// Does it.
#[tool(operation = Read, permission = any("a", "  "))]
fn blank() {}

/// Does it.
#[tool(operation = Read, permission = all())]
fn none() {}

fn main() {
    let _ = empty;
    let _ = blank;
    let _ = none;
}
