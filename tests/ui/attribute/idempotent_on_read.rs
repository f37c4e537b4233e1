use tool_core::tool;

/// Reads.
#[tool(operation = Read, idempotent = false)]
fn read() {}

/// Explains.
#[tool(operation = Explain, idempotent = false)]
fn explain() {}

/// May differ from call to call.
#[tool(operation = Transform, idempotent = false)]
fn transform() {}

fn main() {
    read();
    explain();
    transform();
}
