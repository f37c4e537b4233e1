// Seven mistakes in one declaration: seven errors, in the order in which one reads it.
use tool_core::tool;

/// Reads a node.
#[tool(operation = Read, permission = "a, b + c", path = "node/{vid}", cache = "now", alias = "node")]
fn node(#[arg(locator, default = 1)] id: u8, #[arg(range(min = 9, max = 1))] days: u8) -> u8 {
    id + days
}

fn main() {
    node(1, 1);
}
