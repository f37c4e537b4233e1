// What rustc says about a bracket that is not closed is enough.
use tool_core::tool;

/// Reads.
#[tool(operation = Read, access = may_read(id)]
fn read(id: u8) {
    let _ = id;
}

fn main() {
    read(1);
}
