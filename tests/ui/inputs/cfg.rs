use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(#[cfg(unix)] city: String) {
    let _ = city;
}

fn main() {
    let _ = read;
}
