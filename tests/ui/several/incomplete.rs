// What rustc says about a function that is half typed is enough.
use tool_core::tool;

/// Adds.
#[tool(operation = Transform)]
fn add(a: i64, b: ) -> i64 {
    a
}

fn main() {}
