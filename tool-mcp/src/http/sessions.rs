//! The sessions of clients up to 2025-11-25.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tool_core::Principal;

use crate::http::stream::{HISTORY_AGE, Identity, Stream};
use crate::protocol::{Outbox, Session};

/// How long a session may be idle: none of its requests is running, and nobody reads its stream.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// So many sessions are kept; of more, the one that has been idle the longest is closed.
const MOST_SESSIONS: usize = 4_096;

/// So many streams of a session that have ended are kept for a client that comes back.
const MOST_ENDED: usize = 32;

/// So many bytes of them are kept.
const MOST_BYTES: usize = 2 << 20;

/// The sessions of an endpoint, each with who opened it: nobody else gets in, wherever the identifier is from.
#[derive(Debug)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Debug)]
struct State {
    by_id: HashMap<Arc<str>, Entry>,
    swept: Instant,
}

#[derive(Debug)]
struct Entry {
    session: Arc<HttpSession>,
    /// The number of its requests and streams that are open.
    open: usize,
    /// When one of them began or ended last.
    used: Instant,
}

/// A session over HTTP.
#[derive(Debug)]
pub(super) struct HttpSession {
    pub(super) id: Arc<str>,
    /// `None` for a caller without an identifier.
    owner: Option<String>,
    pub(super) session: Arc<Session>,
    /// The stream of messages that belong to no request.
    pub(super) stream: Arc<Stream>,
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    next: u64,
    by_number: BTreeMap<u64, Arc<Stream>>,
}

/// A request of a session. The session is not idle until this is dropped.
#[derive(Debug)]
pub(super) struct Visit {
    sessions: Arc<Sessions>,
    pub(super) session: Arc<HttpSession>,
}

/// The error of a session that another caller has opened.
pub(super) struct NotTheirs;

impl HttpSession {
    /// Creates a session of this caller.
    ///
    /// # Errors
    ///
    /// When the system has no randomness to give.
    pub(super) fn new(owner: &Principal) -> Result<Self, getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let id = format!("{:032x}", u128::from_be_bytes(random));
        let stream = Arc::new(Stream::new(Identity::Session));
        let session = Arc::new(Session::new(Outbox::new(Arc::<Stream>::clone(&stream) as _)));
        let owner = owner.id().map(str::to_owned);
        Ok(HttpSession { id: id.into(), owner, session, stream, streams: Mutex::default() })
    }

    /// Creates a stream for a request, which nobody finds until it is kept.
    pub(super) fn new_stream(&self) -> Arc<Stream> {
        let mut streams = lock(&self.streams);
        let number = streams.next;
        streams.next += 1;
        Arc::new(Stream::new(Identity::Request(number)))
    }

    /// Keeps the stream of a request for a client that comes back.
    pub(super) fn keep_stream(&self, stream: &Arc<Stream>) {
        let mut streams = lock(&self.streams);
        streams.forget();
        let number = stream.request();
        number.map(|number| streams.by_number.insert(number, Arc::clone(stream)));
    }

    /// Returns the stream of a request that is kept still.
    pub(super) fn stream_of(&self, number: u64) -> Option<Arc<Stream>> {
        let mut streams = lock(&self.streams);
        streams.forget();
        streams.by_number.get(&number).cloned()
    }

    fn close(&self) {
        self.session.end.cancel();
        self.stream.close();
        lock(&self.streams).by_number.values().for_each(|stream| stream.close());
    }
}

impl Streams {
    /// Forgets streams that have ended: those that are too old, and the oldest of too many or too large ones.
    fn forget(&mut self) {
        self.by_number.retain(|_, stream| stream.ended().is_none_or(|ended| ended.elapsed() < HISTORY_AGE));
        let (mut kept, mut bytes) = (0, 0);
        let mut surplus = Vec::new();
        for (number, stream) in self.by_number.iter().rev().filter(|(_, stream)| stream.ended().is_some()) {
            (kept, bytes) = (kept + 1, bytes + stream.bytes());
            if kept > MOST_ENDED || bytes > MOST_BYTES {
                surplus.push(*number);
            }
        }
        surplus.iter().for_each(|number| drop(self.by_number.remove(number)));
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Sessions(Mutex::new(State { by_id: HashMap::new(), swept: Instant::now() }))
    }

    /// Begins a request of a session; `None` for one that is not there.
    ///
    /// # Errors
    ///
    /// When the session is not this caller's. What a caller is granted may change during a session, who it is may not.
    pub(super) fn visit(self: &Arc<Self>, id: &str, caller: &Principal) -> Result<Option<Visit>, NotTheirs> {
        let mut state = lock(&self.0);
        state.sweep();
        let Some(entry) = state.by_id.get_mut(id) else { return Ok(None) };
        if entry.session.owner.as_deref() != caller.id() {
            return Err(NotTheirs);
        }
        entry.open += 1;
        entry.used = Instant::now();
        Ok(Some(Visit { sessions: Arc::clone(self), session: Arc::clone(&entry.session) }))
    }

    pub(super) fn insert(&self, session: HttpSession) {
        let mut state = lock(&self.0);
        state.sweep();
        let entry = Entry { session: Arc::new(session), open: 0, used: Instant::now() };
        state.by_id.insert(Arc::clone(&entry.session.id), entry);
        if state.by_id.len() > MOST_SESSIONS {
            let idle = state.by_id.iter().filter(|(_, entry)| entry.open == 0);
            let oldest = idle.min_by_key(|(_, entry)| entry.used).map(|(id, _)| Arc::clone(id));
            oldest.iter().for_each(|id| state.close(id));
        }
    }

    pub(super) fn close(&self, id: &str) {
        lock(&self.0).close(id);
    }

    pub(super) fn close_all(&self) {
        lock(&self.0).by_id.drain().for_each(|(_, entry)| entry.session.close());
    }
}

impl State {
    /// Closes the sessions that have been idle for too long, now and then.
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

    fn close(&mut self, id: &str) {
        if let Some(entry) = self.by_id.remove(id) {
            entry.session.close();
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(entry) = lock(&self.sessions.0).by_id.get_mut(&self.session.id) {
            entry.open -= 1;
            entry.used = Instant::now();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it is locked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
