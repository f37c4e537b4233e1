//! Prompts: messages that a person puts before a model, with some words of their own in them.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::model::call_id::CallId;
use crate::model::failure::Failure;
use crate::model::output::Content;

/// What a prompt came to: the messages, and a description if there is more to say than the prompt's own.
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// What these messages are for; where it is `None`, the description of the prompt says it.
    pub description: Option<String>,
    /// The messages, in the order in which a model reads them.
    pub messages: Vec<PromptMessage>,
}

impl Prompt {
    /// These messages.
    ///
    /// ```
    /// use tool_core::{Prompt, PromptMessage};
    ///
    /// assert_eq!(Prompt::new([PromptMessage::user("Hello")]).messages.len(), 1);
    /// ```
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Prompt { description: None, messages: messages.into_iter().collect() }
    }

    /// The same, with a description of its own.
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

/// `{"description"?, "messages"}`, as in MCP.
impl Serialize for Prompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(description) = &self.description {
            map.serialize_entry("description", description)?;
        }
        map.serialize_entry("messages", &self.messages)?;
        map.end()
    }
}

/// The answer to one request for the messages of a prompt, and the identifier that joins it to the log.
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
    /// What came of it.
    pub result: Result<Prompt, Failure>,
}

/// One message of a prompt: who says it, and what.
///
/// ```
/// use tool_core::{Content, PromptMessage, Role};
///
/// let message = PromptMessage::user(Content::resource("file:///a.txt", "text/plain", "Hello"));
/// assert_eq!(message.role, Role::User);
/// assert_eq!(PromptMessage::assistant("Hello").content, Content::text("Hello"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

impl PromptMessage {
    /// What the user says: a text, or any [`Content`].
    ///
    /// ```
    /// assert_eq!(tool_core::PromptMessage::user("Hello").role, tool_core::Role::User);
    /// ```
    pub fn user(content: impl Into<Content>) -> Self {
        PromptMessage { role: Role::User, content: content.into() }
    }

    /// What the model says.
    ///
    /// ```
    /// assert_eq!(tool_core::PromptMessage::assistant("Hello").role, tool_core::Role::Assistant);
    /// ```
    pub fn assistant(content: impl Into<Content>) -> Self {
        PromptMessage { role: Role::Assistant, content: content.into() }
    }
}

/// Who says a message of a prompt.
///
/// ```
/// assert_eq!(serde_json::to_string(&tool_core::Role::Assistant).unwrap(), r#""assistant""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What the function of a prompt may return: a text, which the user says; a message or several; a [`Prompt`]; and a
/// `Result` of one of these.
///
/// An application may implement it for types of its own.
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
    /// The messages.
    fn into_prompt(self) -> Prompt;
}

/// The same, asked for at the return type of a function.
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
