use tool_core::tool;

struct Shelf<T>(T);

#[tool]
impl<T: Clone> Shelf<T> {
    /// What is on it.
    #[tool(operation = Explain)]
    fn kind(&self) -> String {
        String::new()
    }
}

#[tool]
impl Shelf<u8>
where
    u8: Copy,
{
    /// What is on it.
    #[tool(operation = Read)]
    fn number(&self) -> u8 {
        self.0
    }
}

fn main() {
    let _ = (Shelf("").kind(), Shelf(1).number());
}
