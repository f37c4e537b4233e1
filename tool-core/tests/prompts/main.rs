//! Prompts declared as functions, requested through the registry.

mod access;
mod arguments;
mod audit;
mod completion;
mod injection;
mod layers;
mod lazy_state;
mod lint;
mod logging;
mod messages;
mod providers;
mod registry;

use serde_json::{Value, json};
use tool_core::{Content, Failure, Prompt, Registry};

/// Returns a registry with the prompts of one module of this test.
fn prompts_of(module: &'static str) -> Registry {
    let builder = Registry::builder().linked().select_prompts(move |prompt| prompt.source().module == module);
    builder.build().unwrap()
}

/// Requests a prompt.
fn get_prompt(registry: &Registry, name: &str, arguments: Value) -> Result<Prompt, Failure> {
    tool_core::private::block_on(registry.get_prompt(name, arguments))
}

/// Returns the text of the only message of a prompt.
#[track_caller]
fn text(registry: &Registry, name: &str, arguments: Value) -> String {
    let prompt =
        get_prompt(registry, name, arguments).unwrap_or_else(|failure| panic!("{name}: {}", failure.text()));
    match &prompt.messages[..] {
        [message] => match &message.content {
            Content::Text { text } => text.clone(),
            other => panic!("{name}: {other:?}"),
        },
        messages => panic!("{name}: {messages:?}"),
    }
}

/// Returns the path and keyword of each problem of an invalid request.
#[track_caller]
fn problems(registry: &Registry, name: &str, arguments: Value) -> Vec<(String, String)> {
    let failure = get_prompt(registry, name, arguments).unwrap_err();
    failure.problems().iter().map(|problem| (problem.path.clone(), problem.keyword.clone())).collect()
}

#[test]
fn reports_unknown_prompts() {
    let registry = prompts_of("prompts::messages");
    let failure = get_prompt(&registry, "nope", json!({})).unwrap_err();
    assert_eq!(failure.message(), "Prompt not found: nope");
    let failure = get_prompt(&registry, &"n".repeat(1_000), json!({})).unwrap_err();
    assert_eq!(failure.message().len(), "Prompt not found: ".len() + 128);
}
