// The arguments of a task are stored.
use tool_core::tool;

/// Does it.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn send(#[arg(secret)] token: String) {
    let _ = token;
}

fn main() {
    let _ = send;
}
