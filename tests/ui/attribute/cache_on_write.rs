use tool_core::tool;

/// Does it.
#[tool(operation = Write, destructive = false, cache = "30s")]
fn write() {}

/// Does it.
#[tool(operation = Trigger, destructive = false, cache = "30s")]
fn trigger() {}

fn main() {
    let _ = write;
    let _ = trigger;
}
