//! The failure of a call, and its codes in each protocol.

mod error;
mod kind;
#[cfg(feature = "tasks")]
pub(crate) mod stored;

use crate::schema::problem::Problem;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::schema::unknown_input;

use crate::model::audit_kind::AuditKind;

pub use error::ToolError;
pub use kind::{FailureCodes, FailureKind, McpAnswer, Reason};

/// The failure of a call: its kind, a message for the caller, and every problem of an invalid input.
///
/// ```
/// use tool_core::{Failure, FailureKind};
///
/// let failure = Failure::new(FailureKind::Busy, "too many calls at once");
/// assert_eq!(failure.to_string(), "too many calls at once");
/// assert!(failure.retryable());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(transparent)]
#[error("{}", .0.message)]
pub struct Failure(Box<Inner>);

/// Serializes to the JSON over HTTP: `{"error", "kind", "retryable", "retryAfterSeconds"?, "problems"?, "example"?}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Inner {
    #[serde(rename = "error")]
    message: String,
    #[serde(serialize_with = "word")]
    kind: FailureKind,
    retryable: bool,
    #[serde(
        rename = "retryAfterSeconds",
        skip_serializing_if = "Option::is_none",
        serialize_with = "seconds"
    )]
    retry_after: Option<Duration>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
}

impl Failure {
    /// Creates a failure with a message for the caller.
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
        // The duration of the running calls is unknown: retry soon.
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

    /// Creates a failure for a fault of the application. Log the cause: the caller only sees that it happened.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().message(), "internal error");
    /// ```
    pub fn internal() -> Self {
        Failure::new(FailureKind::Internal, "internal error")
    }

    pub(crate) fn busy() -> Self {
        Failure::new(FailureKind::Busy, "too many calls at once")
    }

    pub(crate) fn deadlock() -> Self {
        let message = "too many calls at once: this one would wait for calls that wait for it; try again when fewer run";
        Failure::new(FailureKind::Busy, message)
    }

    /// Creates the failure of a suspended call, which starts again with the answers to its questions.
    pub(crate) fn suspended() -> Self {
        Failure::new(FailureKind::InputRequired, "the call is suspended until its questions are answered")
    }

    /// Creates the failure of a call whose function timed out. A function that modifies continues.
    pub(crate) fn timeout(tool: &str, limit: Duration, modifies: bool) -> Self {
        let note = if modifies { "; it continues, and may still take effect" } else { "" };
        let failure =
            Failure::new(FailureKind::Timeout, format!("`{tool}` did not end within {limit:?}{note}"));
        failure.with_retryable(!modifies)
    }

    /// Creates the failure of a call that timed out before its function started.
    pub(crate) fn timeout_before(tool: &str, limit: Duration) -> Self {
        let failure = Failure::new(FailureKind::Timeout, format!("`{tool}` did not start within {limit:?}"));
        failure.with_retryable(true)
    }

    /// Creates the failure of a completion that timed out.
    pub(crate) fn timeout_completion(tool: &str, limit: Duration) -> Self {
        let message = format!("the completion of an input of `{tool}` did not end within {limit:?}");
        Failure::new(FailureKind::Timeout, message).with_retryable(true)
    }

    /// Creates the failure of a name that does not exist, with a similar one that does.
    pub(crate) fn not_found(kind: AuditKind, name: &str, similar: Option<&str>) -> Self {
        let noun = match kind {
            AuditKind::Tool => "Tool",
            AuditKind::Prompt => "Prompt",
        };
        // Names have at most 128 characters.
        let name = name.char_indices().nth(128).map_or(name, |(end, _)| &name[..end]);
        let help = similar.map(|similar| format!("; did you mean `{similar}`?")).unwrap_or_default();
        Failure::new(FailureKind::NotFound, format!("{noun} not found: {name}{help}"))
    }

