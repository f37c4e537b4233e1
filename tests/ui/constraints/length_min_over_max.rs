use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(length(min = 9, max = 1))] a: String,
) {
    let _ = a;
}

fn main() {
    let _ = read;
}
