// Not said as well: that there are two tools of one name.
use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
#[tool(operation = Read)]
fn read() {}

fn main() {
    read();
}
