use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(
    #[arg] a: u8,
    #[arg(defualt = 1)] b: u8,
    #[arg(example)] c: u8,
    #[arg(default = 1, default = 2)] d: u8,
    #[arg(rename = city)] e: u8,
) {
    let _ = (a, b, c, d, e);
}

fn main() {
    let _ = read;
}
