// A function that begins again is idempotent, or is given the key of its task.
use tool_core::{Context, tool};

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, retries = 2))]
async fn undeclared() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = false, task(optional, retries = 1))]
async fn other_injection(#[inject] context: Context) {
    let _ = context;
}

fn main() {
    let _ = undeclared;
    let _ = other_injection;
}
