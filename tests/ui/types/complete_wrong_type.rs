use tool_core::tool;

fn owned(_: String) -> Vec<String> {
    Vec::new()
}

fn numbers(_: &str) -> Vec<u8> {
    Vec::new()
}

fn fits(_: &str) -> Vec<String> {
    Vec::new()
}

/// Reads.
#[tool(operation = Read)]
fn read(
    #[arg(complete = owned)] a: String,
    #[arg(complete = numbers)] b: String,
    #[arg(complete = fits)] c: String,
    #[arg(complete = missing)] d: String,
) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
