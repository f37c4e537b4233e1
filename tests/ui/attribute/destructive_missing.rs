use tool_core::tool;

/// Purges.
#[tool(operation = Write)]
fn purge() {}

/// Sends.
#[tool(operation = Trigger)]
fn send() {}

fn main() {
    purge();
    send();
}
