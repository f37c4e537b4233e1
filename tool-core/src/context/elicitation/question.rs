//! The questions of a call.

use std::fmt;

use serde_json::{Value, json};

use crate::context::elicitation::form::Form;
use crate::context::elicitation::sample::Sample;
use crate::model::digest::Digest;
use crate::schema::problem::Problem;

/// One question of a call, as [`ClientRequests`](crate::elicitation::ClientRequests) receives it.
///
/// ```
/// use tool_core::elicitation::{Ask, Question};
///
/// let question = Question::new("roots", Ask::Roots);
/// assert_eq!(question.digest(), Question::new("other", Ask::Roots).digest());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Question {
    /// The key that identifies the question within its call: set by the tool, or derived from the question.
    pub key: String,
    /// The question itself.
    pub ask: Ask,
    /// What was wrong with the last answer; empty for the first attempt.
    pub problems: Vec<Problem>,
}

impl Question {
    /// Creates a question without problems.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, Question};
    /// assert!(Question::new("roots", Ask::Roots).problems.is_empty());
    /// ```
    pub fn new(key: impl Into<String>, ask: Ask) -> Self {
        Question { key: key.into(), ask, problems: Vec::new() }
    }

    /// Returns the digest of the question, ignoring its key. A recorded answer belongs to a question only if the
    /// digests match.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, Question, Sample};
    /// let sample = Question::new("a", Ask::Sample(Sample::new(100).user("Hello")));
    /// assert_ne!(sample.digest(), Question::new("a", Ask::Roots).digest());
    /// ```
    pub fn digest(&self) -> Digest {
        Digest::of(&self.ask.to_json())
    }

    /// Returns the text for a person: the message, and what was wrong with the last answer.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, Question};
    /// let ask = Ask::Url { message: "Please sign in".to_owned(), url: "https://example.com".to_owned() };
    /// assert_eq!(Question::new("sign_in", ask).message(), "Please sign in");
    /// ```
    pub fn message(&self) -> String {
        let mut message = match &self.ask {
            Ask::Form { message, .. } | Ask::Url { message, .. } => message.clone(),
            Ask::Sample(_) | Ask::Roots => String::new(),
        };
        for problem in &self.problems {
            message.push_str("\n- ");
            message.push_str(&problem.to_string());
        }
        message
    }
}

/// What a call asks for.
///
/// ```
/// use tool_core::elicitation::{Ask, AskKind};
///
/// assert_eq!(Ask::Roots.kind(), AskKind::Roots);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Ask {
    /// Fill in a form.
    Form {
        /// The message for the user.
        message: String,
        /// The fields.
        form: Form,
    },
    /// Open a URL, and do there what must not pass through the client, such as signing in or paying.
    Url {
        /// The message for the user.
        message: String,
        /// The URL.
        url: String,
    },
    /// Let a model write a message.
    Sample(Sample),
    /// List the folders that the client works in.
    Roots,
}

impl Ask {
    /// Returns the kind of the question.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, AskKind, Sample};
    /// assert_eq!(Ask::Sample(Sample::new(10)).kind(), AskKind::Sample);
    /// ```
    pub fn kind(&self) -> AskKind {
        match self {
            Ask::Form { .. } => AskKind::Form,
            Ask::Url { .. } => AskKind::Url,
            Ask::Sample(_) => AskKind::Sample,
            Ask::Roots => AskKind::Roots,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Ask::Form { message, form } => json!({"form": form.schema(), "message": message}),
            Ask::Url { message, url } => json!({"url": url, "message": message}),
            Ask::Sample(sample) => json!({"sample": sample}),
            Ask::Roots => json!("roots"),
        }
    }
}

/// The kinds of questions. A caller may support some of them.
///
/// ```
/// assert_eq!(tool_core::elicitation::AskKind::Sample.to_string(), "sampling");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskKind {
    /// A form: [`Context::elicit`](crate::Context::elicit).
    Form,
    /// A URL: [`Context::elicit_url`](crate::Context::elicit_url).
    Url,
    /// A message of a model: [`Context::sample`](crate::Context::sample).
    Sample,
    /// The folders of the client: [`Context::roots`](crate::Context::roots).
    Roots,
}

impl fmt::Display for AskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AskKind::Form => "forms",
            AskKind::Url => "addresses to go to",
            AskKind::Sample => "sampling",
            AskKind::Roots => "roots",
        })
    }
}
