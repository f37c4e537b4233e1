// The mistake is in the implementation, and is reported there.

use std::rc::Rc;

use tool_core::Failure;
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::tool;

struct User(String);

async fn later() {}

impl<Op> InjectAsync<Op> for User {
    fn needs(_: &mut Needs) {}

    async fn inject(_: &Injection<'_, Op>) -> Result<Self, Failure> {
        let name = Rc::new(String::from("ada"));
        later().await;
        Ok(User((*name).clone()))
    }
}

/// Greets.
#[tool(operation = Read)]
fn greet(#[inject] user: User) -> String {
    user.0
}

fn main() {
    drop(greet(User(String::new())));
}
