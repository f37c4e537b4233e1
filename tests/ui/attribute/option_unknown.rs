use tool_core::tool;

/// Reads.
#[tool(operation = Read, titel = "Read")]
fn read() {}

/// Reads.
#[tool(operation = Read, colour = "red")]
fn coloured() {}

fn main() {
    read();
    coloured();
}
