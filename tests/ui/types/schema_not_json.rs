use tool_core::tool;

struct Schema;

fn written() -> Schema {
    Schema
}

/// Reads.
#[tool(operation = Read, schema = written())]
fn read(a: u8) {
    let _ = a;
}

fn main() {
    let _ = read;
}
