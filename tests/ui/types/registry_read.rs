//! Whoever may call any tool may call one that writes.

use tool_core::{Registry, tool};

/// Looks around.
#[tool(operation = Read)]
fn look(#[inject] registry: Registry) {
    let _ = registry;
}

fn main() {}
