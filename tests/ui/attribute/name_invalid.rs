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

/// Reads.
#[tool(operation = Read, name = "..")]
fn dots() {}

/// Reads.
#[tool(operation = Read, name = "a", alias = ".")]
fn dot() {}

fn main() {
    spaced();
    empty();
    größe();
    long();
    dots();
    dot();
}
