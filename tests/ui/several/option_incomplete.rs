use tool_core::tool;

/// Adds.
#[tool(operation = )]
fn add(a: i64) -> i64 {
    a
}

/// Adds.
#[tool(operation = Transform, title = )]
fn titled(a: i64) -> i64 {
    a
}

fn main() {
    add(titled(1));
}
