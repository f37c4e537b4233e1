// Not said as well: that the operation is missing.
use tool_core::tool;

/// Purges.
#[tool(operation = "Write", destructive = true)]
fn purge() {}

fn main() {
    purge();
}
