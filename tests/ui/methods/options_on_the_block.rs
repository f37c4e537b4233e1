use tool_core::tool;

struct Shop(u32);

#[tool(operation = Read)]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32 {
        self.0
    }
}

fn main() {
    Shop(1).count();
}
