// What other notations join with a sign is written as a list.
use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "a, b")]
fn comma() {}

/// Does it.
#[tool(operation = Read, permission = "a + b")]
fn plus() {}

/// Does it.
#[tool(operation = Read, permission = any("a", all("b | c", "d!")))]
fn nested() {}

fn main() {
    let _ = comma;
    let _ = plus;
    let _ = nested;
}
