// Types whose schema is that of schemars 0.8: the message names the version.
use serde::{Deserialize, Serialize};
use tool_core::tool;

#[derive(Deserialize, Serialize, schemars08::JsonSchema)]
#[schemars(crate = "schemars08")]
struct Point {
    x: i64,
}

/// Reads.
#[tool(operation = Read)]
fn read(point: Point) -> i64 {
    point.x
}

/// Writes.
#[tool(operation = Read)]
fn write() -> Point {
    Point { x: 1 }
}

fn main() {
    let _ = (read, write);
}
