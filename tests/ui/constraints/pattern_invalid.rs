use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(pattern = "^[a-z")] a: String,
    #[arg(pattern = "a{2,1}")] b: String,
    #[arg(pattern = "*a")] c: String,
    #[arg(pattern = r"\q")] d: String,
) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
