use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {}

/// Does it.
#[tool(operation = Read, path = "node/{id}")]
fn read(#[arg(locator)] id: u8, page: u8) {
    let _ = (id, page);
}

/// Does it.
#[tool(operation = Read, path = "node/{id}")]
fn flattened(#[arg(locator)] id: u8, #[arg(flatten)] page: Page) {
    let _ = (id, page);
}

fn main() {
    let _ = read;
    let _ = flattened;
}
