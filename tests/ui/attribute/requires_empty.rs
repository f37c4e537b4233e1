use tool_core::tool;

/// Does it.
#[tool(operation = Read, requires = [])]
fn nothing() {}

fn main() {
    let _ = nothing;
}
