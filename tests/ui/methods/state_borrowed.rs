// The state of a registry lives as long as the registry. The last one is right.
use tool_core::tool;

struct Shop<'a>(&'a str);
struct Shelf<T>(T);

#[tool]
impl Shop<'_> {
    /// Its name.
    #[tool(operation = Read)]
    fn name(&self) -> String {
        self.0.to_owned()
    }
}

#[tool]
impl Shelf<&str> {
    /// What is on it.
    #[tool(operation = Read)]
    fn text(&self) -> String {
        self.0.to_owned()
    }
}

#[tool]
impl Shelf<Shop<'static>> {
    /// Which shop it is in.
    #[tool(operation = Read)]
    fn shop(&self) -> &'static str {
        (self.0).0
    }
}

fn main() {
    let _ = (Shop("").name(), Shelf("").text(), Shelf(Shop("")).shop());
}
