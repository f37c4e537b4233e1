//! Why there are no upstream servers, and why one of them has no tools.

use std::io;

/// Why the servers are set up wrongly.
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
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// What it says is wrong, or what was said by hand: all faults at once, a line each.
    #[error("the upstream servers are set up wrongly:\n{0}")]
    Setup(String),
}

impl UpstreamsError {
    pub(super) fn of(faults: &[String]) -> Self {
        UpstreamsError::Setup(faults.join("\n"))
    }
}

/// A server whose tools are not there. Its words are ours, and may be seen by a caller.
#[derive(Clone, Debug, thiserror::Error)]
#[error("it is {state}")]
pub(crate) struct Absent {
    pub(crate) server: String,
    pub(crate) state: super::State,
}
