use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(header = "")] a: String,
    #[arg(header = "My Region")] b: String,
    #[arg(header = "Region:\r\n")] c: String,
    #[arg(header = "Größe")] d: String,
) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
