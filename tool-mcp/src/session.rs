//! One client: as long as its session lasts, or for one request where every request stands alone.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::{CancellationToken, DropGuard};
use tool_core::LogLevel;

use crate::handler::Handler;
use crate::updates::Watched;

/// What a client of a session hears of what calls have to say, until it says what it wants to hear.
const UNTOLD: LogLevel = LogLevel::Info;

/// The least that the client of a session wants to hear of what calls have to say, beside each of its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked(pub(crate) LogLevel);

/// Answers one client, and knows what it has said before.
pub(crate) struct Session {
    handler: Arc<Handler>,
    /// The least that it wants to hear of what calls have to say.
    level: Mutex<LogLevel>,
    /// What it wants to know of; made when it first asks.
    pub(crate) watched: Arc<Watched>,
    /// Ends with the session.
    pub(crate) over: CancellationToken,
    _ended: DropGuard,
}

impl Session {
    pub(crate) fn new(handler: Arc<Handler>) -> Self {
        let over = CancellationToken::new();
        Session {
            handler,
            level: Mutex::new(UNTOLD),
            watched: Arc::default(),
            _ended: over.clone().drop_guard(),
            over,
        }
    }

    /// A request of this client, with what the client has said before.
    pub(crate) fn introduced(&self, mut cx: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        cx.extensions.insert(Asked(*self.level()));
        cx
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        *self.level() = level;
    }

    fn level(&self) -> MutexGuard<'_, LogLevel> {
        // Nothing panics while it is held.
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What does not depend on the client is the same for all.
impl Deref for Session {
    type Target = Handler;

    fn deref(&self) -> &Handler {
        &self.handler
    }
}
