//! Return values, errors and panics of prompt functions.

use std::fmt;

use serde_json::json;
use tool_core::failure::Reason;
use tool_core::{Content, FailureKind, IntoPrompt, Prompt, PromptMessage, Role, ToolError, prompt};

use super::{get_prompt, prompts_of, text};

/// Returns a text.
#[prompt]
fn text_owned() -> String {
    "owned".to_owned()
}

/// Returns a text.
#[prompt]
async fn text_borrowed() -> &'static str {
    "borrowed"
}

/// Returns one message.
#[prompt]
fn message() -> PromptMessage {
    PromptMessage::assistant(Content::image([1], "image/png"))
}

/// Returns several messages.
#[prompt]
async fn messages() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user("What is in this file?"),
        PromptMessage::user(Content::resource("file:///a.csv", "text/csv", "a,b")),
        PromptMessage::assistant(Content::audio([1], "audio/wav")),
        PromptMessage::user(Content::link("file:///b", "b")),
        PromptMessage::user(Content::resource("file:///c", "image/png", vec![0_u8])),
    ]
}

/// Returns everything.
#[prompt]
fn everything() -> Prompt {
    Prompt::new([PromptMessage::user("Hello")]).description("Says hello.")
}

/// Returns a custom type.
#[prompt]
fn own() -> Own {
    Own
}

struct Own;

impl IntoPrompt for Own {
    fn into_prompt(self) -> Prompt {
        Prompt::new([PromptMessage::user("own")])
    }
}

#[derive(Debug)]
struct Unwilling;

impl fmt::Display for Unwilling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("I would rather not")
    }
}

/// Returns an error that has a message.
#[prompt]
fn error(willing: bool) -> Result<Vec<PromptMessage>, Unwilling> {
    if willing { Ok(vec![PromptMessage::user("Well")]) } else { Err(Unwilling) }
}

/// Returns an error that says what it means.
#[prompt]
async fn error_with_meaning(willing: bool) -> Result<&'static str, ToolError> {
    if willing { Ok("Well") } else { Err(ToolError::not_found("there is no such text")) }
}

/// Panics at once.
#[prompt]
fn panic_at_once(now: bool) -> String {
    assert!(!now, "at once");
    "not now".to_owned()
}

/// Panics later.
#[prompt]
async fn panic_later(now: bool) -> String {
    tokio::task::yield_now().await;
    assert!(!now, "later");
    "not now".to_owned()
}

/// Blocks its thread.
#[prompt(blocking)]
fn blocks(word: String) -> String {
    format!("{word} {:?}", std::thread::current().id())
}

#[tokio::test]
async fn runs_blocking_prompts_on_another_thread() {
    let registry = prompts_of(module_path!());
    let prompt = registry.get_prompt("blocks", json!({"word": "on"})).await.unwrap();
    let Content::Text { text } = &prompt.messages[0].content else { panic!("{prompt:?}") };
    assert!(text.starts_with("on ThreadId"), "{text}");
    assert_ne!(*text, format!("on {:?}", std::thread::current().id()));
}

#[test]
fn converts_return_values_to_messages() {
    let registry = prompts_of(module_path!());
    assert_eq!(text(&registry, "text_owned", json!({})), "owned");
    assert_eq!(text(&registry, "text_borrowed", json!(null)), "borrowed");
    assert_eq!(text(&registry, "own", json!({})), "own");
    let image = get_prompt(&registry, "message", json!({})).unwrap();
    assert_eq!(image.messages, [PromptMessage::assistant(Content::image([1], "image/png"))]);
    assert_eq!(image.messages[0].role, Role::Assistant);
    let everything = get_prompt(&registry, "everything", json!({})).unwrap();
    assert_eq!(everything, Prompt::new([PromptMessage::user("Hello")]).description("Says hello."));
    assert_eq!(text(&registry, "error", json!({"willing": true})), "Well");
    assert_eq!(text(&registry, "error_with_meaning", json!({"willing": "true"})), "Well");
}

#[test]
fn serializes_messages_as_in_mcp() {
    let messages = get_prompt(&prompts_of(module_path!()), "messages", json!({})).unwrap();
    let wire = json!({"messages": [
        {"role": "user", "content": {"type": "text", "text": "What is in this file?"}},
        {"role": "user", "content": {"type": "resource", "resource": {"uri": "file:///a.csv", "mimeType": "text/csv", "text": "a,b"}}},
        {"role": "assistant", "content": {"type": "audio", "data": "AQ==", "mimeType": "audio/wav"}},
        {"role": "user", "content": {"type": "resource_link", "uri": "file:///b", "name": "b"}},
        {"role": "user", "content": {"type": "resource", "resource": {"uri": "file:///c", "mimeType": "image/png", "blob": "AA=="}}},
    ]});
    assert_eq!(serde_json::to_value(&messages).unwrap(), wire);
}

#[test]
fn keeps_message_and_reason_of_errors() {
    let registry = prompts_of(module_path!());
    let failure = get_prompt(&registry, "error", json!({"willing": false})).unwrap_err();
    assert_eq!(
        (failure.kind(), failure.message()),
        (FailureKind::Failed(Reason::Other), "I would rather not")
    );
    let failure = get_prompt(&registry, "error_with_meaning", json!({"willing": false})).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::NotFound));
}

#[tokio::test]
async fn reports_panics_and_keeps_serving() {
    let registry = prompts_of(module_path!());
    for name in ["panic_at_once", "panic_later"] {
        let failure = registry.get_prompt(name, json!({"now": true})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, "internal error"), "{name}");
        assert!(registry.get_prompt(name, json!({"now": false})).await.is_ok(), "{name}");
    }
}

#[test]
fn keeps_prompts_callable_as_functions() {
    assert_eq!((text_owned(), everything().messages.len()), ("owned".to_owned(), 1));
    assert!(matches!(error(false), Err(Unwilling)));
}
