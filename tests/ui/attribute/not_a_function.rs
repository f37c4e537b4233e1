use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
struct Read;

/// Reads.
#[tool(operation = Read)]
mod read {}

fn main() {
    let _ = Read;
}
