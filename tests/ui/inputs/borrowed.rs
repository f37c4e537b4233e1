use tool_core::{State, tool};

/// Reads.
#[tool(operation = Read)]
fn read(name: &str, list: &[u8], #[inject] state: &State<u8>) {
    let _ = (name, list, state);
}

fn main() {
    let _ = read;
}
