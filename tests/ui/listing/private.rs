// What stands beside the function is seen where the function is.
use tool_core::tools;

mod math {
    /// Adds.
    #[tool_core::tool(operation = Transform)]
    fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {
    let _ = tools![math::add];
}
