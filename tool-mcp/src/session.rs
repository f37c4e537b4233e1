//! One client: as long as its session lasts, or for one request where every request stands alone.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::{CancellationToken, DropGuard};
use tool_core::LogLevel;

use crate::era::Era;
use crate::handler::Handler;
use crate::logging;
use crate::updates::Watched;

/// What a client of a session hears of what calls have to say, until it says what it wants to hear.
const UNTOLD: LogLevel = LogLevel::Info;

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

    /// The least that the client of a request wants to hear of what its call has to say; `None` for nothing at all, which
    /// it is unless a request that stands alone asks for it.
    pub(crate) fn hears(&self, cx: &RequestContext<RoleServer>) -> Option<LogLevel> {
        if Era::of(cx).is_modern() { logging::asked_for(cx) } else { Some(*self.level()) }
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        *self.level() = level;
    }

    fn level(&self) -> std::sync::MutexGuard<'_, LogLevel> {
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
