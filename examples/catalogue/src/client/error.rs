//! Why there is no answer.

use std::error::Error;
use std::io;
use std::time::Duration;

use tool_core::{Failure, FailureKind, ToolError};

use crate::egress::{Refusal, Unresolved};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// It must not be asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No connection: the name does not resolve, nobody listens, or TLS failed.
    #[error("it cannot be reached: {0}")]
    Unreachable(&'static str, #[source] reqwest::Error),
    /// The connection was there, and ended before the answer did.
    #[error("it broke off in the middle of its answer")]
    Broken(#[source] reqwest::Error),
    /// It takes too long.
    #[error("it did not answer within {0:?}")]
    Late(Duration),
    /// It says too much.
    #[error("its answer has more than {0} bytes")]
    TooLarge(usize),
    /// One redirect followed another.
    #[error("it redirects more than {0} times")]
    Redirects(usize),
    /// It redirects what changes something, which is not sent a second time.
    #[error("it redirects a request that is sent to one place alone")]
    Moved,
    /// It redirects to what is no address.
    #[error("it redirects to what is no address")]
    Nowhere,
    /// It redirects to where nobody else may send this program.
    #[error("it redirects to where this program does not go")]
    Astray,
    /// What it sent must be unpacked, which was not asked for.
    #[error("its answer is compressed, which was not asked for")]
    Compressed,
}

impl CallError {
    /// What the client has to say, in which other errors are hidden.
    pub(super) fn of_client(error: reqwest::Error) -> Self {
        // The address may have a key in its query.
        let error = error.without_url();
        let mut reason = "no connection could be made";
        for cause in causes(&error) {
            if let Some(refusal) = cause.downcast_ref::<Refusal>() {
                return CallError::Refused(refusal.clone());
            }
            let refused = |io: &io::Error| io.kind() == io::ErrorKind::ConnectionRefused;
            if cause.is::<Unresolved>() {
                reason = "its name does not resolve";
            } else if cause.is::<rustls::Error>() {
                reason = "TLS failed";
            } else if cause.downcast_ref::<io::Error>().is_some_and(refused) {
                reason = "nobody listens there";
            }
        }
        if error.is_connect() { CallError::Unreachable(reason, error) } else { CallError::Broken(error) }
    }

    /// What the caller of a tool is told. Whether to try again depends on whether the first request may have had its effect.
    #[must_use]
    pub fn failure(&self, provider: &str, modifies: bool) -> Failure {
        let message = format!("provider `{provider}`: {self}");
        match self {
            CallError::Unreachable(..) => ToolError::unavailable(message).into(),
            CallError::Broken(_) => Failure::from(ToolError::unavailable(message)).with_retryable(!modifies),
            CallError::Late(_) => Failure::new(FailureKind::Timeout, message).with_retryable(!modifies),
            _ => ToolError::failed(message).into(),
        }
    }

    /// The whole chain, for the log.
    pub(crate) fn chain(&self) -> String {
        let mut chain = self.to_string();
        let mut cause = self.source();
        while let Some(current) = cause {
            chain.push_str(": ");
            chain.push_str(&current.to_string());
            cause = current.source();
        }
        chain
    }
}

/// An error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause| cause_of(*cause))
}

/// An error of input and output names as its source that of the error in it, and not that error itself.
fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
