use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&'static self) -> u32 {
        self.0
    }
}

fn main() {}
