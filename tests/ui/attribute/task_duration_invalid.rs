use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, ttl = "2d"))]
async fn unit() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, poll = "0s"))]
async fn zero() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, ttl = "87601h"))]
async fn long() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, attempt_timeout = 30))]
async fn number() {}

fn main() {
    let _ = unit;
    let _ = zero;
    let _ = long;
    let _ = number;
}
