use tool_core::tool;

const NAME: &str = "nine";
const SHARE: f32 = 0.5;
const BELOW: i32 = -1;
const MOST: usize = 9;

/// Reads.
#[tool(operation = Read)]
fn read(
    #[arg(range(min = NAME))] a: u8,
    #[arg(range(min = SHARE, max = MOST))] b: f64,
    #[arg(length(min = BELOW, max = MOST))] c: String,
    #[arg(range(max = MISSING))] d: u8,
) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
