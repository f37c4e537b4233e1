use tool_core::tool;

struct Owner;

/// Reads.
#[tool(operation = Read, meta = Owner)]
fn read() {}

fn main() {
    read();
}
