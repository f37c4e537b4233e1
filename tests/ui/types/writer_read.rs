// One error, on the type of the parameter: nothing is said about the bound that is not met.

use tool_core::{Resource, WritePass, Writer, tool};

struct Archive;

impl Resource for Archive {
    type Reader = Self;
    type Writer = Self;

    fn reader(&self) -> &Self {
        self
    }

    fn writer(&self, _: WritePass<'_>) -> &Self {
        self
    }
}

/// Says what is there.
#[tool(operation = Read)]
fn look(#[inject] archive: Writer<Archive>) {
    let _ = archive;
}

fn main() {
    look(Writer::for_tests(Archive));
}
