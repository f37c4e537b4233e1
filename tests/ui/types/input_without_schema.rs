use serde::Deserialize;
use tool_core::tool;

#[derive(Deserialize)]
struct Point;

struct Plain;

/// Reads.
#[tool(operation = Read)]
fn read(point: Point, points: Vec<Plain>) {
    let _ = (point, points);
}

fn main() {
    let _ = read;
}
