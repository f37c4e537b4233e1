use tool_core::tool;

/// Does it.
#[tool(operation = Read, tags = ["weather", "daily", "weather"])]
fn twice() {}

fn main() {
    let _ = twice;
}
