//! Authentication of HTTP requests.

mod bearer;
mod identify;
mod metadata;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use http::request::Parts;
use serde_json::{Value, json};

pub use bearer::{Bearer, InvalidToken};
pub use identify::identify;
pub use metadata::ResourceMetadata;

use crate::model::access::Principal;
use crate::model::future::BoxFuture;

/// Authenticates HTTP requests: turns the head of a request into a [`Principal`] or an error.
///
/// `tool-http` and `tool-mcp` call it first for every request that they guard. [`Bearer`] implements it, and so do
/// functions and closures. Implement the trait if authentication needs I/O.
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
    /// Authenticates a request.
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>>;

    /// Returns the scheme of the `Authorization` header (RFC 9110, section 11.1), for discovery. The default is
    /// `Bearer`.
    fn scheme(&self) -> &str {
        "Bearer"
    }

    /// Returns the challenge for a caller that lacks one of the permissions that a call needs, if it can get them by
    /// authenticating again (RFC 6750, section 3.1: `insufficient_scope`). HTTP and MCP then answer with 403 and this
    /// `WWW-Authenticate`. The default is `None`: a denied call has the usual answer.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::authentication::{Authenticator, Bearer};
    ///
    /// // Nobody gets more permissions for a fixed token.
    /// assert!(Bearer::new().insufficient_scope(&["node.view", "node.publish"]).is_none());
    /// ```
    fn insufficient_scope(&self, permissions: &[&str]) -> Option<HeaderValue> {
        let _ = permissions;
        None
    }

    /// Returns the metadata for clients that look for a way to authenticate (RFC 9728), given all permissions that the
    /// tools and prompts need. Servers answer with it at its [path](ResourceMetadata::path). The default is `None`.
    ///
    /// ```
    /// use tool_core::authentication::{Authenticator, Bearer};
    ///
    /// assert!(Bearer::new().resource_metadata(&["node.view"]).is_none());
    /// ```
    fn resource_metadata(&self, permissions: &[&str]) -> Option<ResourceMetadata> {
        let _ = permissions;
        None
    }

    /// Returns the security scheme object of OpenAPI. The default is an HTTP scheme with the name that
    /// [`scheme`](Authenticator::scheme) returns.
    ///
    /// ```
    /// use tool_core::authentication::{Authenticator, Bearer};
    ///
    /// assert_eq!(Bearer::new().security_scheme(), serde_json::json!({"type": "http", "scheme": "bearer"}));
    /// ```
    fn security_scheme(&self) -> Value {
        // Scheme names are case-insensitive; registered ones are conventionally lower case here.
        json!({"type": "http", "scheme": self.scheme().to_ascii_lowercase()})
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

    fn insufficient_scope(&self, permissions: &[&str]) -> Option<HeaderValue> {
        (**self).insufficient_scope(permissions)
    }

    fn resource_metadata(&self, permissions: &[&str]) -> Option<ResourceMetadata> {
        (**self).resource_metadata(permissions)
    }

    fn security_scheme(&self) -> Value {
        (**self).security_scheme()
    }
}

impl fmt::Debug for dyn Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator").field("scheme", &self.scheme()).finish_non_exhaustive()
    }
}

/// Why a request could not be authenticated.
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
    /// Credentials are missing or invalid: 401 with this `WWW-Authenticate`.
    #[error("Unauthorized")]
    Refused {
        /// The challenge (RFC 9110, section 11.6.1).
        challenge: HeaderValue,
    },
    /// Authentication is unavailable: 503. The cause is for the log.
    #[error("authentication is unavailable at the moment")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl AuthenticationError {
    /// Creates the error for missing or invalid credentials.
    ///
    /// ```
    /// # use tool_core::authentication::AuthenticationError;
    /// let error = AuthenticationError::refused(http::HeaderValue::from_static(r#"Bearer realm="weather""#));
    /// assert!(matches!(error, AuthenticationError::Refused { .. }));
    /// ```
    pub fn refused(challenge: HeaderValue) -> Self {
        AuthenticationError::Refused { challenge }
    }

    /// Creates the error for unavailable authentication.
    ///
    /// ```
    /// # use tool_core::authentication::AuthenticationError;
    /// let error = AuthenticationError::unavailable("no route to the identity provider");
    /// assert_eq!(error.to_string(), "authentication is unavailable at the moment");
    /// ```
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        AuthenticationError::Unavailable(cause.into())
    }
}
