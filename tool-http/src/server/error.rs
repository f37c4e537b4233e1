//! Errors that prevent a server from starting.

use std::io;
use std::net::SocketAddr;

use tool_core::BuildErrors;

/// An error that prevents a server from starting.
///
/// ```
/// let error = tool_http::ServeError::Host("a b".to_owned());
/// assert_eq!(error.to_string(), "`a b` is no host\nhelp: give its name or address alone, as in `tools.example.org`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The registry is invalid.
    #[error(transparent)]
    Registry(#[from] BuildErrors),
    /// Execution would be allowed on a public address.
    #[error(
        "tool execution would be open to the network on `{0}`\nhelp: listen on a loopback address such as 127.0.0.1, set an authenticator, or leave execution off"
    )]
    ExecutionExposed(SocketAddr),
    /// Discovery is protected, but there is no authenticator.
    #[error(
        "discovery is protected, and there is no authenticator\nhelp: set one with `Options::authenticator`, or leave discovery public"
    )]
    NoAuthenticator,
    /// The address is unavailable.
    #[error("cannot listen on the address: {0}")]
    Bind(#[source] io::Error),
    /// An allowed host is invalid.
    #[error("`{0}` is no host\nhelp: give its name or address alone, as in `tools.example.org`")]
    Host(String),
    /// An allowed origin is invalid.
    #[error("`{0}` is no origin\nhelp: give scheme, host and port, as in `https://tools.example.org`")]
    Origin(String),
}
