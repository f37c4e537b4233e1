use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, ttl = "1h", ttl = "2h"))]
async fn duration() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(required, required))]
async fn support() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional), task(required))]
async fn whole() {}

fn main() {
    let _ = duration;
    let _ = support;
    let _ = whole;
}
