// rustc says of its own that nothing is there to borrow from.
use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read() -> &str {
    "a"
}

fn main() {
    read();
}
