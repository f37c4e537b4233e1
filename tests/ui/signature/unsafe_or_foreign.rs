use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
unsafe fn read() {}

/// Reads.
#[tool(operation = Read)]
extern "C" fn foreign() {}

fn main() {
    let _ = read;
    foreign();
}
