// A task is either optional or required.
use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task)]
async fn no_parentheses() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task = "optional")]
async fn text() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task())]
async fn nothing() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(ttl = "1h"))]
async fn neither() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional, required))]
async fn both() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional = true))]
async fn value() {}

fn main() {
    let _ = no_parentheses;
    let _ = text;
    let _ = nothing;
    let _ = neither;
    let _ = both;
    let _ = value;
}
