//! The prompts.

use tool_core::{Content, PromptMessage, prompt};

use crate::content::RED_DOT;

/// Asks nothing in particular.
#[prompt]
fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// Asks with the words of whoever asks.
#[prompt]
fn test_prompt_with_arguments(
    /// The first word.
    #[arg(complete = words)]
    arg1: String,
    /// The second word.
    #[arg(complete = words)]
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// Words that begin as what was typed.
fn words(typed: &str) -> Vec<String> {
    let words = ["test", "testing", "tested", "paris", "park", "party"];
    words.into_iter().filter(|word| word.starts_with(typed)).map(str::to_owned).collect()
}

/// Asks about a resource.
#[prompt]
fn test_prompt_with_embedded_resource(
    /// Where the resource is.
    #[arg(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<PromptMessage> {
    let resource = Content::resource(resource_uri, "text/plain", "Embedded resource content for testing.");
    vec![PromptMessage::user(resource), PromptMessage::user("Please process the embedded resource above.")]
}

/// Asks about a picture.
#[prompt]
fn test_prompt_with_image() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user(Content::image(RED_DOT, "image/png")),
        PromptMessage::user("Please analyze the image above."),
    ]
}
