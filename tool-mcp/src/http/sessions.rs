//! The sessions of clients up to 2025-11-25.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tool_core::Principal;

use crate::http::stream::{EventIds, HISTORY_AGE, Stream, event_id};
use crate::protocol::{Outbox, Session};
use crate::session_store::StoredSession;
use crate::sync::lock;

/// How long a session may be idle: without a running request or a reader of its stream.
pub(super) const IDLE: Duration = Duration::from_secs(5 * 60);

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// The most sessions.
pub(super) const MOST_SESSIONS: usize = 4_096;

/// The most ended streams of a session that are kept for a client that reconnects.
const MOST_ENDED: usize = 32;

/// The most bytes of ended streams that are kept.
const MOST_ENDED_BYTES: usize = 2 << 20;

/// The sessions of an endpoint. Only the caller that opened a session may use it.
pub(super) struct Sessions(Mutex<SessionTable>);

struct SessionTable {
    by_id: HashMap<Arc<str>, SessionEntry>,
    swept: Instant,
}

struct SessionEntry {
    session: Arc<HttpSession>,
    /// The number of open requests and streams.
    open: usize,
    /// When one of them last began or ended.
    used: Instant,
}

/// A session over HTTP.
pub(super) struct HttpSession {
    pub(super) id: Arc<str>,
    /// `None` for a caller without an identifier.
    pub(super) owner: Option<String>,
    pub(super) session: Arc<Session>,
    /// The stream of messages that belong to no request.
    pub(super) stream: Arc<Stream>,
    streams: Mutex<RequestStreams>,
}

struct RequestStreams {
    next: u64,
    by_number: BTreeMap<u64, Arc<Stream>>,
}

/// A session that was added.
pub(super) struct Inserted {
    pub(super) lease: SessionLease,
    /// Whether no other request has added it meanwhile.
    pub(super) is_new: bool,
    /// The identifier of the session that was closed to make room.
    pub(super) closed: Option<Arc<str>>,
}

/// A reader that a client has attached to a stream with the identifier of an event.
pub(super) struct Resumed {
    pub(super) stream: Arc<Stream>,
    pub(super) reader: u64,
    /// Whether another replica has sent the event.
    pub(super) has_moved: bool,
}

/// Keeps a session from being idle until it is dropped.
pub(super) struct SessionLease {
    sessions: Arc<Sessions>,
    pub(super) session: Arc<HttpSession>,
    /// The session as the request found it in the session store.
    pub(super) stored: Option<StoredSession>,
}

/// Returns the first number of the streams and requests to the client that a replica has in a shared session. Replicas begin at
/// different ones: an event or an answer that reaches another replica is not taken for one of its own.
///
/// # Errors
///
/// When the system provides no randomness.
fn first_number() -> Result<u64, getrandom::Error> {
    // Below 2^53, the largest number of JSON that every client reads exactly.
    Ok(u64::from(getrandom::u32()?) << 20)
}

/// Returns the first 16 hexadecimal digits of the SHA-256 of an identifier.
fn digest(id: &str) -> String {
    let digest = Sha256::digest(id);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl HttpSession {
    /// Creates a session with a random identifier.
    ///
    /// # Errors
    ///
    /// When the system provides no randomness.
    pub(super) fn new(owner: &Principal, is_shared: bool) -> Result<Self, getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let id = format!("{:032x}", u128::from_be_bytes(random));
        Ok(HttpSession::numbered(&id, owner, if is_shared { first_number()? } else { 0 }))
    }

    /// Creates what this replica needs of a session that another one has opened.
    ///
    /// # Errors
    ///
    /// When the system provides no randomness.
    pub(super) fn restored(id: &str, owner: &Principal) -> Result<Self, getrandom::Error> {
        Ok(HttpSession::numbered(id, owner, first_number()?))
    }

    /// Creates a session whose streams and requests to the client are numbered from `first`.
    fn numbered(id: &str, owner: &Principal, first: u64) -> Self {
        let stream = Arc::new(Stream::new(EventIds::Session(first)));
        let outbox = Outbox::new(Arc::<Stream>::clone(&stream) as _);
        let session = Arc::new(Session::new(outbox, Some(digest(id)), first.cast_signed()));
        let owner = owner.id().map(str::to_owned);
        let streams = Mutex::new(RequestStreams { next: first, by_number: BTreeMap::new() });
        HttpSession { id: id.into(), owner, session, stream, streams }
    }

    /// Creates a stream for a request, without keeping it.
    pub(super) fn new_stream(&self) -> Arc<Stream> {
        let mut streams = lock(&self.streams);
        let number = streams.next;
        streams.next += 1;
        Arc::new(Stream::new(EventIds::Request(number)))
    }

    /// Keeps the stream of a request for a client that reconnects.
    pub(super) fn keep_stream(&self, stream: &Arc<Stream>) {
        let mut streams = lock(&self.streams);
        streams.forget();
        let number = stream.request();
        number.map(|number| streams.by_number.insert(number, Arc::clone(stream)));
    }

    /// Attaches a reader to the stream of an event, after that event; `None` if the stream is not kept any more.
    pub(super) fn resume(&self, id: &str) -> Option<Resumed> {
        let (event, ids) = event_id(id)?;
        let stream = match ids {
            EventIds::Request(number) => {
                let mut streams = lock(&self.streams);
                streams.forget();
                Arc::clone(streams.by_number.get(&number)?)
            }
            _ => Arc::clone(&self.stream),
        };
        // The events of another replica are not here: its client gets those that this one has not sent yet.
        let has_moved = ids != stream.ids();
        let reader = stream.attach((!has_moved).then_some(event));
        Some(Resumed { stream, reader, has_moved })
    }

    fn close(&self) {
        self.session.end.cancel();
        self.stream.close();
        lock(&self.streams).by_number.values().for_each(|stream| stream.close());
    }
}

