use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = "a, b, a")]
fn twice() {}

fn main() {
    let _ = twice;
}
