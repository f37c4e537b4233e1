use serde::Serialize;
use tool_core::tool;

#[derive(Serialize)]
struct Point;

/// Reads.
#[tool(operation = Read)]
fn read() -> Point {
    Point
}

/// Reads.
#[tool(operation = Read)]
async fn fallible() -> Result<Vec<Point>, String> {
    Ok(vec![Point])
}

fn main() {
    read();
    drop(fallible());
}
