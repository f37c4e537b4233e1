use tool_core::tool;

/// Reads.
#[tool(operation = Read, blocking)]
async fn read() {}

fn main() {
    drop(read());
}
