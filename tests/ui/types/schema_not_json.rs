use tool_core::tool;

struct Schema;

fn dynamic() -> Schema {
    Schema
}

/// Reads.
#[tool(operation = Read, schema = dynamic())]
fn read(a: u8) {
    let _ = a;
}

fn main() {
    let _ = read;
}
