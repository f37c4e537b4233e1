//! Whose the sessions of older clients are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderName;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tool_core::Principal;

use crate::splice::Slot;

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// So many owners are kept before those are looked for whose session has ended.
const FEW: usize = 64;

/// Who opened each session: nobody else gets in, however it came by the identifier.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<Owners>,
}

struct Owners {
    by_session: HashMap<Arc<str>, Owner>,
    /// From so many on, those of sessions that have ended are let go.
    most: usize,
}

struct Owner {
    /// `None` for somebody who is not known.
    id: Option<String>,
    /// The tools of its lists.
    slot: Slot,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        let owners = Owners { by_session: HashMap::new(), most: FEW };
        Sessions { manager, owners: Mutex::new(owners) }
    }

    /// Whether a session is this caller's; one that is not there is not refused here. What a caller is granted may change
    /// while a session lasts, who it is may not.
    pub(super) fn admit(&self, session: &str, caller: &Principal) -> bool {
        self.owners().by_session.get(session).is_none_or(|owner| owner.id.as_deref() == caller.id())
    }

    /// Where the lists of a session find their tools; `None` for one that is not there.
    pub(super) fn slot(&self, session: &str) -> Option<Slot> {
        self.owners().by_session.get(session).map(|owner| owner.slot.clone())
    }

    /// Remembers whose a session is that was opened just now.
    pub(super) async fn opened(&self, session: &str, owner: &Principal) {
        let there = self.manager.sessions.read().await;
        let mut owners = self.owners();
        if owners.by_session.len() >= owners.most {
            owners.by_session.retain(|session, _| there.contains_key(session));
            owners.most = FEW.max(2 * owners.by_session.len());
        }
        let owner = Owner { id: owner.id().map(str::to_owned), slot: Slot::default() };
        owners.by_session.insert(session.into(), owner);
    }

    fn owners(&self) -> MutexGuard<'_, Owners> {
        // Nothing panics while it is held.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn owners_of_sessions_that_have_ended_are_let_go() {
        let sessions = Sessions::new(Arc::default());
        for n in 0..10 * FEW {
            sessions.opened(&n.to_string(), &Principal::new("ada")).await;
        }
        assert!(sessions.owners().by_session.len() <= FEW);
        let last = (10 * FEW - 1).to_string();
        assert!(sessions.admit(&last, &Principal::new("ada")));
        assert!(!sessions.admit(&last, &Principal::new("bob")));
        assert!(!sessions.admit(&last, &Principal::anonymous()));
    }
}
