use tool_core::tool;

/// Does it.
#[tool(operation = Read, requires = [keys::api_key, keys::other, keys::api_key])]
fn twice() {}

fn main() {
    let _ = twice;
}
