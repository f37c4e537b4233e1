//! What a call asks.

use std::fmt;

use serde_json::{Value, json};

use crate::context::elicitation::form::Form;
use crate::context::elicitation::sample::Sample;
use crate::model::digest::Digest;
use crate::schema::problem::Problem;

/// One question of a call, as an [`ClientRequests`](crate::elicitation::ClientRequests) puts it.
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
    /// What it is known by within its call: the key that the tool gave it, or one made of what is asked. No other question
    /// of the call has the same.
    pub key: String,
    /// What is asked.
    pub ask: Ask,
    /// What was wrong with the answer that was given last; empty when it is asked for the first time.
    pub problems: Vec<Problem>,
}

impl Question {
    /// A question that was not asked yet.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, Question};
    /// assert!(Question::new("roots", Ask::Roots).problems.is_empty());
    /// ```
    pub fn new(key: impl Into<String>, ask: Ask) -> Self {
        Question { key: key.into(), ask, problems: Vec::new() }
    }

    /// The identity of what is asked, whatever its key: an answer that was recorded for another question is none to this.
    ///
    /// ```
    /// # use tool_core::elicitation::{Ask, Question, Sample};
    /// let sample = Question::new("a", Ask::Sample(Sample::new(100).user("Hello")));
    /// assert_ne!(sample.digest(), Question::new("a", Ask::Roots).digest());
    /// ```
    pub fn digest(&self) -> Digest {
        Digest::of(&self.ask.to_json())
    }

    /// What a person is told before the answer: what is asked, and what was wrong with the last answer.
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

/// What is asked.
///
/// ```
/// use tool_core::elicitation::{Ask, AskKind};
///
/// assert_eq!(Ask::Roots.kind(), AskKind::Roots);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Ask {
    /// To fill in a form.
    Form {
        /// What the user is told.
        message: String,
        /// The fields.
        form: Form,
    },
    /// To go to an address, and do there what must not go through the client: to sign in, to pay.
    Url {
        /// What the user is told.
        message: String,
        /// Where to go.
        url: String,
    },
    /// To let a model write something.
    Sample(Sample),
    /// Where the client works.
    Roots,
}

impl Ask {
    /// Which kind of question it is.
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

    /// All of it, for its digest.
    fn to_json(&self) -> Value {
        match self {
            Ask::Form { message, form } => json!({"form": form.schema(), "message": message}),
            Ask::Url { message, url } => json!({"url": url, "message": message}),
            Ask::Sample(sample) => json!({"sample": sample}),
            Ask::Roots => json!("roots"),
        }
    }
}

/// The kinds of questions, which a caller may or may not be asked.
///
/// ```
/// assert_eq!(tool_core::elicitation::AskKind::Sample.to_string(), "sampling");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskKind {
    /// A form: [`Context::elicit`](crate::Context::elicit).
    Form,
    /// An address: [`Context::elicit_url`](crate::Context::elicit_url).
    Url,
    /// What a model writes: [`Context::sample`](crate::Context::sample).
    Sample,
    /// Where the client works: [`Context::roots`](crate::Context::roots).
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
