//! The error type for tools.

use std::time::Duration;

use crate::model::failure::Failure;
use crate::model::failure::kind::{FailureKind, Reason};
use crate::schema::json::pointer::pointer;
use crate::schema::problem::Problem;

/// An error of a tool with a meaning for the caller, besides its message.
///
/// A tool may return any error that implements [`Display`](std::fmt::Display). A `ToolError`, or an error that converts into
/// one, also determines the HTTP status, the exit code and whether a retry can succeed:
///
/// | error | means | HTTP | exit code |
/// |---|---|--:|--:|
/// | [`failed`](Self::failed) | the tool failed | 500 | 1 |
/// | [`invalid`](Self::invalid) | an input is wrong, in a way that no schema can say | 422 | 5 |
/// | [`denied`](Self::denied) | the caller may not do this | 403 | 4 |
/// | [`not_found`](Self::not_found) | the thing asked for does not exist | 404 | 10 |
/// | [`conflict`](Self::conflict) | the state of the thing does not allow this | 409 | 11 |
/// | [`unavailable`](Self::unavailable) | something that the tool needs is not there | 503 | 12 |
/// | [`retry_after`](Self::retry_after) | the caller calls too often | 429 | 14 |
///
/// Over MCP, each is a result with `isError`. A [`Failure`] that a tool returns, such as that of a tool that it called,
/// keeps its kind.
///
/// ```
/// use tool_core::ToolError;
///
/// enum ShopError {
///     SoldOut,
///     NoSuchItem(u32),
///     TooMany { most: u32 },
/// }
///
/// impl From<ShopError> for ToolError {
///     fn from(error: ShopError) -> Self {
///         match error {
///             ShopError::SoldOut => ToolError::conflict("the item is sold out"),
///             ShopError::NoSuchItem(id) => ToolError::not_found(format!("there is no item {id}")),
///             ShopError::TooMany { most } => ToolError::invalid("/number", format!("at most {most} are sold at once")),
///         }
///     }
/// }
///
/// assert_eq!(ToolError::from(ShopError::NoSuchItem(5)).to_string(), "there is no item 5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.text())]
pub struct ToolError(Failure);

impl ToolError {
    /// Creates an error with only a message.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(ToolError::failed("it rains").kind(), FailureKind::Failed(Reason::Other));
    /// ```
    pub fn failed(message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Failed(Reason::Other), message)
    }

    /// Creates an error for an input that is invalid in a way that no schema can express. `path` is a JSON Pointer (RFC
    /// 6901) into the arguments, such as `/stay/from`, or the name of an input. An empty path means the arguments as a
    /// whole.
    ///
    /// The caller reads it as an input that the schema rejects: the message names the tool, and an
    /// [example](crate::ToolDefinition::examples) that the tool declares is added.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    ///
    /// let error = ToolError::invalid("/stay/until", "is before the day of arrival");
    /// assert_eq!(error.kind(), FailureKind::Input);
    /// assert_eq!(error.to_string(), "invalid input: 1 problem\n- /stay/until: is before the day of arrival");
    /// assert_eq!(ToolError::invalid("stay", "is too long"), ToolError::invalid("/stay", "is too long"));
    /// ```
    pub fn invalid(path: impl AsRef<str>, message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Input, "").and_invalid(path, message)
    }

    /// Adds another invalid input, so that the caller sees all problems at once.
    ///
    /// ```
    /// use tool_core::{Failure, ToolError};
    ///
    /// let error = ToolError::invalid("from", "is in the past").and_invalid("until", "is before `from`");
    /// assert_eq!(Failure::from(error).problems().len(), 2);
    /// ```
    #[must_use]
    pub fn and_invalid(self, path: impl AsRef<str>, message: impl Into<String>) -> Self {
        let path = path.as_ref();
        let path = if path.is_empty() || path.starts_with('/') { path.to_owned() } else { pointer(path) };
        let mut failure = self.0;
        failure.0.kind = FailureKind::Input;
        failure.0.retryable = true;
        failure.0.problems.push(Problem::new(path, "tool", message));
        failure.set_unnamed_message();
        ToolError(failure)
    }

    /// Creates an error for a caller that may not do this.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    ///
    /// assert_eq!(ToolError::denied("the page belongs to tomas").kind(), FailureKind::Denied);
    /// ```
    pub fn denied(message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Denied, message)
    }

    /// Creates an error for a thing that does not exist.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(ToolError::not_found("no such day").kind(), FailureKind::Failed(Reason::NotFound));
    /// ```
    pub fn not_found(message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Failed(Reason::NotFound), message)
    }

    /// Creates an error for a conflict with the state of a thing.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(ToolError::conflict("already sold").kind(), FailureKind::Failed(Reason::Conflict));
    /// ```
    pub fn conflict(message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Failed(Reason::Conflict), message)
    }

    /// Creates an error for a dependency that is temporarily unavailable. If you know for how long, add
    /// [`with_retry_after`](Self::with_retry_after).
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(ToolError::unavailable("store is down").kind(), FailureKind::Failed(Reason::Unavailable));
    /// ```
    pub fn unavailable(message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::Failed(Reason::Unavailable), message)
    }

    /// Creates an error for a caller that calls too often, and may call again after this time.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::{FailureKind, ToolError};
    ///
    /// let error = ToolError::retry_after(Duration::from_secs(30), "three letters a minute are enough");
    /// assert_eq!(error.kind(), FailureKind::RateLimited);
    /// assert_eq!(error.to_string(), "three letters a minute are enough\ntry again in 30 seconds");
    /// ```
    pub fn retry_after(wait: Duration, message: impl Into<String>) -> Self {
        ToolError::of(FailureKind::RateLimited, message).with_retry_after(wait)
    }

    /// Sets the time to wait before a retry, in whole seconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_core::{Failure, ToolError};
    ///
    /// let error = ToolError::unavailable("the index is being built").with_retry_after(Duration::from_secs(5));
    /// assert_eq!(Failure::from(error).retry_after(), Some(Duration::from_secs(5)));
    /// ```
    #[must_use]
    pub fn with_retry_after(self, wait: Duration) -> Self {
        ToolError(self.0.with_retry_after(wait))
    }

    /// Returns the kind of the resulting failure.
    ///
    /// ```
    /// use tool_core::{FailureKind, ToolError};
    /// use tool_core::failure::Reason;
    ///
    /// assert_eq!(ToolError::failed("no").kind(), FailureKind::Failed(Reason::Other));
    /// ```
    pub fn kind(&self) -> FailureKind {
        self.0.kind()
    }

    fn of(kind: FailureKind, message: impl Into<String>) -> Self {
        ToolError(Failure::new(kind, message))
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        error.0
    }
}

/// Keeps the kind and the problems, for a tool that calls another.
impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        ToolError(failure)
    }
}
