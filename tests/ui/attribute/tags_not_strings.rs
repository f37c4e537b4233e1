use tool_core::tool;

/// Does it.
#[tool(operation = Read, tags = "weather")]
fn one() {}

/// Does it.
#[tool(operation = Read, tags = [weather])]
fn word() {}

fn main() {
    let _ = one;
    let _ = word;
}
