use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(city: String, #[arg(rename = "city")] town: String) {
    let _ = (city, town);
}

/// Reads.
#[tool(operation = Read)]
fn other(#[arg(rename = "town")] city: String, town: String) {
    let _ = (city, town);
}

fn main() {
    let _ = (read, other);
}
