// From the state nothing can be lent to the caller. The last one is right.
use std::borrow::Cow;

use tool_core::tool;

struct Shop(String);

#[tool]
impl Shop {
    /// Its name.
    #[tool(operation = Read)]
    fn name(&self) -> &str {
        &self.0
    }

    /// Its words.
    #[tool(operation = Read)]
    async fn words(&self) -> Vec<&str> {
        self.0.split(' ').collect()
    }

    /// Its text.
    #[tool(operation = Read)]
    fn text(&self) -> Result<Cow<'_, str>, String> {
        Ok(Cow::Borrowed(&self.0))
    }

    /// Its kind.
    #[tool(operation = Read)]
    fn kind(&self) -> Option<&'static str> {
        Some("shop")
    }
}

fn main() {
    let shop = Shop(String::new());
    let _ = (shop.name(), shop.text(), shop.kind());
}
