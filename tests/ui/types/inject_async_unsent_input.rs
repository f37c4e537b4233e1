// A call that waits for a parameter may move to another thread, with its inputs.

use std::rc::Rc;

use tool_core::Failure;
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::tool;

struct User;

impl<Op> InjectAsync<Op> for User {
    fn needs(_: &mut Needs) {}

    async fn inject(_: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(User)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(from = "String")]
struct Name(Rc<str>);

impl From<String> for Name {
    fn from(name: String) -> Self {
        Name(name.into())
    }
}

/// Greets.
#[tool(operation = Read)]
fn greet(#[inject] user: User, name: Name) -> String {
    let _ = user;
    name.0.to_string()
}

/// Greets without waiting, for which an input need not be `Send`.
#[tool(operation = Read)]
fn greet_at_once(name: Name) -> String {
    name.0.to_string()
}

fn main() {}
