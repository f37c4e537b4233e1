// One with `blocking` or an `async fn` can be a task.
use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional))]
fn plain() {}

fn main() {
    let _ = plain;
}
