// Nothing is to be said about the methods.
use tool_core::tool;

trait Counts {
    fn count(&self) -> u32;
}

struct Shop(u32);

#[tool]
impl Counts for Shop {
    /// Counts.
    #[tool(operation = Read)]
    fn count(&self) -> u32 {
        self.0
    }
}

fn main() {
    Shop(1).count();
}
