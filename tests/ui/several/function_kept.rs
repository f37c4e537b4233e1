// The caller of a function whose declaration is wrong has no error of its own.
use tool_core::tool;

/// Adds.
#[tool(operation = Calculate)]
fn add(
    /// First.
    a: i64,
    #[arg(default = 1)] b: i64,
) -> i64 {
    a + b
}

fn main() {
    let sum: i64 = add(1, 2);
    println!("{sum}");
}
