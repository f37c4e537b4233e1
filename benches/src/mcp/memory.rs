//! Resident memory of servers: that of idle sessions, and that after very many calls.

use std::time::{Duration, Instant};

use crate::error::Error;
use crate::mcp::Programs;
use crate::mcp::client::{Era, Operation};
use crate::mcp::peer::Peer;
use crate::mcp::server::{Server, Transport};

/// How many tools the servers have.
const TOOLS: usize = 10;
const SESSIONS: usize = 1_000;
/// So many are opened before, so that what is made once is there.
const SESSIONS_BEFORE: usize = 100;
/// How many bytes an idle session may take beyond its connection.
pub(super) const SESSION_GOAL: f64 = 4.0 * 1024.0;
/// By how many bytes calls may grow a server: less than a byte for each of them.
pub(super) const GROWTH_GOAL: f64 = 256.0 * 1024.0;
/// So much of all calls comes before the first look at the memory.
const FIRST_PART: u32 = 10;
/// How long the calls may take.
const TIME: Duration = Duration::from_secs(60);
/// So many calls are made over each connection at a time.
const BATCH: u32 = 2_500;
/// The calls that are made very often: a stream is kept for a while for a client that comes back.
const CALLS: [(Transport, Era, Operation); 4] = [
    (Transport::Http, Era::Modern, Operation::Call),
    (Transport::Http, Era::Legacy, Operation::Call),
    (Transport::Http, Era::Legacy, Operation::Stream),
    (Transport::Stdio, Era::Modern, Operation::Call),
];

pub(super) struct Memory {
    pub(super) sessions: Vec<Sessions>,
    pub(super) calls: Vec<Calls>,
}

/// The bytes of an idle session.
pub(super) struct Sessions {
    pub(super) peer: Peer,
    /// Without a connection; none for a server without sessions.
    pub(super) alone: Option<f64>,
    /// With a connection that is open.
    pub(super) connected: f64,
}

/// The bytes of a server of ours after many calls, and after many more.
pub(super) struct Calls {
    pub(super) transport: Transport,
    pub(super) era: Era,
    pub(super) operation: Operation,
    pub(super) first: (u32, f64),
    pub(super) last: (u32, f64),
}

impl Memory {
    pub(super) fn measure(programs: &Programs, calls: u32) -> Result<Self, Error> {
        eprintln!("memory of sessions");
        let peers = [Peer::Ours, Peer::RmcpStored, Peer::TurboMcp, Peer::TowerMcp, Peer::Bytes];
        let sessions = peers.map(|peer| sessions(programs, peer)).into_iter().collect::<Result<_, _>>()?;
        eprintln!("memory after calls");
        let calls =
            CALLS.map(|call| self::calls(programs, call, calls)).into_iter().collect::<Result<_, _>>()?;
        Ok(Memory { sessions, calls })
    }

    /// The bytes that a connection without a session takes.
    pub(super) fn connection(&self) -> f64 {
        self.sessions.iter().find(|sessions| !sessions.peer.is_mcp()).map_or(0.0, |bare| bare.connected)
    }
}

fn sessions(programs: &Programs, peer: Peer) -> Result<Sessions, Error> {
    let start = || programs.start(peer, TOOLS, Transport::Http, Era::Legacy, Operation::Call);
    let alone = peer.is_mcp().then(|| {
        let server = start()?;
        let open = |sessions| server.open_sessions(sessions);
        grown(&server, open(SESSIONS_BEFORE)?, || open(SESSIONS))
    });
    let server = start()?;
    let open = |sessions| server.open_connections(sessions, peer.is_mcp());
    let connected = grown(&server, open(SESSIONS_BEFORE)?, || open(SESSIONS))?;
    Ok(Sessions { peer, alone: alone.transpose()?, connected })
}

/// By how many bytes a server grows with each of the sessions that are opened; those before stay open.
fn grown<T>(server: &Server, before: T, open: impl FnOnce() -> Result<T, Error>) -> Result<f64, Error> {
    let resident = server.resident()?;
    let opened = open()?;
    let grown = server.resident()? - resident;
    drop((before, opened));
    Ok(grown / SESSIONS as f64)
}

fn calls(
    programs: &Programs,
    (transport, era, operation): (Transport, Era, Operation),
    calls: u32,
) -> Result<Calls, Error> {
    let mut server = programs.start(Peer::Ours, TOOLS, transport, era, operation)?;
    server.check(operation, TOOLS)?;
    let begun = Instant::now();
    let mut made = 0;
    let mut make = |until, time| -> Result<(u32, f64), Error> {
        while made < until && begun.elapsed() < time {
            server.cost(operation, BATCH)?;
            made += BATCH * server.connections();
        }
        Ok((made, server.resident()?))
    };
    let first = make(calls / FIRST_PART, TIME / 2)?;
    let last = make(calls, TIME)?;
    Ok(Calls { transport, era, operation, first, last })
}
