//! What a call that did not succeed tells its caller, and what each face makes of it.

mod error;
mod kind;

use crate::schema::problem::Problem;
use std::fmt;
use std::time::Duration;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::schema::unknown_input;

use crate::model::audit_kind::AuditKind;

pub use error::ToolError;
pub use kind::{FailureCodes, FailureKind, McpAnswer, Reason};

/// A call that did not succeed: its kind, a message for the caller, and for a wrong input everything that was wrong.
///
/// ```
/// use tool_core::{Failure, FailureKind};
///
/// let failure = Failure::new(FailureKind::Busy, "too many calls at once");
/// assert_eq!(failure.to_string(), "too many calls at once");
/// assert!(failure.retryable());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: FailureKind,
    message: String,
    retryable: bool,
    retry_after: Option<Duration>,
    problems: Vec<Problem>,
    example: Option<Value>,
}

impl Failure {
    /// A failure of this kind with a message that the caller may see.
    ///
    /// ```
    /// # use tool_core::{Failure, FailureKind};
    /// assert_eq!(Failure::new(FailureKind::Denied, "not yours").kind(), FailureKind::Denied);
    /// ```
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let retryable = matches!(
            kind,
            FailureKind::NotJson
                | FailureKind::Input
                | FailureKind::Busy
                | FailureKind::RateLimited
                | FailureKind::Unmet
                | FailureKind::InputRequired
                | FailureKind::Failed(Reason::Unavailable)
        );
        // How long the calls take that a caller waits for is not known: it should ask again soon.
        let retry_after = (kind == FailureKind::Busy).then_some(Duration::from_secs(1));
        Failure(Box::new(Inner {
            kind,
            message: message.into(),
            retryable,
            retry_after,
            problems: Vec::new(),
            example: None,
        }))
    }

    /// A fault of the application. Its cause belongs in the log; the caller learns that it happened.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().message(), "internal error");
    /// ```
    pub fn internal() -> Self {
        Failure::new(FailureKind::Internal, "internal error")
    }

    /// There is no room for another call.
    pub(crate) fn busy() -> Self {
        Failure::new(FailureKind::Busy, "too many calls at once")
    }

    /// The call would wait for a place for good.
    pub(crate) fn deadlock() -> Self {
        let message = "too many calls at once: this one would wait for calls that wait for it; try again when fewer run";
        Failure::new(FailureKind::Busy, message)
    }

    /// The call ends here, and starts again with the answers to what it asked.
    pub(crate) fn suspended() -> Self {
        Failure::new(FailureKind::InputRequired, "the call is suspended until its questions are answered")
    }

    pub(crate) fn timeout(tool: &str, limit: Duration, modifies: bool) -> Self {
        Failure::late(tool, limit, modifies)
    }

    /// The time was over before the function was begun.
    pub(crate) fn timeout_before(tool: &str, limit: Duration) -> Self {
        Failure::late(tool, limit, false)
    }

    fn late(name: &str, limit: Duration, modifies: bool) -> Self {
        let runs_on = if modifies { ", and runs on: its effect may still come" } else { "" };
        let message = format!("`{name}` did not end within {limit:?}{runs_on}");
        let mut failure = Failure::new(FailureKind::Timeout, message);
        failure.0.retryable = !modifies;
        failure
    }

    pub(crate) fn not_found(kind: AuditKind, name: &str) -> Self {
        let noun = match kind {
            AuditKind::Tool => "Tool",
            AuditKind::Prompt => "Prompt",
        };
        // Nothing has a name of more than 128 characters.
        let name = name.char_indices().nth(128).map_or(name, |(end, _)| &name[..end]);
        Failure::new(FailureKind::NotFound, format!("{noun} not found: {name}"))
    }

    pub(crate) fn input(tool: &str, problems: Vec<Problem>, example: Option<Value>) -> Self {
        let count = problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let mut failure =
            Failure::new(FailureKind::Input, format!("invalid input for `{tool}`: {count} {noun}"));
        failure.0.problems = problems;
        failure.0.example = example;
        failure
    }

    pub(crate) fn unknown_input(tool: &str, name: &str, known: &[&str]) -> Self {
        Failure::input(tool, vec![unknown_input(name, known)], None)
    }

    pub(crate) fn not_json(tool: &str, problem: Problem) -> Self {
        let mut failure =
            Failure::new(FailureKind::NotJson, format!("the arguments for `{tool}` are not JSON"));
        failure.0.problems = vec![problem];
        failure
    }

    /// The kind of this failure.
    ///
    /// ```
    /// # use tool_core::{Failure, FailureKind};
    /// assert_eq!(Failure::internal().kind(), FailureKind::Internal);
    /// ```
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// What went wrong, in one line for the caller.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().message(), "internal error");
    /// ```
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same failure with another message: for an adapter that shows an excerpt of one that is too long.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().with_message("it broke").message(), "it broke");
    /// ```
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Cuts the message to so many bytes.
    pub(crate) fn shorten(&mut self, most: usize) {
        const ELLIPSIS: &str = "…";
        let message = &mut self.0.message;
        if message.len() > most {
            let room = most.saturating_sub(ELLIPSIS.len());
            let end = (0..=room).rev().find(|end| message.is_char_boundary(*end)).unwrap_or(0);
            message.truncate(end);
            message.push_str(ELLIPSIS);
        }
    }

    /// Everything that was wrong with the input; empty for other kinds.
    ///
    /// ```
    /// assert!(tool_core::Failure::internal().problems().is_empty());
    /// ```
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// A minimal call that would have been valid, where the input was not.
    ///
    /// ```
    /// assert!(tool_core::Failure::internal().example().is_none());
    /// ```
    pub fn example(&self) -> Option<&Value> {
        self.0.example.as_ref()
    }

    /// Whether trying again can help: as it is, or for a wrong input after a change.
    ///
    /// ```
    /// assert!(!tool_core::Failure::internal().retryable());
    /// ```
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// The same failure, with another word on whether trying again can help: for an adapter that knows more than the kind
    /// tells, as after a time limit of its own.
    ///
    /// ```
    /// use tool_core::{Failure, FailureKind};
    ///
    /// let late = Failure::new(FailureKind::Timeout, "nothing was heard within 5s");
    /// assert!(!late.retryable() && late.with_retryable(true).retryable());
    /// ```
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = retryable;
        self
    }

    /// In how long trying again makes sense, in whole seconds, where that is known.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::{Failure, FailureKind};
    ///
    /// assert!(Failure::internal().retry_after().is_none());
    /// let busy = Failure::new(FailureKind::Busy, "too many calls at once");
    /// assert_eq!(busy.retry_after(), Some(Duration::from_secs(1)));
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The same failure, with the time after which trying again makes sense: rounded up to whole seconds, as `Retry-After` has
    /// them (RFC 9110, section 10.2.3).
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::{Failure, FailureKind};
    ///
    /// let failure = Failure::new(FailureKind::Unmet, "the index is being built");
    /// let failure = failure.with_retry_after(Duration::from_millis(1500));
    /// assert_eq!(failure.retry_after(), Some(Duration::from_secs(2)));
    /// assert_eq!(failure.text(), "the index is being built\ntry again in 2 seconds");
    /// ```
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
        self.0.retry_after = Some(Duration::from_secs(seconds));
        self.0.retryable = true;
        self
    }

    /// Makes a failure that a tool returned the answer to the call of that tool.
    ///
    /// Some kinds say what is wrong with the call as it came in: no tool of this name, no JSON, no identity. A tool that returns them
    /// has made such a call itself.
    pub(crate) fn make_returned(&mut self) {
        self.0.kind = match self.0.kind {
            FailureKind::NotFound => FailureKind::Failed(Reason::NotFound),
            FailureKind::NotJson => FailureKind::Input,
            FailureKind::Unauthenticated => FailureKind::Denied,
            kind => kind,
        };
    }

    /// The whole failure as text, for models and people: the message, each problem with its place, a valid call, and when to try
    /// again.
    ///
    /// ```
    /// use tool_core::{Failure, FailureKind};
    ///
    /// let busy = Failure::new(FailureKind::Busy, "too many calls at once");
    /// assert_eq!(busy.text(), "too many calls at once\ntry again in 1 second");
    /// ```
    pub fn text(&self) -> String {
        let mut text = self.0.message.clone();
        for problem in &self.0.problems {
            text.push_str("\n- ");
            text.push_str(&problem.to_string());
        }
        if let Some(example) = &self.0.example {
            text.push_str("\nexample of a valid call: ");
            text.push_str(&example.to_string());
        }
        if let Some(wait) = self.0.retry_after.map(|wait| wait.as_secs()) {
            let plural = if wait == 1 { "" } else { "s" };
            text.push_str(&format!("\ntry again in {wait} second{plural}"));
        }
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Failure {}

/// As over HTTP: `{"error", "kind", "retryable", "retryAfterSeconds"?, "problems"?, "example"?}`.
impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("error", &self.0.message)?;
        map.serialize_entry("kind", self.0.kind.codes().error_type)?;
        map.serialize_entry("retryable", &self.0.retryable)?;
        if let Some(wait) = self.0.retry_after {
            map.serialize_entry("retryAfterSeconds", &wait.as_secs())?;
        }
        if !self.0.problems.is_empty() {
            map.serialize_entry("problems", &self.0.problems)?;
        }
        if let Some(example) = &self.0.example {
            map.serialize_entry("example", example)?;
        }
        map.end()
    }
}
