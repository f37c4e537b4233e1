use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(#[arg(rename = "the city")] city: String, #[arg(rename = "")] day: String, größe: u8) {
    let _ = (city, day, größe);
}

fn main() {
    let _ = read;
}
