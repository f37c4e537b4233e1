use tool_core::tool;

/// Does it.
#[tool(operation = Read, requires = api_key)]
fn one() {}

/// Does it.
#[tool(operation = Read, requires = [api_key()])]
fn called() {}

fn main() {
    let _ = one;
    let _ = called;
}
