//! The connection to one server: its phase, session and last listing. The [supervisor](crate::upstream::supervisor)
//! maintains it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tool_core::Registry;
use tool_core::provider::Toolset;

use crate::changes::Changes;
use crate::upstream::backoff::Backoff;
use crate::upstream::error::UpstreamUnavailable;
use crate::upstream::listing::Listing;
use crate::upstream::session::ClientSession;
use crate::upstream::settings::Upstream;
use crate::upstream::status::{State, Status};

/// Settings that apply to all servers.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPolicy {
    pub(super) backoff: Backoff,
    /// How long a listing waits for a server that is starting.
    pub(super) patience: Duration,
    /// The maximum age of a listing; a server can set a shorter one.
    pub(super) fresh_for: Duration,
    pub(super) changes: Option<Changes>,
    /// A registry without tools, whose limits and switches apply to the tools of the servers.
    pub(super) registry: Registry,
}

/// The connection to one server.
pub(super) struct UpstreamConnection {
    pub(super) upstream: Upstream,
    pub(super) policy: ConnectionPolicy,
    state: watch::Sender<ConnectionState>,
    /// Notified when the listing may be outdated.
    pub(super) refresh_requested: Notify,
    /// Whether a supervisor is running.
    pub(super) started: AtomicBool,
    pub(super) shutdown: CancellationToken,
}

/// The state of a connection.
#[derive(Clone, Default)]
pub(super) struct ConnectionState {
    pub(super) phase: Phase,
    /// The last listing, which is served while the server is up.
    pub(super) listing: Option<Arc<Listing>>,
    /// A listing waits until then, because the server should be up soon.
    pub(super) wait_until: Option<Instant>,
    /// The error of the last refresh, if it failed.
    pub(super) refresh_error: Option<String>,
}

#[derive(Clone, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    Starting,
    Up(Arc<ClientSession>),
    Down {
        reason: String,
        attempts: u32,
    },
    Ended,
}

impl UpstreamConnection {
    pub(super) fn new(upstream: Upstream, policy: ConnectionPolicy) -> Self {
        UpstreamConnection {
            upstream,
            policy,
            state: watch::Sender::default(),
            refresh_requested: Notify::new(),
            started: AtomicBool::new(false),
            shutdown: CancellationToken::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.upstream.name()
    }

    /// Returns the session, if the server is up.
    pub(super) fn session(&self) -> Result<Arc<ClientSession>, UpstreamUnavailable> {
        let state = self.state.borrow();
        match &state.phase {
            Phase::Up(session) if !session.inbox.closed.is_cancelled() => Ok(Arc::clone(session)),
            // The supervisor has not seen the end of the session yet.
            Phase::Up(session) => Err(self
                .unavailable(State::Down { reason: session.inbox.close_reason().to_owned(), attempts: 0 })),
            phase => Err(self.unavailable(phase.state())),
        }
    }

    /// Requests a refresh of the listing.
    pub(super) fn request_refresh(&self) {
        self.refresh_requested.notify_one();
    }

    /// Returns the tools of the server. Waits for a limited time if it is starting, and not at all if it is down.
    pub(super) async fn tools(&self) -> Result<Toolset, UpstreamUnavailable> {
        let mut states = self.state.subscribe();
        loop {
            let until = {
                let state = states.borrow_and_update();
                match (&state.phase, &state.listing, state.wait_until) {
                    (Phase::Up(_), Some(listing), _) => {
                        if listing.is_stale(self.policy.fresh_for) {
                            self.request_refresh();
                        }
                        return Ok(listing.toolset.clone());
                    }
                    (phase, _, wait_until) => match wait_until.filter(|until| *until > Instant::now()) {
                        Some(until) => until,
                        None => return Err(self.unavailable(phase.state())),
                    },
                }
            };
            // After a change and after a timeout alike, the state is checked again.
            let _ = tokio::time::timeout_at(until, states.changed()).await;
        }
    }

    pub(super) fn status(&self) -> Status {
        self.status_of(&self.state.borrow())
    }

    /// Waits until the status fulfills a condition, and returns it.
    pub(super) async fn wait_for(&self, mut condition: impl FnMut(&Status) -> bool) -> Status {
        let mut states = self.state.subscribe();
        loop {
            let status = self.status_of(&states.borrow_and_update());
            // `changed` does not fail: `self` holds the sender.
            if condition(&status) || states.changed().await.is_err() {
                return status;
            }
        }
    }

    fn status_of(&self, connection: &ConnectionState) -> Status {
        let state = connection.phase.state();
        let listing = connection.listing.as_ref().filter(|_| state == State::Up);
        let skipped = listing.map(|listing| listing.skipped()).unwrap_or_default();
        let session = match &connection.phase {
            Phase::Up(session) => Some(session),
            _ => None,
        };
        Status {
            server: self.name().to_owned(),
            tools: listing.map_or(0, |listing| listing.toolset.registry().tools().count()),
            skipped: skipped.into_iter().chain(connection.refresh_error.clone()).collect(),
            identity: session.and_then(|session| session.identity.clone()),
            protocol: session.and_then(|session| session.protocol.clone()),
            state,
        }
    }

    /// Waits until the supervisor has finished, if one was started.
    pub(super) async fn ended(&self) {
        if self.started.load(Ordering::Acquire) {
            // Does not fail: `self` holds the sender.
            let _ = self.state.subscribe().wait_for(|state| matches!(state.phase, Phase::Ended)).await;
        }
    }

    /// Returns the last listing, even if the server is down.
    pub(super) fn listing(&self) -> Option<Arc<Listing>> {
        self.state.borrow().listing.clone()
    }

    /// Returns `true` if the server is down for this reason.
    pub(super) fn is_down_for(&self, reason: &str) -> bool {
        matches!(&self.state.borrow().phase, Phase::Down { reason: last, .. } if last == reason)
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut ConnectionState)) {
        self.state.send_modify(change);
    }

    /// Notifies clients that the tools have changed.
    pub(super) fn notify_changes(&self) {
        if let Some(changes) = &self.policy.changes {
            changes.notify();
        }
    }

    fn unavailable(&self, state: State) -> UpstreamUnavailable {
        UpstreamUnavailable { server: self.name().to_owned(), state }
    }
}

impl Phase {
    fn state(&self) -> State {
        match self {
            Phase::Idle => State::Idle,
            Phase::Starting => State::Starting,
            Phase::Up(_) => State::Up,
            Phase::Down { reason, attempts } => State::Down { reason: reason.clone(), attempts: *attempts },
            Phase::Ended => State::Ended,
        }
    }
}
