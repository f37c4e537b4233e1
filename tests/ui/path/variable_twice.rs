use tool_core::tool;

/// Does it.
#[tool(operation = Read, path = "node/{id}/{id}")]
fn twice(#[arg(locator)] id: u8) {
    let _ = id;
}

fn main() {
    let _ = twice;
}
