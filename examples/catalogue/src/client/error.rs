//! Errors of requests to services.

use std::error::Error;
use std::io;
use std::time::Duration;

use tool_core::{Failure, FailureKind, ToolError};

use crate::egress::{Refusal, Unresolved};

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The address is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Connecting failed: the name does not resolve, nothing listens, or TLS failed.
    #[error("it cannot be reached: {0}")]
    Unreachable(&'static str, #[source] reqwest::Error),
    /// The connection ended in the middle of the answer.
    #[error("it broke off in the middle of its answer")]
    Broken(#[source] reqwest::Error),
    /// The time limit has passed.
    #[error("it did not answer within {0:?}")]
    Late(Duration),
    /// The answer exceeds the size limit.
    #[error("its answer has more than {0} bytes")]
    TooLarge(usize),
    /// There are too many redirects.
    #[error("it redirects more than {0} times")]
    Redirects(usize),
    /// A modifying request was redirected; it is not sent twice.
    #[error("it redirects a request that is sent to one place alone")]
    Moved,
    /// The redirect has an invalid address.
    #[error("it redirects to what is no address")]
    Nowhere,
    /// The redirect leads to a refused address.
    #[error("it redirects to where this program does not go")]
    Astray,
    /// The answer is compressed, which was not requested.
    #[error("its answer is compressed, which was not asked for")]
    Compressed,
}

impl CallError {
    /// Converts an error of the HTTP client, which may wrap one of ours.
    pub(super) fn of_client(error: reqwest::Error) -> Self {
        // The address may contain a key.
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

    /// Converts the error into a failure of the tool. It is retryable if the first request cannot have had an effect.
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

    /// Returns the whole chain of causes, for the log.
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

/// Iterates over an error and its causes.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause| cause_of(*cause))
}

/// Returns the cause of an error. An I/O error reports the source of its inner error, not the inner error itself.
fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}
