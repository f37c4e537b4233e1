//! The servers of the comparison, and what a request may cost with ours.

use crate::mcp::client::Operation;
use crate::mcp::server::Transport;

/// A server of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Ours,
    RmcpStored,
    RmcpDefault,
    TurboMcp,
    TowerMcp,
    /// Bare handlers of axum.
    Bytes,
    Typed,
    Streamed,
    /// Bare loops over the lines of standard input.
    Loop,
    AsyncLoop,
}

impl Peer {
    /// The servers that one kind of request is sent to, ours first.
    pub(super) fn of(transport: Transport, operation: Operation) -> &'static [Peer] {
        use Peer::{
            AsyncLoop, Bytes, Loop, Ours, RmcpDefault, RmcpStored, Streamed, TowerMcp, TurboMcp, Typed,
        };
        match (transport, operation) {
            (_, Operation::Stream) => &[Ours, RmcpStored, Streamed],
            (Transport::Http, _) => &[Ours, RmcpStored, RmcpDefault, TurboMcp, TowerMcp, Bytes, Typed],
            (Transport::Stdio, _) => &[Ours, RmcpStored, RmcpDefault, TurboMcp, TowerMcp, Loop, AsyncLoop],
        }
    }

    /// The name in tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            Peer::Ours => "ours",
            Peer::RmcpStored => "rmcp, stored router",
            Peer::RmcpDefault => "rmcp, default",
            Peer::TurboMcp => "turbomcp",
            Peer::TowerMcp => "tower-mcp",
            Peer::Bytes => "bare, bytes",
            Peer::Typed => "bare, typed",
            Peer::Streamed => "bare, stream",
            Peer::Loop => "bare loop",
            Peer::AsyncLoop => "bare async loop",
        }
    }

    /// Whether it is a framework, with sessions and definitions of tools.
    pub(super) fn is_mcp(self) -> bool {
        use Peer::{Ours, RmcpDefault, RmcpStored, TowerMcp, TurboMcp};
        matches!(self, Ours | RmcpStored | RmcpDefault | TurboMcp | TowerMcp)
    }

    /// How many times what it takes here a request may cost with ours; no goal where the comparison is for information.
    pub(super) fn goal(self, transport: Transport, operation: Operation) -> Option<f64> {
        match (self, transport, operation) {
            (Peer::Typed, _, Operation::Call) | (Peer::Streamed, ..) => Some(1.25),
            (Peer::Bytes, _, Operation::List) => Some(1.1),
            (Peer::Loop, ..) => Some(1.3),
            (Peer::RmcpStored | Peer::RmcpDefault, Transport::Stdio, _) => Some(0.5),
            (Peer::RmcpStored | Peer::RmcpDefault | Peer::TurboMcp | Peer::TowerMcp, ..) => Some(1.0),
            (Peer::Ours | Peer::Bytes | Peer::Typed | Peer::AsyncLoop, ..) => None,
        }
    }
}
