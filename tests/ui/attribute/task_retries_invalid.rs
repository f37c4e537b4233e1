use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = "2"))]
async fn text() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 1.5))]
async fn fraction() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = -1))]
async fn negative() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 101))]
async fn many() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 99999999999))]
async fn large() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries))]
async fn missing() {}

fn main() {
    let _ = text;
    let _ = fraction;
    let _ = negative;
    let _ = many;
    let _ = large;
    let _ = missing;
}
