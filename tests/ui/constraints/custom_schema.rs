use tool_core::tool;

/// Does it.
#[tool(operation = Read, schema = dynamic())]
fn read(
    #[arg(range(min = 1), example = 2)] a: u8,
    #[arg(length(max = 9), pattern = "^a")] b: String,
    #[arg(header = "Region", default)] c: String,
) {
    let _ = (a, b, c);
}

fn main() {
    let _ = read;
}
