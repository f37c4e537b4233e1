// A name that nobody declared, and one of a function that is no tool. The last path is right, and nothing is said of it.
use tool_core::tools;

mod math {
    /// Adds.
    #[tool_core::tool(operation = Transform)]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    pub fn subtract(a: i64, b: i64) -> i64 {
        a - b
    }
}

fn main() {
    let _ = tools![math::sum, math::subtract, math::add];
    let _ = math::subtract(1, 2);
}
