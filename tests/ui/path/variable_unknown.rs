use tool_core::{Context, tool};

/// Does it.
#[tool(operation = Read, path = "node/{id}/revision/{vid}")]
fn unknown(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, path = "node/{id}")]
fn none() {}

/// Does it.
#[tool(operation = Read, path = "call/{id}")]
fn injected(#[inject] id: Context) {
    let _ = id;
}

fn main() {
    let _ = unknown;
    let _ = none;
    let _ = injected;
}
