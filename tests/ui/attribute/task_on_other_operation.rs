// Only a `Trigger` runs as a task.
use tool_core::tool;

/// Reads it.
#[tool(operation = Read, task(optional))]
async fn read() {}

/// Writes it.
#[tool(operation = Write, destructive = false, task(optional))]
async fn write() {}

fn main() {
    let _ = read;
    let _ = write;
}
