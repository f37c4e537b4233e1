// Who has the state as it is still does not get through to what changes it.

use std::marker::PhantomData;

use tool_core::{Resource, State, WritePass, tool};

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
fn look(#[inject] archive: State<Archive>) {
    archive.writer(WritePass(PhantomData));
}

fn main() {}
