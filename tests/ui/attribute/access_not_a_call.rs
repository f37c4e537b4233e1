use tool_core::tool;

/// Does it.
#[tool(operation = Read, access = may_read(&id))]
fn borrowed(id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, access = "may_read")]
fn text() {}

/// Does it.
#[tool(operation = Read, access(may_read))]
fn parentheses() {}

/// Does it.
#[tool(operation = Read, access)]
fn alone() {}

/// Does it.
#[tool(operation = Read, access = |_| true)]
fn closure() {}

fn main() {
    let _ = borrowed;
    let _ = text;
    let _ = parentheses;
    let _ = alone;
    let _ = closure;
}
