// Functions without `#[tool]`: what cannot be found is their attribute. Nothing is said of the last one.
use tool_core::tools;

fn plain(a: i64) -> i64 {
    a
}

struct Shop;

impl Shop {
    fn open(&self) {}
}

/// Adds.
#[tool_core::tool(operation = Transform)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _ = tools![plain, Shop::open, add];
    let _ = plain(1);
    Shop.open();
}
