use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, timeout = "30s", task(optional))]
async fn both() {}

fn main() {
    let _ = both;
}
