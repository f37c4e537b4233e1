// One with `blocking` or an `async fn` can have a timeout.
use tool_core::tool;

/// Does it.
#[tool(operation = Read, timeout = "30s")]
fn plain() {}

fn main() {
    let _ = plain;
}
