use tool_core::tool;

/// Reads.
#[tool(operation = Read, access = rules::may_read(id))]
fn read(id: u8) {
    let _ = id;
}

fn main() {
    let _ = read;
}
