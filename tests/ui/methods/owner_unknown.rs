// One error: nothing is to be said about the methods.
use tool_core::tool;

#[tool]
impl Missing {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32 {
        1
    }

    /// Counts.
    #[tool(operation = Read)]
    async fn count_again(&self, number: u32) -> u32 {
        number
    }
}

fn main() {}
