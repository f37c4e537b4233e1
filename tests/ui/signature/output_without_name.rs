use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read() -> impl Iterator<Item = u8> {
    [1u8].into_iter()
}

fn main() {
    read();
}
