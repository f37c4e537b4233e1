use tool_core::tool;

/// Reads.
#[tool(operation = Read)]
fn read<T: Clone>(value: T) -> T {
    value.clone()
}

/// Reads.
#[tool(operation = Read)]
fn sized() where String: Sized {}

fn main() {
    read(5);
    sized();
}
