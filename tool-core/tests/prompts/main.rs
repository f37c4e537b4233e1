//! Prompts as an application sees them: declared functions, asked for through the registry.

mod access;
mod arguments;
mod audit;
mod completion;
mod lint;
mod logging;
mod messages;
mod providers;
mod registry;

use serde_json::{Value, json};
use tool_core::{Content, Failure, Prompt, Registry};

/// The prompts of one module of this test.
fn prompts_of(module: &'static str) -> Registry {
    let builder = Registry::builder().linked().select_prompts(move |prompt| prompt.source().module == module);
    builder.build().unwrap()
}

/// What a prompt comes to.
fn ask(registry: &Registry, name: &str, arguments: Value) -> Result<Prompt, Failure> {
    tool_core::private::block_on(registry.get_prompt(name, arguments))
}

/// The text of the one message that a prompt comes to.
#[track_caller]
fn text(registry: &Registry, name: &str, arguments: Value) -> String {
    let prompt =
        ask(registry, name, arguments).unwrap_or_else(|failure| panic!("{name}: {}", failure.text()));
    match &prompt.messages[..] {
        [message] => match &message.content {
            Content::Text { text } => text.clone(),
            other => panic!("{name}: {other:?}"),
        },
        messages => panic!("{name}: {messages:?}"),
    }
}

/// The place of each problem of a wrong request, and the keyword that it breaks.
#[track_caller]
fn problems(registry: &Registry, name: &str, arguments: Value) -> Vec<(String, String)> {
    let failure = ask(registry, name, arguments).unwrap_err();
    failure.problems().iter().map(|problem| (problem.path.clone(), problem.keyword.clone())).collect()
}

#[test]
fn a_prompt_that_does_not_exist_is_not_found() {
    let registry = prompts_of("prompts::messages");
    let failure = ask(&registry, "nope", json!({})).unwrap_err();
    assert_eq!(failure.message(), "Prompt not found: nope");
    let failure = ask(&registry, &"n".repeat(1_000), json!({})).unwrap_err();
    assert_eq!(failure.message().len(), "Prompt not found: ".len() + 128);
}
