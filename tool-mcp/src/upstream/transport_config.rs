//! How a server is reached.

use std::path::PathBuf;

#[cfg(feature = "upstream-oauth")]
use crate::upstream::oauth::{Account, OAuth};

/// The transport of a server.
#[derive(Clone)]
pub(super) enum TransportConfig {
    Stdio(StdioConfig),
    Http(HttpConfig),
}

impl TransportConfig {
    pub(super) fn is_http(&self) -> bool {
        matches!(self, TransportConfig::Http(_))
    }
}

/// A program that is started.
#[derive(Clone)]
pub(super) struct StdioConfig {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<PathBuf>,
}

/// The URL of a server, and the headers of each request.
#[derive(Clone)]
pub(super) struct HttpConfig {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    #[cfg(feature = "upstream-oauth")]
    pub(super) oauth: Option<OAuth>,
    /// Where the tokens are; set when the upstreams are built.
    #[cfg(feature = "upstream-oauth")]
    pub(super) account: Option<Account>,
}
