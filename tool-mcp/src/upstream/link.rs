//! What is known of one server, kept up to date by a task of its own: connected to, listed, followed, tried again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tool_core::Registry;
use tool_core::provider::Toolset;

use crate::changes::Changes;
use crate::clock;
use crate::upstream::backoff::Backoff;
use crate::upstream::error::Absent;
use crate::upstream::listing::Listing;
use crate::upstream::session::{Refusal, Session};
use crate::upstream::settings::Upstream;
use crate::upstream::status::{State, Status};
use crate::upstream::tool::RUNS_ON;

/// How all servers are dealt with.
#[derive(Clone, Debug)]
pub(super) struct Manners {
    pub(super) backoff: Backoff,
    /// How long a listing waits for a server that is being connected to.
    pub(super) patience: Duration,
    /// After how long a list is asked for anew, where the server does not say.
    pub(super) fresh_for: Duration,
    pub(super) changes: Option<Changes>,
    pub(super) home: Registry,
}

/// One server.
pub(super) struct Link {
    pub(super) upstream: Upstream,
    manners: Manners,
    known: watch::Sender<Known>,
    /// Somebody has reason to believe that the list is not what it was.
    doubt: Notify,
    started: AtomicBool,
    pub(super) end: CancellationToken,
}

/// What is known at one moment.
#[derive(Clone, Default)]
struct Known {
    phase: Phase,
    /// The last list, which is served while the server is there.
    listing: Option<Arc<Listing>>,
    /// A listing waits for the server until then: it is expected to be there soon.
    expected: Option<Instant>,
    /// What came of the last refresh, if it failed.
    remark: Option<String>,
}

#[derive(Clone, Default)]
enum Phase {
    #[default]
    Idle,
    Starting,
    Up(Arc<Session>),
    Down {
        reason: String,
        attempts: u32,
    },
    Ended,
}

/// A server that was there for so long is tried again at once when it is gone.
const STABLE: Duration = Duration::from_secs(30);

/// After a longer pause than this nobody waits for a server that was lost.
const SHORT: Duration = Duration::from_secs(1);

/// Changes that come within this time are one.
const GATHERED: Duration = Duration::from_millis(50);

/// And these at most, where it takes long to look at them.
const MOST_GATHERED: Duration = Duration::from_secs(10);

