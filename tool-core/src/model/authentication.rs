//! Who sends a request over HTTP.

mod bearer;
mod identify;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use http::request::Parts;

pub use bearer::{Bearer, InvalidToken};
pub use identify::identify;

use crate::model::access::Principal;
use crate::model::future::BoxFuture;

/// Finds out who sends a request over HTTP: from its head, a [`Principal`] or a refusal.
///
/// `tool-http` and `tool-mcp` ask one for every request that it guards, before anything is told. [`Bearer`] is one, and so
/// is a function or a closure; whatever has to ask somebody else implements it.
///
/// ```
/// use http::request::Parts;
/// use tool_core::{BoxFuture, Principal};
/// use tool_core::authentication::{AuthenticationError, Authenticator};
///
/// /// Trusts the proxy in front of it, which is the only one who can reach it.
/// struct Proxy;
///
/// impl Authenticator for Proxy {
///     fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
///         Box::pin(async {
///             let user = head.headers.get("x-user").and_then(|user| user.to_str().ok());
///             let refused = || AuthenticationError::refused(http::HeaderValue::from_static("Proxy"));
///             user.map(Principal::new).ok_or_else(refused)
///         })
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let (head, ()) = http::Request::get("/tools").header("x-user", "ada").body(()).unwrap().into_parts();
/// assert_eq!(Proxy.authenticate(&head).await.unwrap().id(), Some("ada"));
/// # });
/// ```
pub trait Authenticator: Send + Sync {
    /// Finds out who it is.
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>>;

    /// The scheme of the header `Authorization` (RFC 9110, section 11.1) that a caller identifies itself by, as it is told
    /// to those who look for it: `Bearer`, unless it is said.
    fn scheme(&self) -> &str {
        "Bearer"
    }
}

impl<F> Authenticator for F
where
    F: Fn(&Parts) -> Result<Principal, AuthenticationError> + Send + Sync,
{
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        Box::pin(std::future::ready(self(head)))
    }
}

impl<A: Authenticator + ?Sized> Authenticator for Arc<A> {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        (**self).authenticate(head)
    }

    fn scheme(&self) -> &str {
        (**self).scheme()
    }
}

impl fmt::Debug for dyn Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator").field("scheme", &self.scheme()).finish_non_exhaustive()
    }
}

/// Why nobody is known to have sent a request.
///
/// ```
/// use tool_core::authentication::AuthenticationError;
///
/// let refused = AuthenticationError::refused(http::HeaderValue::from_static("Bearer"));
/// assert_eq!(refused.to_string(), "Unauthorized");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticationError {
    /// The request does not say who sends it, or what it says does not hold: 401 with this `WWW-Authenticate`.
    #[error("Unauthorized")]
    Refused {
        /// How to identify oneself (RFC 9110, section 11.6.1).
        challenge: HeaderValue,
    },
    /// Whoever would know cannot be asked: 503. The cause is for the log.
    #[error("who calls cannot be found out at the moment")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl AuthenticationError {
    /// The request does not say who sends it, or what it says does not hold.
    ///
    /// ```
    /// # use tool_core::authentication::AuthenticationError;
    /// let error = AuthenticationError::refused(http::HeaderValue::from_static(r#"Bearer realm="weather""#));
    /// assert!(matches!(error, AuthenticationError::Refused { .. }));
    /// ```
    pub fn refused(challenge: HeaderValue) -> Self {
        AuthenticationError::Refused { challenge }
    }

    /// Whoever would know cannot be asked.
    ///
    /// ```
    /// # use tool_core::authentication::AuthenticationError;
    /// let error = AuthenticationError::unavailable("no route to the identity provider");
    /// assert_eq!(error.to_string(), "who calls cannot be found out at the moment");
    /// ```
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        AuthenticationError::Unavailable(cause.into())
    }
}
