use tool_core::prompt;

struct Shop;

impl Shop {
    /// Asks.
    #[prompt]
    fn ask(&self) -> String {
        String::new()
    }
}

fn main() {
    Shop.ask();
}
