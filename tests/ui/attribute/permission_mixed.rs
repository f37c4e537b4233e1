// A text that is mixed and has an empty part besides is one mistake.
use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "a, b + c")]
fn mixed() {}

fn main() {
    let _ = mixed;
}
