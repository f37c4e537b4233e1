//! Why a server did not start or did not go on.

use std::io;
use std::net::SocketAddr;

use tool_core::BuildErrors;

/// Why a server did not start, or ended before it was told to.
///
/// ```
/// use tool_core::Registry;
/// use tool_mcp::{ServeError, Server};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// let first = Server::new(registry.clone()).serve_http("127.0.0.1:0").await.unwrap();
/// let second = Server::new(registry).serve_http(first.local_addr()).await;
/// assert!(matches!(second, Err(ServeError::Listen(_))));
/// # });
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A tool of the registry is declared wrongly, which shows only when its schema is made: all such faults at once.
    #[error("the registry cannot be served:\n{0}")]
    Registry(#[from] BuildErrors),
    /// The application set the server up in a way that does not go together: all such faults at once, a line each.
    #[error("the server is set up wrongly:\n{0}")]
    Setup(String),
    /// Tools could be run by anybody who reaches this address.
    #[error(
        "tool execution would be open to the network on `{0}`\nhelp: listen on a loopback address such as 127.0.0.1, or set an authenticator"
    )]
    ExecutionExposed(SocketAddr),
    /// The address is taken, not ours, or no address.
    #[error("cannot listen: {0}")]
    Listen(#[source] io::Error),
    /// The listener failed.
    #[error("the HTTP server failed: {0}")]
    Http(#[source] io::Error),
    /// The client on stdio broke the protocol before a session was there, or could not be written to.
    #[error("the session on stdio failed: {0}")]
    Stdio(String),
}
