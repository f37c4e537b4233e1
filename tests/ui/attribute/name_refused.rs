use tool_core::tool;

/// Reads.
#[tool(operation = Read, name = "get weather")]
fn spaced() {}

/// Reads.
#[tool(operation = Read, name = "")]
fn empty() {}

/// Reads.
#[tool(operation = Read)]
fn größe() {}

/// Reads.
#[tool(operation = Read, name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
fn long() {}

fn main() {
    spaced();
    empty();
    größe();
    long();
}
