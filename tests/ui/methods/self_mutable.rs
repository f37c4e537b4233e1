// State is shared by all calls. That the caller has an error of its own must not be.
use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Sells.
    #[tool(operation = Write, destructive = false)]
    fn sell(&mut self, number: u32) {
        self.0 += number;
    }

    /// Sells one.
    #[tool(operation = Write, destructive = false)]
    fn sell_one(self: &mut Self) {
        self.sell(1);
    }
}

fn main() {
    let mut shop = Shop(1);
    shop.sell_one();
}
