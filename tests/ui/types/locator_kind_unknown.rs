use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::tool;

#[derive(Deserialize, JsonSchema)]
struct NodeId(u64);

/// Reads.
#[tool(operation = Read)]
fn read(#[arg(locator)] id: NodeId) {
    let _ = id.0;
}

fn main() {
    read(NodeId(1));
}
