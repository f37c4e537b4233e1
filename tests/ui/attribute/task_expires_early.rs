// A task that expires before its first attempt can end loses its result.
use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, attempt_timeout = "2h", ttl = "1h"))]
async fn given() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, attempt_timeout = "25h"))]
async fn default() {}

fn main() {
    let _ = given;
    let _ = default;
}
