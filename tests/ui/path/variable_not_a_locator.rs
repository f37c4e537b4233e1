use tool_core::tool;

/// Does it.
#[tool(operation = Read, path = "node/{id}/{page}")]
fn read(#[arg(locator)] id: u8, page: u8) {
    let _ = (id, page);
}

fn main() {
    let _ = read;
}
