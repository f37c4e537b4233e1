use tool_core::tool;

/// Purges.
#[tool(operation = Wirte)]
fn purge() {}

/// Purges.
#[tool(operation = Delete)]
fn delete() {}

fn main() {
    purge();
    delete();
}
