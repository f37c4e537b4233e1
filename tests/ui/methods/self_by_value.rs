// State outlives the call.
use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Closes.
    #[tool(operation = Write, destructive = true)]
    fn close(self) -> u32 {
        self.0
    }

    /// Closes for good.
    #[tool(operation = Write, destructive = true)]
    async fn close_for_good(mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    /// Closes all the same.
    #[tool(operation = Write, destructive = true)]
    fn close_all_the_same(self: Self) -> u32 {
        self.0
    }
}

fn main() {
    Shop(1).close();
}
