use std::rc::Rc;

use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    async fn count(&self) -> u32 {
        let count = Rc::new(self.0);
        std::future::ready(()).await;
        *count
    }
}

fn main() {}
