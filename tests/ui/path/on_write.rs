// That an input is no locator is not said besides.
use tool_core::tool;

/// Does it.
#[tool(operation = Write, destructive = false, path = "node/{id}")]
fn write(#[arg(locator)] id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Transform, path = "sum")]
fn transform(a: u8) {
    let _ = a;
}

fn main() {
    let _ = write;
    let _ = transform;
}
