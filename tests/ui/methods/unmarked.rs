// Without `self` a function does not show that it stands in an `impl` block: rustc finds that it has no function there.
use tool_core::tool;

struct Shop(u32);

impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32 {
        self.0
    }

    /// Makes one.
    #[tool(operation = Transform)]
    fn number_of_one() -> u32 {
        Shop(1).count()
    }
}

fn main() {
    Shop::number_of_one();
}
