use tool_core::tool;

/// Reads.
#[tool(operation = Read, title = "A", title = "B")]
fn read() {}

fn main() {
    read();
}
