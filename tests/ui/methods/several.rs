// The mistakes of all methods, in the order in which one reads them. Whoever calls the methods has no error of their own.
use tool_core::tool;

struct Shop<T>(u32, T);

#[tool(name = "shop")]
impl<T> Shop<T> {
    /// Counts.
    #[tool(operation = Count, titel = "Count")]
    fn count(&self) -> u32 {
        self.0
    }

    #[tool(operation = Write)]
    #[tool(operation = Read)]
    fn sell(&mut self, #[arg(default = 1, exmaple = 2)] number: u32, item: &str) {
        self.0 += number + item.len() as u32;
    }

    /// Opens.
    fn open(kind: T) -> Self {
        Shop(1, kind)
    }

    /// Makes one.
    #[tool]
    fn make(kind: T) -> Self {
        Shop::open(kind)
    }
}

fn main() {
    let mut shop = Shop::make('a');
    shop.sell(1, "");
    let _: u32 = shop.count();
}
