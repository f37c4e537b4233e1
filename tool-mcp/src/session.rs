//! One client: as long as its session lasts, or for one request where every request stands alone.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::InitializeRequestParams;
use rmcp::service::RequestContext;
use tokio_util::sync::{CancellationToken, DropGuard};
use tool_core::logging::LogLevel;

use crate::asking::Capabilities;
use crate::changes::HeardChanges;
use crate::era::Era;
use crate::handler::Handler;
use crate::updates::{HeardUpdates, Watched};

/// What a client of a session hears of what calls have to say, until it says what it wants to hear.
const UNTOLD: LogLevel = LogLevel::Info;

/// The least that the client of a session wants to hear of what calls have to say, beside each of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked(pub(crate) LogLevel);

/// The client of a session, as far as an answer depends on it.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) era: Era,
    pub(crate) capabilities: Capabilities,
    level: Arc<Mutex<LogLevel>>,
}

impl Client {
    /// The least that it wants to hear of what calls have to say.
    pub(crate) fn hears(&self) -> LogLevel {
        *level(&self.level)
    }

    /// The client has said how much it wants to hear, and makes its next call without waiting for the answer.
    pub(crate) fn will_hear(&self, least: LogLevel) {
        *level(&self.level) = least;
    }
}

/// Who the client of a session is. It is known from the opening on, until the session is opened anew.
#[derive(Clone, Default)]
pub(crate) struct Acquaintance(Arc<OnceLock<Client>>);

impl Acquaintance {
    pub(crate) fn client(&self) -> Option<&Client> {
        self.0.get()
    }

    /// As if a client of this version had opened the session.
    #[cfg(test)]
    pub(crate) fn meet(&self, version: &str) {
        let version = serde_json::from_value(version.into()).unwrap();
        let level = Arc::new(Mutex::new(UNTOLD));
        let client = Client { era: Era::spoken(version), capabilities: Capabilities::default(), level };
        assert!(self.0.set(client).is_ok(), "it is known already");
    }
}

/// What has changed since a client was told that it listens.
#[derive(Debug)]
pub(crate) struct Ear {
    pub(crate) lists: Option<HeardChanges>,
    pub(crate) contents: Option<HeardUpdates>,
}

/// So many clients of one session may be about to listen at once.
const MOST_EARS: usize = 16;

/// Answers one client, and knows what it has said before.
pub(crate) struct Session {
    handler: Arc<Handler>,
    /// The least that it wants to hear of what calls have to say.
    level: Arc<Mutex<LogLevel>>,
    /// What it wants to know of; made when it first asks.
    pub(crate) watched: Arc<Watched>,
    /// What is heard for clients that are told just now that they may listen.
    ears: Mutex<VecDeque<Ear>>,
    /// Whether it has said that it is there.
    pub(crate) begun: AtomicBool,
    /// Ends with the session.
    pub(crate) over: CancellationToken,
    _ended: DropGuard,
}

impl Session {
    pub(crate) fn new(handler: Arc<Handler>) -> Self {
        let over = CancellationToken::new();
        Session {
            handler,
            level: Arc::new(Mutex::new(UNTOLD)),
            watched: Arc::default(),
            ears: Mutex::default(),
            begun: AtomicBool::new(false),
            _ended: over.clone().drop_guard(),
            over,
        }
    }

    /// A request of this client, with what the client has said before.
    pub(crate) fn introduced(&self, mut cx: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        cx.extensions.insert(Asked(*level(&self.level)));
        cx
    }

    /// Makes the client known that opens the session with this, as the version says that was agreed on.
    pub(crate) fn opened(&self, opening: &InitializeRequestParams, cx: &RequestContext<RoleServer>) {
        let over_http = || cx.extensions.get::<Parts>()?.extensions.get();
        if let Some(Acquaintance(known)) = cx.extensions.get().or_else(over_http) {
            known.get_or_init(|| Client {
                era: Era::spoken(opening.protocol_version.clone()),
                capabilities: Capabilities::declared(&opening.capabilities),
                level: Arc::clone(&self.level),
            });
        }
    }

    pub(crate) fn set_level(&self, least: LogLevel) {
        *level(&self.level) = least;
    }

    /// Begins to hear of changes for a client that is about to be told that it listens: from then on it misses none.
    pub(crate) fn prick_up(&self, ear: Ear) {
        let mut ears = self.ears();
        if ears.len() >= MOST_EARS {
            // Of a client that was not there any more when it was to be told.
            ears.pop_front();
        }
        ears.push_back(ear);
    }

    /// What was heard for the client that has waited longest.
    pub(crate) fn ear(&self) -> Option<Ear> {
        self.ears().pop_front()
    }

    fn ears(&self) -> MutexGuard<'_, VecDeque<Ear>> {
        // Nothing panics while it is held.
        self.ears.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn level(level: &Mutex<LogLevel>) -> MutexGuard<'_, LogLevel> {
    // Nothing panics while it is held.
    level.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What does not depend on the client is the same for all.
impl Deref for Session {
    type Target = Handler;

    fn deref(&self) -> &Handler {
        &self.handler
    }
}
