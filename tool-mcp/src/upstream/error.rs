//! Errors of the configuration, and of servers that are unavailable.

use std::io;

use crate::upstream::status::State;

/// The reason why the configuration of the servers is invalid.
///
/// ```
/// use tool_mcp::upstream::{Upstream, Upstreams};
///
/// let error = Upstreams::new([Upstream::url("web", "example.org")]).unwrap_err();
/// assert!(error.to_string().ends_with("server `web`: its URL does not begin with `http://` or `https://` and a host"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamsError {
    /// The configuration file cannot be read.
    #[error("the configuration file `{path}` cannot be read: {source}")]
    Read {
        /// The path of the file.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The file or a setting is invalid. Lists all problems, one per line.
    #[error("invalid configuration of upstream servers:\n{0}")]
    Setup(String),
}

impl UpstreamsError {
    pub(super) fn from_faults(faults: &[String]) -> Self {
        UpstreamsError::Setup(faults.join("\n"))
    }
}

/// The reason why a server has no tools. May be shown to callers.
#[derive(Clone, Debug, thiserror::Error)]
#[error("it is {state}")]
pub(crate) struct UpstreamUnavailable {
    pub(crate) server: String,
    pub(crate) state: State,
}
