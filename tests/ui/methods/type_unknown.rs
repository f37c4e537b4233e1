// One error each.
use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Sells.
    #[tool(operation = Read)]
    fn sell(&self, item: Vec<Missing>) -> u32 {
        self.0
    }

    /// Counts.
    #[tool(operation = Read)]
    async fn count(&self, item: String) -> Result<Absent, String> {
        Err(item)
    }
}

fn main() {}
