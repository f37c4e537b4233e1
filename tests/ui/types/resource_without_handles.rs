use tool_core::{Reader, tool};

struct Archive;

/// Says what is there.
#[tool(operation = Read)]
fn look(#[inject] archive: Reader<Archive>) {
    let _ = archive;
}

fn main() {}
