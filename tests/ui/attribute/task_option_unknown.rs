use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retrys = 2))]
async fn similar() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optoinal))]
async fn support() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, workers = 2))]
async fn unknown() {}

fn main() {
    let _ = similar;
    let _ = support;
    let _ = unknown;
}
