use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(secret, default = "a")] a: String,
    #[arg(secret, default)] b: String,
    #[arg(secret, example = "a")] c: String,
    #[arg(secret, complete = tokens)] d: String,
    #[arg(secret, header = "Token")] e: String,
    #[arg(locator, secret)] f: String,
) {
    let _ = (a, b, c, d, e, f);
}

fn main() {
    let _ = read;
}
