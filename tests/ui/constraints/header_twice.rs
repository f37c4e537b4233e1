use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(header = "Region")] a: String,
    #[arg(header = "region")] b: String,
) {
    let _ = (a, b);
}

fn main() {
    let _ = read;
}
