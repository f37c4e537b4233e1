use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "a,")]
fn last() {}

/// Does it.
#[tool(operation = Read, permission = "+ b")]
fn first() {}

/// Does it.
#[tool(operation = Read, permission = "a,, b")]
fn middle() {}

fn main() {
    let _ = last;
    let _ = first;
    let _ = middle;
}
