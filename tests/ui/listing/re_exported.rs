// What stands beside the function is not re-exported with it: the path to the module of the function is the right one.
use tool_core::{Declared, tools};

mod math {
    /// Adds.
    #[tool_core::tool(operation = Transform)]
    pub fn add(a: i64, b: i64) -> i64 {
        a + b
    }
}

mod prelude {
    pub use crate::math::add;
}

const TOOLS: Declared = tools![prelude::add];

fn main() {
    let _ = (TOOLS, prelude::add(1, 2));
}