impl Link {
    pub(super) fn new(upstream: Upstream, manners: Manners) -> Self {
        Link {
            upstream,
            manners,
            known: watch::Sender::default(),
            doubt: Notify::new(),
            started: AtomicBool::new(false),
            end: CancellationToken::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.upstream.name()
    }

    /// The connection, if there is one.
    pub(super) fn session(&self) -> Result<Arc<Session>, Absent> {
        let known = self.known.borrow();
        match &known.phase {
            Phase::Up(session) if !session.inbox.closed.is_cancelled() => Ok(Arc::clone(session)),
            // What it is in a moment.
            Phase::Up(session) => {
                Err(self.absent(State::Down { reason: session.inbox.why().to_owned(), attempts: 0 }))
            }
            phase => Err(self.absent(phase.state())),
        }
    }

    /// Has the list looked at again, soon.
    pub(super) fn look_again(&self) {
        self.doubt.notify_one();
    }

    /// The tools that there are now. Waits no longer than is bearable, and not at all for a server that is known to be gone.
    pub(super) async fn tools(self: &Arc<Self>) -> Result<Toolset, Absent> {
        self.start();
        let mut known = self.known.subscribe();
        loop {
            let until = {
                let known = known.borrow_and_update();
                match (&known.phase, &known.listing, known.expected) {
                    (Phase::Up(_), Some(listing), _) => {
                        if listing.is_stale(self.manners.fresh_for) {
                            self.look_again();
                        }
                        return Ok(listing.toolset.clone());
                    }
                    (phase, _, expected) => match expected.filter(|until| *until > Instant::now()) {
                        Some(until) => until,
                        None => return Err(self.absent(phase.state())),
                    },
                }
            };
            // Whichever comes first: it is looked at again.
            let _ = tokio::time::timeout_at(until, known.changed()).await;
        }
    }

    pub(super) fn status(&self) -> Status {
        self.described(&self.known.borrow())
    }

    /// Waits until it is as somebody wants it to be.
    pub(super) async fn wait_for(&self, mut condition: impl FnMut(&Status) -> bool) -> Status {
        let mut known = self.known.subscribe();
        loop {
            let status = self.described(&known.borrow_and_update());
            // The sender is here: there is always another change to wait for.
            if condition(&status) || known.changed().await.is_err() {
                return status;
            }
        }
    }

    fn described(&self, known: &Known) -> Status {
        let state = known.phase.state();
        let listing = known.listing.as_ref().filter(|_| state == State::Up);
        let left_out = listing.map(|listing| listing.remarks()).unwrap_or_default();
        let session = match &known.phase {
            Phase::Up(session) => Some(session),
            _ => None,
        };
        Status {
            server: self.name().to_owned(),
            tools: listing.map_or(0, |listing| listing.toolset.registry().tools().count()),
            left_out: left_out.into_iter().chain(known.remark.clone()).collect(),
            identity: session.and_then(|session| session.identity.clone()),
            protocol: session.and_then(|session| session.protocol.clone()),
            state,
        }
    }

    /// Begins to connect, unless that was begun already.
    pub(super) fn start(self: &Arc<Self>) {
        if self.end.is_cancelled() || self.started.swap(true, Ordering::AcqRel) {
            return;
        }
        self.know(|known| {
            known.phase = Phase::Starting;
            known.expected = Some(clock::after(self.manners.patience));
        });
        let begun = Begun(Arc::clone(self));
        tokio::spawn(async move { begun.0.run().await });
    }

    /// Waits until the server is gone that was told to end.
    pub(super) async fn ended(&self) {
        if self.started.load(Ordering::Acquire) {
            // The sender is here: there is no other reason for an end than the one waited for.
            let _ = self.known.subscribe().wait_for(|known| matches!(known.phase, Phase::Ended)).await;
        }
    }

    async fn run(self: &Arc<Self>) {
        let mut attempts = 0;
        while let Some(lost) = self.attempt().await {
            attempts = if lost.after >= STABLE { 1 } else { attempts + 1 };
            let pause = self.manners.backoff.pause(attempts);
            // Once in the log, and not with every attempt.
            let still =
                matches!(&self.known.borrow().phase, Phase::Down { reason, .. } if *reason == lost.reason);
            if still {
                tracing::debug!(
                    server = self.name(),
                    reason = lost.reason,
                    attempts,
                    "an upstream server is still down"
                );
            } else {
                tracing::warn!(server = self.name(), reason = lost.reason, "an upstream server is down");
            }
            self.know(|known| {
                known.phase = Phase::Down { reason: lost.reason.clone(), attempts };
                let soon = lost.session.is_some() && pause <= SHORT;
                known.expected = soon.then(|| clock::after(self.manners.patience));
                known.remark = None;
            });
            if let Some(session) = &lost.session {
                self.tell();
                session.close().await;
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.end.cancelled() => break,
            }
        }
        // The tools of the list know this link.
        self.know(|known| *known = Known { phase: Phase::Ended, ..Known::default() });
    }

    /// Connects once, and stays connected as long as that lasts; `None` when it was told to end.
    async fn attempt(self: &Arc<Self>) -> Option<Lost> {
        let limit = self.upstream.start_timeout;
        let connected = tokio::select! {
            connected = tokio::time::timeout(limit, self.connect()) => connected,
            () = self.end.cancelled() => return None,
        };
        let late = |_| Err(format!("it did not start within {limit:?}"));
        let (session, listing) = match connected.unwrap_or_else(late) {
            Ok(connected) => connected,
            Err(reason) => return Some(Lost { reason, after: Duration::ZERO, session: None }),
        };
        let since = Instant::now();
        tracing::info!(
            server = self.name(),
            tools = listing.toolset.registry().tools().count(),
            "an upstream server is up"
        );
        self.know(|known| {
            known.phase = Phase::Up(Arc::clone(&session));
            known.listing = Some(listing);
            known.expected = None;
            known.remark = None;
        });
        self.tell();
        let reason = tokio::select! {
            reason = self.follow(&session) => reason,
            () = self.end.cancelled() => {
                session.close().await;
                return None;
            }
        };
        Some(Lost { reason, after: since.elapsed(), session: Some(session) })
    }

    async fn connect(self: &Arc<Self>) -> Result<(Arc<Session>, Arc<Listing>), String> {
        let session = Session::connect(&self.upstream).await?;
        let listed = session.list().await.map_err(|refusal| refusal.why)?;
        let before = self.known.borrow().listing.clone();
        Ok((Arc::new(session), Listing::of(listed, before, self, &self.manners.home).await))
    }

    /// Keeps the list up to date until the connection ends, and says why it did.
    async fn follow(self: &Arc<Self>, session: &Arc<Session>) -> String {
        let mut listening = std::pin::pin!(self.listen(session));
        let mut gathering = GATHERED;
        loop {
            tokio::select! {
                () = session.inbox.closed.cancelled() => return session.inbox.why().to_owned(),
                () = &mut listening => {}
                () = session.inbox.changed.notified() => {}
                () = self.doubt.notified() => {}
            }
            let refreshed = async {
                tokio::time::sleep(gathering).await;
                let begun = Instant::now();
                self.refresh(session).await.map(|()| begun.elapsed())
            };
            let took = tokio::select! {
                () = session.inbox.closed.cancelled() => return session.inbox.why().to_owned(),
                refreshed = refreshed => match refreshed {
                    Ok(took) => took,
                    Err(reason) => return reason,
                },
            };
            // A server that changes its list all the time is listed half of the time.
            gathering = took.clamp(GATHERED, MOST_GATHERED);
        }
    }

    /// Asks for the list anew. An error is the end of the connection.
    async fn refresh(self: &Arc<Self>, session: &Arc<Session>) -> Result<(), String> {
        let limit = self.upstream.timeout;
        let remark = match tokio::time::timeout(limit, session.list()).await {
            Ok(Ok(listed)) => {
                let before = self.known.borrow().listing.clone();
                let listing = Listing::of(listed, before.clone(), self, &self.manners.home).await;
                let same = before.is_some_and(|before| before.is(&listing));
                self.know(|known| {
                    known.listing = Some(listing);
                    known.remark = None;
                });
                if !same {
                    self.tell();
                }
                return Ok(());
            }
            Ok(Err(Refusal { why, connected: false })) => return Err(why),
            Ok(Err(refusal)) => refusal.why,
            // One thing after the other: it may be at work for us, though no call lasts as long as this.
            Err(_) if session.is_busy() => {
                let longest = limit.saturating_mul(RUNS_ON);
                if session.inbox.silent_for() >= longest {
                    return Err(format!("nothing was heard of it for {longest:?}"));
                }
                format!("`tools/list` was not answered within {limit:?}")
            }
            Err(_) => return Err(format!("it did not answer `tools/list` within {limit:?}")),
        };
        tracing::warn!(
            server = self.name(),
            reason = remark,
            "the last list of an upstream server is still served"
        );
        self.know(|known| known.remark = Some(format!("the list is the last that came: {remark}")));
        Ok(())
    }

    /// Listens for changes of the list, and comes back when there is reason to look at it: nobody heard what came meanwhile.
    async fn listen(&self, session: &Session) {
        let mut failed = 0;
        loop {
            let begun = Instant::now();
            match session.listen().await {
                None if !session.must_listen => std::future::pending().await,
                None => {}
                Some(mut subscription) => {
                    session.inbox.changed.notify_one();
                    // What is told has been taken out on the way: see `Watched`.
                    while let Ok(Some(_)) = subscription.next().await {}
                    self.look_again();
                }
            }
            failed = if begun.elapsed() >= STABLE { 1 } else { failed + 1 };
            tokio::time::sleep(self.manners.backoff.pause(failed)).await;
        }
    }

    fn know(&self, change: impl FnOnce(&mut Known)) {
        self.known.send_modify(change);
    }

    /// Tells whoever wants to know that there are other tools.
    fn tell(&self) {
        if let Some(changes) = &self.manners.changes {
            changes.notify();
        }
    }

    fn absent(&self, state: State) -> Absent {
        Absent { server: self.name().to_owned(), state }
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

/// An attempt that came to its end.
struct Lost {
    reason: String,
    /// How long the server was there.
    after: Duration,
    session: Option<Arc<Session>>,
}

/// The task of a link, which may be dropped with its runtime: another one can then begin anew.
struct Begun(Arc<Link>);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.know(|known| {
            if !matches!(known.phase, Phase::Ended) {
                *known = Known::default();
            }
        });
        self.0.started.store(false, Ordering::Release);
    }
}
