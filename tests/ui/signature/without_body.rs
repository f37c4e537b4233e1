// What is declared elsewhere is no tool: neither the method of a trait nor a foreign function.
use tool_core::tool;

trait Counts {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32;

    /// Names.
    #[tool(operation = Read)]
    fn name() -> String;
}

unsafe extern "C" {
    /// The absolute value.
    #[tool(operation = Transform)]
    fn abs(n: i32) -> i32;
}

struct Shop;

impl Counts for Shop {
    fn count(&self) -> u32 {
        1
    }

    fn name() -> String {
        String::new()
    }
}

fn main() {
    Shop.count();
    Shop::name();
}
