use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(pattern = "^(?!a)b")] a: String,
    #[arg(pattern = "(?<=a)b")] b: String,
    #[arg(pattern = r"(a)\1")] c: String,
) {
    let _ = (a, b, c);
}

fn main() {
    let _ = read;
}
