use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(
    #[arg(default = 1)]
    #[arg(default = 2)]
    a: u8,
) {
    let _ = a;
}

fn main() {
    read(1);
}
