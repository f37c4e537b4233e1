use tool_core::tool;

/// Reads.
#[tool(operation = Read, destructive = true)]
fn read() {}

fn main() {
    read();
}
