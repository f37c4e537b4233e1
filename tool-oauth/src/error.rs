//! Mistakes in the configuration.

/// A mistake in the configuration of a [`ResourceServer`](crate::ResourceServer).
///
/// ```
/// use tool_oauth::ResourceServer;
///
/// let error = ResourceServer::new("http://tools.example.org/mcp").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the resource `http://tools.example.org/mcp` must use https: http is for loopback addresses only"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// An address is not an absolute URL.
    #[error("the {role} `{url}` is not a URL such as `https://id.example.org`: {reason}")]
    NotAUrl {
        /// What the address is for: the resource, the issuer or the introspection endpoint.
        role: &'static str,
        /// The address.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// An address uses `http`, and is not a loopback address.
    #[error("the {role} `{url}` must use https: http is for loopback addresses only")]
    Insecure {
        /// What the address is for.
        role: &'static str,
        /// The address.
        url: String,
    },
    /// An address has a part that it must not have. The address is not repeated, since the part may be a secret.
    #[error("the {role} must not have a {part}")]
    Part {
        /// What the address is for.
        role: &'static str,
        /// The part: a query, a fragment or a user name.
        part: &'static str,
    },
    /// The HTTP client cannot be created.
    #[error("the HTTP client cannot be created: {0}")]
    Client(String),
}
