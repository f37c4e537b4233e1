use std::cell::Cell;
use tool_core::{Access, Principal, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Counter(Cell<u8>);

async fn may_read(_: &Principal, counter: &Counter) -> Access {
    later().await;
    counter.0.set(1);
    Access::Allow
}

async fn later() {}

/// Reads.
#[tool(operation = Read, access = may_read(counter))]
fn read(counter: Counter) {
    let _ = counter;
}

fn main() {
    let _ = read;
}