    pub(crate) fn input(tool: &str, problems: Vec<Problem>, example: Option<Value>) -> Self {
        let mut failure =
            Failure::new(FailureKind::Input, format!("invalid input for `{tool}`: {}", counted(&problems)));
        failure.0.problems = problems;
        failure.0.example = example;
        failure
    }

    pub(crate) fn unknown_input(tool: &str, name: &str, names: &[&str]) -> Self {
        Failure::input(tool, vec![unknown_input(name, names)], None)
    }

    pub(crate) fn not_json(tool: &str, problem: Problem) -> Self {
        let mut failure =
            Failure::new(FailureKind::NotJson, format!("the arguments for `{tool}` are not JSON"));
        failure.0.problems = vec![problem];
        failure
    }

    /// Returns the kind of the failure.
    ///
    /// ```
    /// # use tool_core::{Failure, FailureKind};
    /// assert_eq!(Failure::internal().kind(), FailureKind::Internal);
    /// ```
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// Returns the message for the caller, in one line.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().message(), "internal error");
    /// ```
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Replaces the message, for an adapter that shortens it.
    ///
    /// ```
    /// assert_eq!(tool_core::Failure::internal().with_message("it broke").message(), "it broke");
    /// ```
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Truncates the message to `most` bytes.
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

    /// Returns all problems of an invalid input; empty for other kinds.
    ///
    /// ```
    /// assert!(tool_core::Failure::internal().problems().is_empty());
    /// ```
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// Returns a minimal valid call, if the input was invalid.
    ///
    /// ```
    /// assert!(tool_core::Failure::internal().example().is_none());
    /// ```
    pub fn example(&self) -> Option<&Value> {
        self.0.example.as_ref()
    }

    /// Returns `true` if a retry can succeed: as it is, or for an invalid input after a correction.
    ///
    /// ```
    /// assert!(!tool_core::Failure::internal().retryable());
    /// ```
    pub fn retryable(&self) -> bool {
        self.0.retryable
    }

    /// Sets whether a retry can succeed, for an adapter that knows more than the kind implies, such as after its own
    /// time limit.
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

    /// Returns the time to wait before a retry, in whole seconds, if known.
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

    /// Sets the time to wait before a retry, rounded up to whole seconds as in `Retry-After` (RFC 9110, section
    /// 10.2.3).
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

    /// Converts a failure that a tool returned into the failure of that tool.
    ///
    /// Some kinds describe the incoming call: unknown tool, invalid JSON, no identity. A tool that returns them has
    /// made such a call itself. Invalid inputs that the tool found are reported like those that its schema rejects; the
    /// example is one that the tool declares.
    pub(crate) fn make_returned(&mut self, tool: &str, example: impl FnOnce() -> Option<Value>) {
        if self.has_unnamed_tool() {
            self.0.message = format!("invalid input for `{tool}`: {}", counted(&self.0.problems));
            self.0.example = example();
        }
        self.0.kind = match self.0.kind {
            FailureKind::NotFound => FailureKind::Failed(Reason::NotFound),
            FailureKind::NotJson => FailureKind::Input,
            FailureKind::Unauthenticated => FailureKind::Denied,
            kind => kind,
        };
    }

    /// Names no tool in the message of a failure with problems, until the tool has returned it.
    fn set_unnamed_message(&mut self) {
        self.0.message = unnamed_message(&self.0.problems);
    }

    fn has_unnamed_tool(&self) -> bool {
        let problems = &self.0.problems;
        self.0.kind == FailureKind::Input
            && !problems.is_empty()
            && self.0.message == unnamed_message(problems)
    }

    /// Returns the whole failure as text: the message, each problem with its path, a valid call, and when to retry.
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

fn unnamed_message(problems: &[Problem]) -> String {
    format!("invalid input: {}", counted(problems))
}

fn counted(problems: &[Problem]) -> String {
    let count = problems.len();
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} problem{plural}")
}

fn word<S: Serializer>(kind: &FailureKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.codes().error_type)
}

fn seconds<S: Serializer>(wait: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    wait.map(|wait| wait.as_secs()).serialize(serializer)
}
