use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(pattern = "")] a: String,
) {
    let _ = a;
}

fn main() {
    let _ = read;
}
