use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = ["a", "b"])]
fn list() {}

/// Does it.
#[tool(operation = Read, permission = all("a", none("b")))]
fn other() {}

/// Does it.
#[tool(operation = Read, permission("a"))]
fn parentheses() {}

fn main() {
    let _ = list;
    let _ = other;
    let _ = parentheses;
}
