use tool_core::tool;

/// Does it.
#[tool(operation = Read, cache = "soon")]
fn soon() {}

fn main() {
    let _ = soon;
}