impl RequestStreams {
    /// Drops ended streams that are too old, and the oldest that exceed the limits.
    fn forget(&mut self) {
        let now = Instant::now();
        let is_kept = |ended| now.duration_since(ended) < HISTORY_AGE;
        self.by_number.retain(|_, stream| stream.ended().is_none_or(is_kept));
        let (mut kept, mut bytes) = (0, 0);
        let mut surplus = Vec::new();
        for (number, stream) in self.by_number.iter().rev().filter(|(_, stream)| stream.ended().is_some()) {
            (kept, bytes) = (kept + 1, bytes + stream.bytes());
            if kept > MOST_ENDED || bytes > MOST_ENDED_BYTES {
                surplus.push(*number);
            }
        }
        surplus.iter().for_each(|number| drop(self.by_number.remove(number)));
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Sessions(Mutex::new(SessionTable { by_id: HashMap::new(), swept: Instant::now() }))
    }

    /// Begins a request of a session; `None` for an unknown identifier.
    ///
    /// # Errors
    ///
    /// When the session belongs to another caller. The permissions of a caller may change during a session.
    pub(super) fn lease(self: &Arc<Self>, id: &str, caller: &Principal) -> Option<SessionLease> {
        let mut table = lock(&self.0);
        table.sweep();
        let session = table.begin(id, caller.id())?;
        Some(SessionLease { sessions: Arc::clone(self), session, stored: None })
    }

    /// Adds a session, unless another request has added it meanwhile, and begins a request of it.
    ///
    /// If there are too many, an idle one is closed: of the caller that has the most, the one that has been idle the longest.
    /// If there is none, this returns `None`.
    pub(super) fn insert(self: &Arc<Self>, session: HttpSession) -> Option<Inserted> {
        let mut table = lock(&self.0);
        table.sweep();
        let is_new = !table.by_id.contains_key(&session.id);
        let mut closed = None;
        if is_new && table.by_id.len() >= MOST_SESSIONS {
            let id = table.dispensable()?;
            table.close(&id);
            closed = Some(id);
        }
        let id = Arc::clone(&session.id);
        let owner = session.owner.clone();
        let new = || SessionEntry { session: Arc::new(session), open: 0, used: Instant::now() };
        table.by_id.entry(Arc::clone(&id)).or_insert_with(new);
        let session = table.begin(&id, owner.as_deref())?;
        let lease = SessionLease { sessions: Arc::clone(self), session, stored: None };
        Some(Inserted { lease, is_new, closed })
    }

    /// Returns `true` if a session has open requests or streams.
    pub(super) fn is_open(&self, id: &str) -> bool {
        lock(&self.0).by_id.get(id).is_some_and(|entry| entry.open > 0)
    }

    pub(super) fn close(&self, id: &str) {
        lock(&self.0).close(id);
    }

    pub(super) fn close_all(&self) {
        lock(&self.0).by_id.drain().for_each(|(_, entry)| entry.session.close());
    }
}

impl SessionTable {
    /// Closes idle sessions, at most once per `SWEEP`.
    fn sweep(&mut self) {
        if self.swept.elapsed() < SWEEP {
            return;
        }
        self.swept = Instant::now();
        self.by_id.retain(|_, entry| {
            let is_idle = entry.open == 0 && entry.used.elapsed() >= IDLE;
            if is_idle {
                entry.session.close();
            } else {
                lock(&entry.session.streams).forget();
            }
            !is_idle
        });
    }

    /// Returns the session to close for another one.
    fn dispensable(&self) -> Option<Arc<str>> {
        let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
        for entry in self.by_id.values() {
            *counts.entry(entry.session.owner.as_deref()).or_default() += 1;
        }
        let idle = self.by_id.values().filter(|entry| entry.open == 0);
        let entry =
            idle.max_by_key(|entry| (counts.get(&entry.session.owner.as_deref()), Reverse(entry.used)))?;
        Some(Arc::clone(&entry.session.id))
    }

    /// Begins a request of a session that this caller has opened.
    fn begin(&mut self, id: &str, owner: Option<&str>) -> Option<Arc<HttpSession>> {
        let entry = self.by_id.get_mut(id).filter(|entry| entry.session.owner.as_deref() == owner)?;
        entry.open += 1;
        entry.used = Instant::now();
        Some(Arc::clone(&entry.session))
    }

    fn close(&mut self, id: &str) {
        if let Some(entry) = self.by_id.remove(id) {
            entry.session.close();
        }
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        if let Some(entry) = lock(&self.sessions.0).by_id.get_mut(&self.session.id) {
            entry.open -= 1;
            entry.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests;
