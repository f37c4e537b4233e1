use tool_core::tool;

/// Reads.
#[tool(operation = Read, title)]
fn read() {}

/// Reads.
#[tool(operation = Read, blocking = true)]
fn blocked() {}

/// Reads.
#[tool(operation = Read, crate = "tool_core")]
fn renamed() {}

fn main() {
    read();
    blocked();
    renamed();
}
