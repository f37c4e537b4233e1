use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read((a, b): (u8, u8), _: u8) -> u8 {
    a + b
}

fn main() {
    read((1, 2), 3);
}
