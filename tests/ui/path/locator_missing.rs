use tool_core::tool;

/// Does it.
#[tool(operation = Read, path = "node/{id}")]
fn read(#[arg(locator)] id: u8, #[arg(locator, rename = "vid")] revision: u8) {
    let _ = (id, revision);
}

fn main() {
    let _ = read;
}
