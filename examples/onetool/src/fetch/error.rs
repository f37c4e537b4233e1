//! Errors of fetching.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use tool_core::ToolError;

use crate::fetch::resolver::NotAllowed;

/// The reason why a page was not fetched.
///
/// ```
/// use onetool::FetchError;
/// use tool_core::{FailureKind, ToolError};
/// use tool_core::failure::Reason;
///
/// assert_eq!(ToolError::from(FetchError::Status(404)).kind(), FailureKind::Failed(Reason::NotFound));
/// assert_eq!(ToolError::from(FetchError::Status(503)).kind(), FailureKind::Failed(Reason::Unavailable));
/// assert_eq!(ToolError::from(FetchError::Status(403)).kind(), FailureKind::Failed(Reason::Other));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL is invalid.
    #[error("this is no URL: {0}")]
    Url(String),
    /// The scheme is not HTTP.
    #[error("`{0}:` cannot be fetched, only `http:`")]
    Scheme(String),
    /// The URL contains a user name or password.
    #[error("a URL with a name or a password in it is not fetched")]
    Credentials,
    /// The origin is not allowed.
    #[error("fetching from `{origin}` is not allowed, only from: {allowed}")]
    Origin {
        /// The origin of the page.
        origin: String,
        /// The allowed origins.
        allowed: String,
    },
    /// The host is allowed, but not its address.
    #[error("`{host}` has the address {address}, which must not be connected to")]
    Address {
        /// The host.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
    /// There are too many redirects.
    #[error("the page redirects more than {0} times")]
    Redirects(usize),
    /// The status is not 200.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The page is not text.
    #[error("the page is {0}, which cannot be read as text")]
    NoText(String),
    /// The page has too many tags.
    #[error("the page has more than {0} tags")]
    TooManyTags(usize),
    /// A tag of the page has too many attributes.
    #[error("a tag of the page has more than {0} attributes")]
    TooManyAttributes(usize),
    /// The page is too large.
    #[error("the page has more than {0} bytes")]
    TooLong(usize),
    /// The time limit has passed.
    #[error("the page did not arrive within {0:?}")]
    Late(Duration),
    /// The server cannot be reached, or the connection broke off.
    #[error("the server cannot be reached at the moment")]
    Unreachable(#[source] reqwest::Error),
}

impl FetchError {
    /// Converts an error of the HTTP client, which may wrap one of ours.
    pub(super) fn of_client(error: reqwest::Error) -> Self {
        let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(current) = cause {
            if let Some(NotAllowed { host, address }) = current.downcast_ref() {
                return FetchError::Address { host: host.clone(), address: *address };
            }
            cause = current.source();
        }
        FetchError::Unreachable(error)
    }
}

impl From<FetchError> for ToolError {
    fn from(error: FetchError) -> Self {
        let message = error.to_string();
        match error {
            FetchError::Status(404 | 410) => ToolError::not_found(message),
            FetchError::Status(429 | 500..) | FetchError::Late(_) => ToolError::unavailable(message),
            FetchError::Unreachable(_) => {
                tracing::warn!(error = &error as &dyn Error, "a page could not be fetched");
                ToolError::unavailable(message)
            }
            _ => ToolError::failed(message),
        }
    }
}
