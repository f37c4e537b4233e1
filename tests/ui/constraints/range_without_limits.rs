use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(range())] a: u8,
) {
    let _ = a;
}

fn main() {
    let _ = read;
}
