use tool_core::tool;

/// Does it.
#[tool(operation(Read))]
fn word() {}

/// Does it.
#[tool(operation = Read, blocking(true))]
fn flag() {}

/// Does it.
#[tool(operation = Read, schema(dynamic()))]
fn value() {}

/// Does it.
#[tool(operation = Read, timeout("30s"))]
fn text() {}

fn main() {
    let _ = word;
    let _ = flag;
    let _ = value;
    let _ = text;
}
