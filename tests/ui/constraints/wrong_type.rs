// A constraint, a default or an example that cannot fit is refused; what is right beside it is not.
use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(
    #[arg(range(min = 1))] city: String,
    #[arg(length(max = 5))] days: Option<u32>,
    #[arg(pattern = "^a$")] share: f64,
    #[arg(default = "many")] count: u8,
    #[arg(example = "x")] size: std::primitive::u8,
    #[arg(example = 5)] name: String,
    #[arg(range(max = 9), default = 10)] most: i64,
    #[arg(range(min = 0.5), default = -0.5)] below: f64,
    #[arg(length(min = 3), default = "ab")] short: String,
    #[arg(range(min = 1, max = 9), default = 5, example = 9)] right: u8,
    #[arg(length(min = 1), default = "ab")] fits: String,
    #[arg(length(max = 9))] list: Vec<u8>,
) {
    let _ = (city, days, share, count, size, name, most, below, short, right, fits, list);
}

fn main() {
    let _ = read;
}
