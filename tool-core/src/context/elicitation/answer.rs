//! The answers of a caller.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::content::Content;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::prompt::Role;

/// The answer to a question, not yet decoded for the tool.
///
/// ```
/// use tool_core::elicitation::{Answer, Elicited};
///
/// let answer = Answer::Elicited(Elicited::Declined);
/// assert_ne!(answer, Answer::Roots(Vec::new()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The answer to a form or a URL. An accepted form has its fields.
    Elicited(Elicited<Map<String, Value>>),
    /// The message that a model wrote.
    Sampled(Sampled),
    /// The folders that the client works in.
    Roots(Vec<Root>),
}

/// What the user did with a question.
///
/// ```
/// use tool_core::elicitation::Elicited;
///
/// assert_eq!(Elicited::Accepted(5).accepted(), Some(5));
/// assert_eq!(Elicited::<i32>::Declined.accepted(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elicited<T> {
    /// The user answered.
    Accepted(T),
    /// The user declined.
    Declined,
    /// The user closed the form or disconnected.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the answer, or `None` if the user declined or canceled.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Elicited::<u8>::Cancelled.accepted(), None);
    /// ```
    pub fn accepted(self) -> Option<T> {
        match self {
            Elicited::Accepted(answer) => Some(answer),
            Elicited::Declined | Elicited::Cancelled => None,
        }
    }

    /// Returns the answer, or a failure if the user declined or canceled.
    ///
    /// # Errors
    ///
    /// If the user declined or canceled.
    ///
    /// ```
    /// let failure = tool_core::elicitation::Elicited::<u8>::Declined.required().unwrap_err();
    /// assert_eq!(failure.message(), "the user declined to answer");
    /// ```
    pub fn required(self) -> Result<T, Failure> {
        let message = match self {
            Elicited::Accepted(answer) => return Ok(answer),
            Elicited::Declined => "the user declined to answer",
            Elicited::Cancelled => "the user dismissed the question",
        };
        Err(Failure::new(FailureKind::Failed(Reason::Other), message))
    }

    /// Maps the answer with a function.
    ///
    /// ```
    /// use tool_core::elicitation::Elicited;
    ///
    /// assert_eq!(Elicited::Accepted(5).map(|n| n + 1), Elicited::Accepted(6));
    /// ```
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Elicited<U> {
        match self {
            Elicited::Accepted(answer) => Elicited::Accepted(f(answer)),
            Elicited::Declined => Elicited::Declined,
            Elicited::Cancelled => Elicited::Cancelled,
        }
    }
}

/// A message that a model of the caller wrote.
///
/// ```
/// use tool_core::elicitation::Sampled;
///
/// assert_eq!(Sampled::text("Paris", "some-model").as_text(), "Paris");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// The role of the message, usually `assistant`.
    pub role: Role,
    /// The content: texts, images, audio.
    pub content: Vec<Content>,
    /// The name of the model.
    pub model: String,
    /// Why it stopped, such as `endTurn`, `stopSequence` or `maxTokens`.
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// Creates a message from content and the name of the model.
    ///
    /// ```
    /// use tool_core::Content;
    /// use tool_core::elicitation::Sampled;
    ///
    /// assert_eq!(Sampled::new([Content::text("Paris")], "some-model").model, "some-model");
    /// ```
    pub fn new(content: impl IntoIterator<Item = Content>, model: impl Into<String>) -> Self {
        let content = content.into_iter().collect();
        Sampled { role: Role::Assistant, content, model: model.into(), stop_reason: None }
    }

    /// Creates a message from a text and the name of the model.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Sampled::text("Paris", "some-model").content.len(), 1);
    /// ```
    pub fn text(text: impl Into<String>, model: impl Into<String>) -> Self {
        Sampled::new([Content::text(text)], model)
    }

    /// Returns all texts of the message, concatenated.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Sampled::new([], "some-model").as_text(), "");
    /// ```
    pub fn as_text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// A folder that the client works in, as opened by its user.
///
/// ```
/// let root = tool_core::elicitation::Root::new("file:///home/ada/notes").name("Notes");
/// assert_eq!(root.name.as_deref(), Some("Notes"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Its `file` URI (RFC 3986).
    pub uri: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
}

impl Root {
    /// Creates a root with this URI.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Root::new("file:///srv").uri, "file:///srv");
    /// ```
    pub fn new(uri: impl Into<String>) -> Self {
        Root { uri: uri.into(), name: None }
    }

    /// Sets the name for people.
    ///
    /// ```
    /// assert!(tool_core::elicitation::Root::new("file:///srv").name("Server").name.is_some());
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}
