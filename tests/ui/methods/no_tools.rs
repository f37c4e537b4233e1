use tool_core::tool;

struct Shop(u32);

#[tool]
impl Shop {
    /// Counts.
    fn count(&self) -> u32 {
        self.0
    }
}

fn main() {
    Shop(1).count();
}
