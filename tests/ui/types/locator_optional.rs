// One error, in our words: nothing is said about how `Option` could become a locator.

use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(#[arg(locator)] id: Option<u32>) {
    let _ = id;
}

fn main() {
    read(None);
}
