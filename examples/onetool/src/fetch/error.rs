//! Why a page was not fetched.

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use tool_core::ToolError;

use crate::fetch::resolver::NotAllowed;

/// Why a page was not fetched.
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
    /// It is no URL.
    #[error("this is no URL: {0}")]
    Url(String),
    /// It is not of HTTP.
    #[error("`{0}:` cannot be fetched, only `http:`")]
    Scheme(String),
    /// It holds a name or a password.
    #[error("a URL with a name or a password in it is not fetched")]
    Credentials,
    /// Nobody has allowed to fetch from there.
    #[error("fetching from `{origin}` is not allowed, only from: {allowed}")]
    Origin {
        /// Where the page would be.
        origin: String,
        /// Where pages may be fetched from.
        allowed: String,
    },
    /// The host is allowed, and the address that it has is not.
    #[error("`{host}` has the address {address}, which must not be connected to")]
    Address {
        /// The host.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
    /// One redirect followed another.
    #[error("the page redirects more than {0} times")]
    Redirects(usize),
    /// The answer is not 200.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// It is something else than text.
    #[error("the page is {0}, which cannot be read as text")]
    NoText(String),
    /// It is too long.
    #[error("the page has more than {0} bytes")]
    TooLong(usize),
    /// It takes too long.
    #[error("the page did not arrive within {0:?}")]
    Late(Duration),
    /// The server cannot be reached, or breaks off.
    #[error("the server cannot be reached at the moment")]
    Unreachable(#[source] reqwest::Error),
}

impl FetchError {
    /// What the client has to say, in which the refusal of an address is hidden.
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
