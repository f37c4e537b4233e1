// rustc says it once, and nothing follows from it.
use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read(point: Missing, points: Vec<Missing>) {
    let _ = (point, points);
}

fn main() {
    let _ = read;
}
