// Nothing is said about `destructive`, which depends on the operation.
use tool_core::tool;

/// Purges.
#[tool]
fn purge() {}

fn main() {
    purge();
}
