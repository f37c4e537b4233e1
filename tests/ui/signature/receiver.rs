use tool_core::tool;

struct Shop;

impl Shop {
    /// Reads.
    #[tool(operation = Read)]
    fn read(&self) {}
}

fn main() {
    Shop.read();
}
