// What rustc says is enough, and the other methods are there.
use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self, ) -> u32 {
        self.0 +
    }

    /// Sells.
    #[tool(operation = Read, )]
    fn sell(&self, number: ) {}

    /// Opens.
    #[tool(operation = Read)]
    fn open(&self) {}
}

fn main() {
    let shop = Shop(1);
    shop.open();
    shop.count();
}
