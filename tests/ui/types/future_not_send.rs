use std::rc::Rc;

use tool_core::tool;

async fn later() {}

/// Reads.
#[tool(operation = Read)]
async fn read() -> u8 {
    let one = Rc::new(1);
    later().await;
    *one
}

fn main() {
    drop(read());
}
