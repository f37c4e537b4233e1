//! Whose the sessions of older clients are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderName;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::time::Instant;
use tool_core::Principal;

use crate::session::Acquaintance;
use crate::splice::Slot;

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// How long a session may be idle: nothing of it is answered, and nobody hears its stream.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// How often somebody looks for sessions that are.
const LOOKED_AFTER: Duration = Duration::from_secs(30);

/// So many sessions are kept before those are closed that have been idle the longest.
const MOST: usize = 4_096;

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
    /// When somebody looked last.
    looked: Instant,
    /// Those that are nobody's, and since when: whoever opened one was gone before it was told of it.
    nobodys: HashMap<Arc<str>, Instant>,
}

struct Owner {
    /// The name of the session.
    name: Arc<str>,
    /// `None` for somebody who is not known.
    id: Option<String>,
    /// The tools of its lists.
    slot: Slot,
    client: Acquaintance,
    /// The requests and streams of it that are not at their end.
    open: usize,
    /// When one of them began or ended last.
    used: Instant,
}

/// A request of a session, until its answer is handed over: meanwhile the session is not idle.
pub(super) struct Visit {
    sessions: Arc<Sessions>,
    session: Arc<str>,
    /// Where the lists of the session find their tools.
    pub(super) slot: Slot,
    /// Who its client is.
    pub(super) client: Acquaintance,
}

/// Of a session that is not of whoever asks for it.
pub(super) struct NotTheirs;

/// The sessions of an endpoint. To rmcp one is idle as long as a call of it lasts, and its answer would be lost: which ones
/// are is found out here.
pub(super) fn manager() -> Arc<LocalSessionManager> {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = None;
    Arc::new(manager)
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        let owners =
            Owners { by_session: HashMap::new(), most: FEW, looked: Instant::now(), nobodys: HashMap::new() };
        Sessions { manager, owners: Mutex::new(owners) }
    }

    /// Begins a request of a session; `None` for one that is not there.
    ///
    /// # Errors
    ///
    /// Where the session is not this caller's. What a caller is granted may change while a session lasts, who it is may not.
    pub(super) fn visit(
        self: &Arc<Self>,
        session: &str,
        caller: &Principal,
    ) -> Result<Option<Visit>, NotTheirs> {
        let mut owners = self.owners();
        let Some(owner) = owners.by_session.get_mut(session) else { return Ok(None) };
        if owner.id.as_deref() != caller.id() {
            return Err(NotTheirs);
        }
        owner.open += 1;
        owner.used = Instant::now();
        let Owner { name, slot, client, .. } = owner;
        let (session, slot, client) = (Arc::clone(name), slot.clone(), client.clone());
        Ok(Some(Visit { sessions: Arc::clone(self), session, slot, client }))
    }

    /// Remembers whose a session is that was opened just now.
    pub(super) async fn opened(&self, session: &str, owner: &Principal, client: Acquaintance) {
        self.close_idle().await;
        let surplus = {
            let there = self.manager.sessions.read().await;
            let mut owners = self.owners();
            if owners.by_session.len() >= owners.most {
                owners.by_session.retain(|session, _| there.contains_key(session));
                owners.most = FEW.max(2 * owners.by_session.len());
            }
            let id = owner.id().map(str::to_owned);
            let name: Arc<str> = session.into();
            let owner = Owner {
                name: Arc::clone(&name),
                id,
                slot: Slot::default(),
                client,
                open: 0,
                used: Instant::now(),
            };
            owners.by_session.insert(name, owner);
            // Those that have ended since are let go before one that has not.
            let surplus = (there.len() > MOST).then(|| {
                let idle = owners
                    .by_session
                    .iter()
                    .filter(|(session, owner)| owner.open == 0 && there.contains_key(*session));
                idle.min_by_key(|(_, owner)| owner.used).map(|(session, _)| Arc::clone(session))
            });
            surplus.flatten()
        };
        self.close(surplus.as_slice()).await;
    }

    /// Closes the sessions that have been idle for long.
    pub(super) async fn close_idle(&self) {
        if !self.is_time_to_look() {
            return;
        }
        let idle: Vec<Arc<str>> = {
            let there = self.manager.sessions.read().await;
            let mut owners = self.owners();
            let Owners { by_session, nobodys, .. } = &mut *owners;
            let unowned = there.keys().filter(|session| !by_session.contains_key(*session));
            *nobodys = unowned
                .map(|session| {
                    let since = nobodys.get(session).copied().unwrap_or_else(Instant::now);
                    (Arc::clone(session), since)
                })
                .collect();
            let since = by_session
                .iter()
                .filter(|(_, owner)| owner.open == 0)
                .map(|(session, owner)| (session, owner.used));
            let since = since.chain(nobodys.iter().map(|(session, since)| (session, *since)));
            since
                .filter(|(_, since)| since.elapsed() >= IDLE)
                .map(|(session, _)| Arc::clone(session))
                .collect()
        };
        self.close(&idle).await;
    }

    fn is_time_to_look(&self) -> bool {
        let mut owners = self.owners();
        let is_time = owners.looked.elapsed() >= LOOKED_AFTER;
        if is_time {
            owners.looked = Instant::now();
        }
        is_time
    }

    async fn close(&self, sessions: &[Arc<str>]) {
        if sessions.is_empty() {
            return;
        }
        let mut there = self.manager.sessions.write().await;
        for session in sessions {
            {
                let mut owners = self.owners();
                // A request of it may have come since.
                if owners.by_session.get(session).is_some_and(|owner| owner.open > 0) {
                    continue;
                }
                owners.by_session.remove(session);
            }
            if let Some(handle) = there.remove(session) {
                tracing::debug!("a session that is idle is closed");
                // One that hears nothing holds up nobody else.
                tokio::spawn(async move { handle.close().await });
            }
        }
    }

    fn owners(&self) -> MutexGuard<'_, Owners> {
        // Nothing panics while it is held.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Opened anew, the session may be with another client, which is not known yet.
    pub(super) fn forget_client(&self) -> Acquaintance {
        let client = Acquaintance::default();
        if let Some(owner) = self.sessions.owners().by_session.get_mut(&self.session) {
            owner.client = client.clone();
        }
        client
    }

    /// Whether the session has not ended.
    pub(super) async fn is_open(&self) -> bool {
        self.sessions.manager.sessions.read().await.contains_key(&self.session)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(owner) = self.sessions.owners().by_session.get_mut(&self.session) {
            owner.open -= 1;
            owner.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests;
