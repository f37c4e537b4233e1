// Each is one error, and nothing is said of the path between them.
use tool_core::{tool, tools};

/// Adds.
#[tool(operation = Transform)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _ = tools!["add", add, add(1, 2), [add]];
    let _ = tools![add add];
}
