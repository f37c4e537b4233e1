//! Completion of prompt arguments, as for tool inputs.

use tool_core::completion::CompletionRequest;
use tool_core::{BuildError, Registry, adapter, prompt, prompts};

/// What kind of weather there is.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Weather {
    Sun,
    Rain,
    Snow,
}

struct Towns(&'static [&'static str]);

fn towns(typed: &str, towns: &Towns) -> Vec<String> {
    towns.0.iter().filter(|town| town.starts_with(typed)).map(ToString::to_string).collect()
}

fn streets(request: &CompletionRequest<'_>) -> Vec<String> {
    vec![format!("{} in {}", request.text(), request.argument("town").unwrap_or("nowhere"))]
}

fn numbers(_: &str) -> Vec<String> {
    (0..250).map(|n| n.to_string()).collect()
}

/// Asks about a house.
#[prompt]
fn about_house(
    #[arg(complete = towns)] town: String,
    #[arg(complete = streets)] street: String,
    #[arg(complete = numbers)] number: u8,
    weather: Option<Weather>,
    quiet: bool,
    #[arg(secret)] secret: Option<Weather>,
) -> String {
    format!("{street} {number}, {town}, {quiet} {weather:?} {}", secret.is_some())
}

#[test]
fn completes_arguments_like_tool_inputs() {
    let towns = Towns(&["Rome", "Pisa"]);
    let registry = Registry::builder().prompts(prompts![about_house]).state(towns).build().unwrap();
    let complete = |argument: &str, typed: &str| {
        tool_core::private::block_on(adapter::complete_prompt(&registry, "about_house", argument, typed))
    };
    assert_eq!(complete("town", "R").unwrap().values, ["Rome"]);
    assert_eq!(complete("weather", "s").unwrap().values, ["sun", "snow"]);
    assert_eq!(complete("quiet", "").unwrap().values, ["true", "false"]);
    assert_eq!(complete("secret", "").unwrap().values, Vec::<String>::new());
    let numbers = complete("number", "").unwrap();
    assert_eq!((numbers.values.len(), numbers.total, numbers.has_more), (100, 250, true));
    let request = CompletionRequest::new("Via").with_argument("town", "Rome");
    let streets =
        tool_core::private::block_on(adapter::complete_prompt(&registry, "about_house", "street", request))
            .unwrap();
    assert_eq!(streets.values, ["Via in Rome"]);
}

#[test]
fn reports_unknown_prompts_and_arguments() {
    let registry = Registry::builder().prompts(prompts![about_house]).state(Towns(&[])).build().unwrap();
    let failure = |prompt, argument| {
        tool_core::private::block_on(adapter::complete_prompt(&registry, prompt, argument, "")).unwrap_err()
    };
    assert_eq!(failure("about_house", "twon").problems()[0].suggestion.as_deref(), Some("town"));
    assert_eq!(failure("house", "town").message(), "Prompt not found: house");
}

#[test]
fn requires_state_of_completion_functions() {
    let errors = Registry::builder().prompts(prompts![about_house]).build().unwrap_err();
    let errors: Vec<_> = errors.iter().collect();
    assert!(matches!(errors[..], [BuildError::MissingPromptState { .. }]), "{errors:?}");
}
