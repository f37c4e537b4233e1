use tool_core::tool;

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(range(min = 9, max = 1))] a: u8,
    #[arg(range(min = -1, max = -2))] b: i8,
    #[arg(range(min = 0.5, max = 0))] c: f64,
    #[arg(range(min = 170141183460469231731687303715884105727, max = 170141183460469231731687303715884105726))] d: i128,
) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
