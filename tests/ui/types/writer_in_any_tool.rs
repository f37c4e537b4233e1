// What is injected into any tool cannot be made of more than any tool may have.

use tool_core::{Failure, Resource, WritePass, Writer};
use tool_core::inject::{Inject, Injection, Needs};

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

struct Desk(Writer<Archive>);

impl<Op> Inject<Op> for Desk {
    fn needs(needs: &mut Needs) {
        needs.writer::<Archive>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Writer::inject(source).map(Desk)
    }
}

fn main() {}
