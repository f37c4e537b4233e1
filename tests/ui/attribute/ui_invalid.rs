use tool_core::tool;

/// Reads.
#[tool(operation = Read, ui = 5)]
fn read() {}

/// Reads more.
#[tool(operation = Read, ui = "nowhere.html")]
fn read_more() {}

fn main() {
    read();
    read_more();
}
