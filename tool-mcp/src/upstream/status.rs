//! How the servers are.

use std::fmt;

/// How one server is, at this moment.
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
    /// Its name.
    pub server: String,
    /// Whether it can be called.
    pub state: State,
    /// How many tools it has that are served.
    pub tools: usize,
    /// What it has and cannot be served, and what is served in part: a line each.
    pub left_out: Vec<String>,
    /// What it says it is: a name and a version.
    pub identity: Option<String>,
    /// The version of the protocol that is spoken with it.
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
    /// Nobody has asked for its tools yet.
    Idle,
    /// It is being connected to.
    Starting,
    /// It is there, and its tools are known.
    Up,
    /// It is not there. It is tried again, after pauses that get longer.
    Down {
        /// Why, in words that a caller may see.
        reason: String,
        /// How often it was tried since it was last there for a while.
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
