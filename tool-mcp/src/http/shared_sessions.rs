//! The sessions that this replica may continue: its own, and with a session store those of all replicas.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use sha2::{Digest as _, Sha256};
use tokio::time::sleep;
use tool_core::Principal;

use crate::handlers::Handler;
use crate::http::rejection::Rejection;
use crate::http::sessions::{HttpSession, IDLE, SessionLease, Sessions};
use crate::protocol::{SessionChange, internal_error, too_many_sessions};
use crate::session_store::{SessionStore, StoredSession};

/// How often a session with an open request or stream is looked up in the store: it does not expire meanwhile, and its streams
/// end if it was deleted at another replica.
const REFRESH: Duration = Duration::from_secs(30);

/// The sessions of an endpoint.
pub(super) struct SharedSessions {
    local: Arc<Sessions>,
    store: Option<Arc<dyn SessionStore>>,
    handler: Arc<Handler>,
}

/// Returns the key of a session in the store. Nobody can use the session with it.
fn key(id: &str) -> String {
    Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl SharedSessions {
    pub(super) fn new(
        local: Arc<Sessions>,
        store: Option<Arc<dyn SessionStore>>,
        handler: Arc<Handler>,
    ) -> Self {
        SharedSessions { local, store, handler }
    }

    /// Returns `true` if replicas share their sessions.
    pub(super) fn are_shared(&self) -> bool {
        self.store.is_some()
    }

    /// Creates a session, which [`insert`](Self::insert) opens.
    pub(super) fn create(&self, owner: &Principal) -> Result<HttpSession, Rejection> {
        HttpSession::new(owner, self.are_shared()).map_err(no_randomness)
    }

    /// Opens a session here and in the store.
    pub(super) async fn insert(&self, session: HttpSession) -> Result<(), Rejection> {
        let id = Arc::clone(&session.id);
        if let (Some(store), Some(client)) = (&self.store, session.session.client()) {
            let stored = StoredSession::new(session.owner.clone(), client);
            store.insert(&key(&id), &stored, IDLE).await?;
        }
        let Some(inserted) = self.local.insert(session) else {
            if let Some(store) = &self.store {
                store.remove(&key(&id)).await?;
            }
            return Err(full());
        };
        self.refresh(&inserted.lease);
        if let (Some(store), Some(closed)) = (&self.store, inserted.closed) {
            // Otherwise the store would grow with each session that a client opens.
            let removed = store.remove(&key(&closed)).await;
            removed.unwrap_or_else(
                |error| tracing::warn!(%error, "a session that made room is stored until it expires"),
            );
        }
        Ok(())
    }

    /// Begins a request of a session; `None` for an unknown identifier, and for a session of another caller. The permissions of
    /// a caller may change during a session.
    ///
    /// # Errors
    ///
    /// When the store fails, or when there is no room for a session of another replica.
    pub(super) async fn lease(
        &self,
        id: &str,
        caller: &Principal,
    ) -> Result<Option<SessionLease>, Rejection> {
        let Some(store) = &self.store else { return Ok(self.local.lease(id, caller)) };
        let Some(stored) = store.find(&key(id), IDLE).await? else {
            self.local.close(id);
            return Ok(None);
        };
        if stored.owner() != caller.id() {
            return Ok(None);
        }
        let mut lease = match self.local.lease(id, caller) {
            Some(lease) => lease,
            None => {
                let session = HttpSession::restored(id, caller).map_err(no_randomness)?;
                // A session that makes room for this one may go on at another replica.
                let inserted = self.local.insert(session).ok_or_else(full)?;
                if inserted.is_new {
                    self.refresh(&inserted.lease);
                }
                inserted.lease
            }
        };
        restore(&self.handler, &stored, &lease.session);
        lease.stored = Some(stored);
        Ok(Some(lease))
    }

    /// Stores a change that a request has made.
    ///
    /// # Errors
    ///
    /// When the store fails: the change has no effect, and may be made again. When the client subscribes to too many resources.
    pub(super) async fn save(&self, lease: &SessionLease, change: &SessionChange) -> Result<(), Rejection> {
        let (Some(store), Some(mut stored)) = (&self.store, lease.stored.clone()) else { return Ok(()) };
        let key = key(&lease.session.id);
        // The status is that of other errors of requests of a session.
        let refused = |error| Rejection::of(StatusCode::OK, error);
        while let Some(changed) = stored.changed(change).map_err(refused)? {
            if store.replace(&key, &changed, IDLE).await? {
                restore(&self.handler, &changed, &lease.session);
                return Ok(());
            }
            // Another request has changed the session meanwhile, so that this does not go on for ever.
            let Some(found) = store.find(&key, IDLE).await? else { return Ok(()) };
            stored = found;
        }
        Ok(())
    }

    /// Notifies a client that has attached to the stream of a session here of what may have changed while it read at another
    /// replica or not at all: of the resources that it has subscribed to, and after it `has_moved` also of the lists.
    pub(super) fn notify_missed(&self, session: &HttpSession, has_moved: bool) {
        if self.are_shared() {
            self.handler.notify_missed(&session.session, session.session.subscribed.uris(), has_moved);
        }
    }

    /// Ends a session, at once here and in the store. Other replicas notice it with the next request, and end the streams that
    /// they have of it after [`REFRESH`].
    pub(super) async fn close(&self, id: &str) -> Result<(), Rejection> {
        if let Some(store) = &self.store {
            store.remove(&key(id)).await?;
        }
        self.local.close(id);
        Ok(())
    }

    /// Looks the session up in the store, again and again while it has open requests or streams.
    fn refresh(&self, lease: &SessionLease) {
        let Some(store) = self.store.clone() else { return };
        let (local, handler) = (Arc::downgrade(&self.local), Arc::clone(&self.handler));
        let (id, session) = (Arc::clone(&lease.session.id), Arc::clone(&lease.session));
        tokio::spawn(session.session.end.clone().run_until_cancelled_owned(async move {
            loop {
                sleep(REFRESH).await;
                let Some(local) = local.upgrade() else { return };
                if !local.is_open(&id) {
                    continue;
                }
                match store.find(&key(&id), IDLE).await {
                    Ok(Some(stored)) => restore(&handler, &stored, &session),
                    Ok(None) => local.close(&id),
                    Err(error) => tracing::warn!(%error, "a session with open streams cannot be looked up"),
                }
            }
        }));
    }
}

/// Updates a session to what the store has. A client that reads here is notified of the resources that it has subscribed to at
/// another replica: they may have changed meanwhile. One that does not is notified when it [begins to](SharedSessions::notify_missed).
fn restore(handler: &Handler, stored: &StoredSession, session: &HttpSession) {
    let subscribed = handler.restore(stored, &session.session);
    if session.stream.has_reader() {
        handler.notify_missed(&session.session, subscribed, false);
    }
}

fn full() -> Rejection {
    Rejection::of(StatusCode::SERVICE_UNAVAILABLE, too_many_sessions()).with_retry_after()
}

fn no_randomness(error: getrandom::Error) -> Rejection {
    tracing::error!(%error, "there is no randomness for the identifier of a session");
    Rejection::of(StatusCode::INTERNAL_SERVER_ERROR, internal_error())
}

#[cfg(test)]
mod tests;
