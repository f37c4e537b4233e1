use tool_core::tool;

/// Does it.
#[tool(operation = Read, tags = [])]
fn none() {}

/// Does it.
#[tool(operation = Read, tags = ["weather", " "])]
fn blank() {}

fn main() {
    let _ = none;
    let _ = blank;
}
