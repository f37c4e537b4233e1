//! Prompts: message templates that a person sends to a model.

use serde::{Deserialize, Serialize};

use crate::model::call_id::CallId;
use crate::model::content::Content;
use crate::model::failure::Failure;

/// The result of a prompt: messages, and an optional description. Serializes as in MCP.
///
/// ```
/// use tool_core::{Prompt, PromptMessage, prompt};
///
/// /// Asks for a poem.
/// #[prompt]
/// fn poem(/** What it is about. */ subject: String) -> Prompt {
///     let request = PromptMessage::user(format!("Write a poem about {subject}."));
///     Prompt::new([request]).description(format!("A poem about {subject}"))
/// }
///
/// let poem = poem("rain".to_owned());
/// assert_eq!(
///     serde_json::to_string(&poem).unwrap(),
///     r#"{"description":"A poem about rain","messages":[{"role":"user","content":{"type":"text","text":"Write a poem about rain."}}]}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Prompt {
    /// What the messages are for; if `None`, the description of the prompt applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
}

impl Prompt {
    /// Creates a prompt from messages.
    ///
    /// ```
    /// use tool_core::{Prompt, PromptMessage};
    ///
    /// assert_eq!(Prompt::new([PromptMessage::user("Hello")]).messages.len(), 1);
    /// ```
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Prompt { description: None, messages: messages.into_iter().collect() }
    }

    /// Sets the description.
    ///
    /// ```
    /// assert_eq!(tool_core::Prompt::new([]).description("None").description.as_deref(), Some("None"));
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

/// The result of a prompt request, and its call ID for the log.
///
/// ```
/// use tool_core::CallOptions;
///
/// # tool_core::private::block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let reply = registry.get_prompt_with("nope", serde_json::json!({}), &CallOptions::new()).await;
/// println!("{}: {:?}", reply.call_id, reply.result);
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct PromptReply {
    /// The identifier of the request.
    pub call_id: CallId,
    /// The messages, or a failure.
    pub result: Result<Prompt, Failure>,
}

/// A message of a prompt: its role and content.
///
/// ```
/// use tool_core::{Content, PromptMessage, Role};
///
/// let message = PromptMessage::user(Content::resource("file:///a.txt", "text/plain", "Hello"));
/// assert_eq!(message.role, Role::User);
/// assert_eq!(PromptMessage::assistant("Hello").content, Content::text("Hello"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// The role.
    pub role: Role,
    /// The content.
    pub content: Content,
}

impl PromptMessage {
    /// Creates a message of the user: a text, or any [`Content`].
    ///
    /// ```
    /// assert_eq!(tool_core::PromptMessage::user("Hello").role, tool_core::Role::User);
    /// ```
    pub fn user(content: impl Into<Content>) -> Self {
        PromptMessage { role: Role::User, content: content.into() }
    }

    /// Creates a message of the model.
    ///
    /// ```
    /// assert_eq!(tool_core::PromptMessage::assistant("Hello").role, tool_core::Role::Assistant);
    /// ```
    pub fn assistant(content: impl Into<Content>) -> Self {
        PromptMessage { role: Role::Assistant, content: content.into() }
    }
}

/// The role of a message.
///
/// ```
/// assert_eq!(serde_json::to_string(&tool_core::Role::Assistant).unwrap(), r#""assistant""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A return type of prompts: a text of the user, a message or several, a [`Prompt`], or a `Result` of one of these.
///
/// Implement it for your own types.
///
/// ```
/// use tool_core::{IntoPrompt, Prompt, PromptMessage, prompt};
///
/// struct Question(&'static str);
///
/// impl IntoPrompt for Question {
///     fn into_prompt(self) -> Prompt {
///         Prompt::new([PromptMessage::user(self.0), PromptMessage::assistant("Let me think.")])
///     }
/// }
///
/// /// Asks the great question.
/// #[prompt]
/// fn great_question() -> Question {
///     Question("What is the answer?")
/// }
/// # assert_eq!(great_question().into_prompt().messages.len(), 2);
/// ```
pub trait IntoPrompt: Sized {
    /// Converts to messages.
    fn into_prompt(self) -> Prompt;
}

/// The same bound, for a clear compile error at the return type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be what a prompt returns",
    label = "a prompt returns a text or messages",
    note = "return a `String`, a `PromptMessage`, a `Vec<PromptMessage>` or a `Prompt`, or implement `tool_core::IntoPrompt` for it"
)]
pub trait ReturnMessages: IntoPrompt {}

#[diagnostic::do_not_recommend]
impl<T: IntoPrompt> ReturnMessages for T {}

impl IntoPrompt for Prompt {
    fn into_prompt(self) -> Prompt {
        self
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Prompt {
        Prompt::new(self)
    }
}

impl IntoPrompt for PromptMessage {
    fn into_prompt(self) -> Prompt {
        Prompt::new([self])
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Prompt {
        PromptMessage::user(self).into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Prompt {
        PromptMessage::user(self).into_prompt()
    }
}
