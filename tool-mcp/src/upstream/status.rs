//! The status of the servers.

use std::fmt;

/// The current status of one server.
///
/// ```
/// use tool_mcp::upstream::{State, Upstream, Upstreams};
///
/// let upstreams = Upstreams::new([Upstream::command("weather", "weather")])?;
/// let status = &upstreams.status()[0];
/// assert_eq!((status.server.as_str(), &status.state, status.tools), ("weather", &State::Idle, 0));
/// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The name of the server.
    pub server: String,
    /// Whether the server can be called.
    pub state: State,
    /// The number of tools that are served.
    pub tools: usize,
    /// A line for each tool that is skipped or served in part, and for a list that could not be refreshed.
    pub skipped: Vec<String>,
    /// The name and version that the server states.
    pub identity: Option<String>,
    /// The protocol version of the session.
    pub protocol: Option<String>,
}

/// Whether a server can be called.
///
/// ```
/// use tool_mcp::upstream::State;
///
/// let down = State::Down { reason: "its process ended with exit status 1".into(), attempts: 3 };
/// assert_eq!(down.to_string(), "down: its process ended with exit status 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Its tools have not been requested yet.
    Idle,
    /// The connection is being established.
    Starting,
    /// It is connected, and its tools were listed.
    Up,
    /// It is not available. Connecting is retried after increasing pauses.
    Down {
        /// The reason, which may be shown to callers.
        reason: String,
        /// The number of failed attempts since it was last up for a while.
        attempts: u32,
    },
    /// It was [shut down](crate::upstream::Upstreams::shutdown).
    Ended,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            State::Idle => f.write_str("idle"),
            State::Starting => f.write_str("starting"),
            State::Up => f.write_str("up"),
            State::Down { reason, .. } => write!(f, "down: {reason}"),
            State::Ended => f.write_str("ended"),
        }
    }
}
