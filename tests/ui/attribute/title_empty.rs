use tool_core::tool;

/// Reads.
#[tool(operation = Read, title = " ")]
fn read() {}

fn main() {
    read();
}
