use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(name: impl Into<String>) {
    let _ = name.into();
}

fn main() {
    read("a");
}
