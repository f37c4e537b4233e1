// Not said as well: that `destructive` is missing.
use tool_core::tool;

/// Purges.
#[tool(operation = Write, destructive = "yes")]
fn purge() {}

fn main() {
    purge();
}
