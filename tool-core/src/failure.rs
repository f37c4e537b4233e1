//! What a call that did not succeed tells its caller, and what each face makes of it.

mod kind;

use std::fmt;
use std::time::Duration;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::schema::unknown_input;

use crate::audit::AuditKind;
use crate::definition::ToolDefinition;

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
#[derive(Clone, Debug)]
pub struct Failure(Box<Inner>);

#[derive(Clone, Debug)]
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
                | FailureKind::Unmet
                | FailureKind::Suspended
                | FailureKind::Failed(Reason::Unavailable)
        );
        Failure(Box::new(Inner {
            kind,
            message: message.into(),
            retryable,
            retry_after: None,
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

    /// There is no room for another call. How long those before it take is not known: the caller should ask again soon.
    pub(crate) fn busy() -> Self {
        let mut failure = Failure::new(FailureKind::Busy, "too many calls at once: try again in a second");
        failure.0.retry_after = Some(Duration::from_secs(1));
        failure
    }

    /// The call ends here, and starts again with the answers to what it asked.
    pub(crate) fn suspended() -> Self {
        Failure::new(FailureKind::Suspended, "the call is suspended until its questions are answered")
    }

    pub(crate) fn timeout(tool: &ToolDefinition, limit: Duration) -> Self {
        Failure::late(tool.name(), limit, tool.modifies())
    }

    /// The time was over before the function was begun.
    pub(crate) fn timeout_before(tool: &ToolDefinition, limit: Duration) -> Self {
        Failure::late(tool.name(), limit, false)
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

    /// When trying again makes sense, where that is known.
    ///
    /// ```
    /// assert!(tool_core::Failure::internal().retry_after().is_none());
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The whole failure as text, for models and people: the message, each problem with its place, and a valid call.
    ///
    /// ```
    /// use tool_core::{Failure, FailureKind};
    ///
    /// assert_eq!(Failure::new(FailureKind::Busy, "too many calls").text(), "too many calls");
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
        text
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Failure {}

/// As over HTTP: `{"error", "kind", "retryable", "problems"?, "example"?}`.
impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("error", &self.0.message)?;
        map.serialize_entry("kind", self.0.kind.codes().error_type)?;
        map.serialize_entry("retryable", &self.0.retryable)?;
        if !self.0.problems.is_empty() {
            map.serialize_entry("problems", &self.0.problems)?;
        }
        if let Some(example) = &self.0.example {
            map.serialize_entry("example", example)?;
        }
        map.end()
    }
}

/// One thing that is wrong with an input.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let json = r#"{"path":"/city","message":"missing required input","keyword":"required"}"#;
/// let problem: tool_core::Problem = serde_json::from_str(json).unwrap();
/// assert_eq!(problem.to_string(), "/city: missing required input");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// Where: a JSON Pointer (RFC 6901) into the arguments. A missing input has the place where it should be.
    pub path: String,
    /// What is wrong: what was expected and what came.
    pub message: String,
    /// The keyword of JSON Schema that was broken, such as `required` or `type`; `format` for a text that does not decode.
    pub keyword: String,
    /// The name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, keyword: &str, message: impl Into<String>) -> Self {
        Problem { path: path.into(), message: message.into(), keyword: keyword.to_owned(), suggestion: None }
    }

    /// Something is wrong, and what it is cannot be told in little time.
    pub(crate) fn unexplained() -> Self {
        Problem::new("", "schema", "it does not fit the schema, in a way that is too deep to be told")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.suggestion {
            Some(name) => write!(f, " (there is one with a similar name: `{name}`)"),
            None => Ok(()),
        }
    }
}

/// An error of a tool that says what it means to the caller, beyond its message.
///
/// A tool may return any error that implements [`Display`](fmt::Display). One that is a `ToolError`, or that converts
/// into one, also chooses the HTTP status and whether trying again can help.
///
/// ```
/// use tool_core::ToolError;
///
/// enum ShopError {
///     SoldOut,
///     NoSuchItem(u32),
/// }
///
/// impl From<ShopError> for ToolError {
///     fn from(error: ShopError) -> Self {
///         match error {
///             ShopError::SoldOut => ToolError::conflict("the item is sold out"),
///             ShopError::NoSuchItem(id) => ToolError::not_found(format!("there is no item {id}")),
///         }
///     }
/// }
///
/// assert_eq!(ToolError::from(ShopError::NoSuchItem(5)).to_string(), "there is no item 5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    reason: Reason,
    message: String,
}

impl ToolError {
    /// A failure of which no more is known than its message.
    ///
    /// ```
    /// assert_eq!(tool_core::ToolError::failed("it rains").reason(), tool_core::Reason::Other);
    /// ```
    pub fn failed(message: impl Into<String>) -> Self {
        ToolError { reason: Reason::Other, message: message.into() }
    }

    /// The thing asked for does not exist.
    ///
    /// ```
    /// assert_eq!(tool_core::ToolError::not_found("no such day").reason(), tool_core::Reason::NotFound);
    /// ```
    pub fn not_found(message: impl Into<String>) -> Self {
        ToolError { reason: Reason::NotFound, message: message.into() }
    }

    /// The state of the thing does not allow this.
    ///
    /// ```
    /// assert_eq!(tool_core::ToolError::conflict("already sold").reason(), tool_core::Reason::Conflict);
    /// ```
    pub fn conflict(message: impl Into<String>) -> Self {
        ToolError { reason: Reason::Conflict, message: message.into() }
    }

    /// Something that the tool needs is not there at the moment.
    ///
    /// ```
    /// assert_eq!(tool_core::ToolError::unavailable("store is down").reason(), tool_core::Reason::Unavailable);
    /// ```
    pub fn unavailable(message: impl Into<String>) -> Self {
        ToolError { reason: Reason::Unavailable, message: message.into() }
    }

    /// What the failure means to the caller.
    ///
    /// ```
    /// assert_eq!(tool_core::ToolError::failed("no").reason(), tool_core::Reason::Other);
    /// ```
    pub fn reason(&self) -> Reason {
        self.reason
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Failure::new(FailureKind::Failed(error.reason), error.message)
    }
}
