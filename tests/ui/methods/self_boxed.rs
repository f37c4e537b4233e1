// What may hold the state is known to the compiler alone.
use std::pin::Pin;
use std::rc::Rc;

use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn boxed(self: Box<Self>) -> u32 {
        self.0
    }

    /// Counts.
    #[tool(operation = Read)]
    fn counted(self: Rc<Self>) -> u32 {
        self.0
    }

    /// Counts.
    #[tool(operation = Read)]
    async fn pinned(self: Pin<&Self>) -> u32 {
        self.0
    }
}

fn main() {}
