//! Errors of a server.

use std::io;
use std::net::SocketAddr;

use tool_core::BuildErrors;

/// The error of a server that could not start, or that failed while it served.
///
/// ```
/// use tool_mcp::{ServeError, Server};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let first = Server::new(registry.clone()).serve_http("127.0.0.1:0").await.unwrap();
/// let second = Server::new(registry).serve_http(first.local_addr()).await;
/// assert!(matches!(second, Err(ServeError::Listen(_))));
/// # });
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Tools of the registry have invalid declarations, which only their schemas reveal. Contains all errors.
    #[error("the registry cannot be served:\n{0}")]
    Registry(#[from] BuildErrors),
    /// The settings of the server are invalid. Contains all errors, one per line.
    #[error("the server is set up wrongly:\n{0}")]
    Setup(String),
    /// Anyone who can reach this address could call tools.
    #[error(
        "tool execution would be open to the network on `{0}`\nhelp: listen on a loopback address such as 127.0.0.1, or set an authenticator"
    )]
    ExecutionExposed(SocketAddr),
    /// The address is in use, is not one of this machine, or is invalid.
    #[error("cannot listen: {0}")]
    Listen(#[source] io::Error),
    /// The listener failed.
    #[error("the HTTP server failed: {0}")]
    Http(#[source] io::Error),
    /// The standard streams or signals cannot be used.
    #[error("the session on stdio failed: {0}")]
    Stdio(String),
}
