use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(length(min = -1))] a: String,
    #[arg(length(max = 1.5))] b: String,
    #[arg(length(max = "9"))] c: String,
) {
    let _ = (a, b, c);
}

fn main() {
    let _ = read;
}
