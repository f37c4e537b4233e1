use tool_core::prompt;

struct Shop;

/// Asks.
#[prompt]
struct Ask;

#[prompt]
impl Shop {
    /// Asks.
    fn ask(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = (Ask, Shop.ask());
}
