use tool_core::tool;

/// Does it.
#[tool(operation = Read, permission = all("a", any("b", "c"), "a", any("b", "c")))]
fn twice() {}

fn main() {
    let _ = twice;
}
