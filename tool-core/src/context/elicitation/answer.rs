//! What a caller answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::output::Content;
use crate::model::prompt::Role;

/// The answer to a question, before the tool sees it.
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
    /// To a form, or to an address: of one that was accepted, the fields of the form.
    Elicited(Elicited<Map<String, Value>>),
    /// What a model wrote.
    Sampled(Sampled),
    /// The places where the client works.
    Roots(Vec<Root>),
}

/// What the user made of a question.
///
/// ```
/// use tool_core::elicitation::Elicited;
///
/// assert_eq!(Elicited::Accepted(5).accepted(), Some(5));
/// assert_eq!(Elicited::<i32>::Declined.accepted(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elicited<T> {
    /// It was answered.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user said nothing: closed the form, or went away.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, if there is one.
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

    /// The answer, for a tool that cannot go on without one.
    ///
    /// # Errors
    ///
    /// A failure of the tool that says what the user did.
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

    /// The same, with what a function makes of the answer.
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

/// What a model of the caller wrote.
///
/// ```
/// use tool_core::elicitation::Sampled;
///
/// assert_eq!(Sampled::text("Paris", "some-model").as_text(), "Paris");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// As whom the model spoke; usually the assistant.
    pub role: Role,
    /// What it wrote: texts, images, audio.
    pub content: Vec<Content>,
    /// The name of the model.
    pub model: String,
    /// Why it stopped, such as `endTurn`, `stopSequence` or `maxTokens`.
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// Content that a model of this name wrote.
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

    /// A text that a model of this name wrote.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Sampled::text("Paris", "some-model").content.len(), 1);
    /// ```
    pub fn text(text: impl Into<String>, model: impl Into<String>) -> Self {
        Sampled::new([Content::text(text)], model)
    }

    /// All texts of it, one after the other.
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

/// A place where the client works, as a folder that its user has opened.
///
/// ```
/// let root = tool_core::elicitation::Root::new("file:///home/ada/notes").name("Notes");
/// assert_eq!(root.name.as_deref(), Some("Notes"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Its address (RFC 3986), of the scheme `file`.
    pub uri: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
}

impl Root {
    /// The place of this address.
    ///
    /// ```
    /// assert_eq!(tool_core::elicitation::Root::new("file:///srv").uri, "file:///srv");
    /// ```
    pub fn new(uri: impl Into<String>) -> Self {
        Root { uri: uri.into(), name: None }
    }

    /// The same, with a name for people.
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
