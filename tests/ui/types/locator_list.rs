use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(#[arg(locator)] ids: Vec<u32>) {
    let _ = ids;
}

fn main() {
    read(Vec::new());
}
