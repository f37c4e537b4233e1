// A type that borrows is no input, whatever it is called.
use std::borrow::Cow;

use tool_core::{State, tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct P<'a> {
    name: &'a str,
}

/// Reads.
#[tool(operation = Read)]
fn read(point: P<'_>, text: Option<Cow<'_, str>>, owned: Cow<'static, str>, #[inject] state: State<P<'_>>) {
    let _ = (point.name, text, owned, state);
}

fn main() {
    let _ = read;
}
