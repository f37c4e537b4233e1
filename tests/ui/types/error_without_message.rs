use tool_core::tool;

struct Mute;

/// Reads.
#[tool(operation = Read)]
fn read() -> Result<u8, Mute> {
    Err(Mute)
}

fn main() {
    let _ = read();
}
