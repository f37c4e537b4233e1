// One error for each method, in the words of rustc: it names the part of the state that cannot be shared.
use std::cell::Cell;

use tool_core::tool;

struct Shop(Cell<u32>);

#[tool]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32 {
        self.0.get()
    }
}

struct Market(Cell<u32>);

#[tool]
impl Market {
    /// Counts.
    #[tool(operation = Read)]
    async fn count(&self) -> u32 {
        self.0.get()
    }
}

fn main() {}
