//! Querying a provider: one query at a time, with a time limit.

use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::time::Instant;

use crate::model::access::Principal;
use crate::model::catch_panic::catch_panic;
use crate::model::lock::lock;
use crate::registry::provider::Provider;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::toolset::Toolset;

/// How long a provider that failed is not queried while there is a list to serve.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Queries a provider and caches the result. Clones share their state.
#[derive(Clone)]
pub(super) struct Refresher {
    pub(super) provider: Provider,
    pub(super) time_to_live: Duration,
    /// How long an expired list is served while a query runs.
    pub(super) stale_for: Option<Duration>,
    pub(super) serve_stale: bool,
    /// The time limit of a query.
    pub(super) patience: Duration,
    pub(super) on_change: Option<Arc<dyn Fn() + Send + Sync>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Held during a query, so that others wait for its result.
    turn: Arc<Turn<()>>,
    state: Mutex<RefreshState>,
    /// The number of answers.
    answers: AtomicU64,
    /// The number of invalidations.
    changes: AtomicU64,
}

#[derive(Default)]
struct RefreshState {
    /// The last list, and when it came.
    list: Option<(Toolset, Instant)>,
    /// The number of invalidations that the list includes.
    listed_after: u64,
    /// The number of invalidations when the last query began.
    changes_before_query: u64,
    /// The result of the last query: a list, an error, or the last list instead of an error.
    answer: Option<Result<Toolset, DiscoveryError>>,
    /// When the provider failed last, if it has not answered since.
    failed: Option<Instant>,
    /// Whether a caller has seen an error since the last list.
    missed: bool,
}

/// What can be served without a query.
pub(super) enum StoredTools {
    Fresh(Toolset),
    /// Only while a query runs, or has just failed.
    Stale {
        list: Toolset,
        may_ask: bool,
    },
    Nothing,
}

impl Refresher {
    pub(super) fn new(provider: Provider, time_to_live: Duration, patience: Duration) -> Self {
        Refresher {
            provider,
            time_to_live,
            stale_for: None,
            serve_stale: false,
            patience,
            on_change: None,
            shared: Arc::default(),
        }
    }

    pub(super) fn is_out_of_date(&self) {
        self.shared.changes.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn kept(&self) -> StoredTools {
        let state = lock(&self.shared.state);
        let Some((list, came)) = &state.list else { return StoredTools::Nothing };
        let age = came.elapsed();
        if age < self.time_to_live && state.listed_after == self.changes() {
            return StoredTools::Fresh(list.clone());
        }
        match self.stale_for {
            Some(stale_for) if age < self.time_to_live.saturating_add(stale_for) => {
                let may_ask = state.failed.is_none_or(|failed| failed.elapsed() >= AGAIN_AFTER);
                StoredTools::Stale { list: list.clone(), may_ask }
            }
            _ => StoredTools::Nothing,
        }
    }

    /// Returns the permit for a query; `None` while a query runs.
    pub(super) fn turn(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.shared.turn).try_lock_owned().ok()
    }

    /// Waits for a list: of a running query, or of its own.
    pub(super) async fn wait(&self) -> Result<Toolset, DiscoveryError> {
        let before = self.shared.answers.load(Ordering::Acquire);
        // If the request that queries is dropped, the next one queries instead.
        let _turn = self.shared.turn.lock().await;
        // A later change may be missing in the answer.
        let changes = self.changes();
        if let StoredTools::Fresh(list) = self.kept() {
            return Ok(list);
        }
        if self.shared.answers.load(Ordering::Acquire) != before {
            let state = lock(&self.shared.state);
            if let Some(answer) = state.answer.as_ref().filter(|_| state.changes_before_query == changes) {
                return answer.clone();
            }
        }
        self.ask(changes).await
    }

    /// Queries until the answer includes all changes, or the provider fails.
    pub(super) async fn ask_until_up_to_date(&self, turn: OwnedMutexGuard<()>) {
        let mut turn = Some(turn);
        while let Some(held) = turn.take() {
            // An error is in the log.
            let _ = self.ask(self.changes()).await;
            let has_failed = lock(&self.shared.state).failed.is_some();
            drop(held);
            // A change during the query relied on this query.
            if self.is_behind() && !has_failed {
                turn = self.turn();
            }
        }
    }

    /// Returns `true` if there was a change since the last query began.
    pub(super) fn is_behind(&self) -> bool {
        lock(&self.shared.state).changes_before_query != self.changes()
    }

    /// Queries, and returns the last list instead of an error where that is allowed.
    async fn ask(&self, changes: u64) -> Result<Toolset, DiscoveryError> {
        let (answer, is_other) = match self.answer().await {
            Ok(list) => {
                let is_other = self.keep(&list, changes);
                (Ok(list), is_other)
            }
            Err(error) => (self.last_instead_of(error), false),
        };
        let mut state = lock(&self.shared.state);
        state.changes_before_query = changes;
        state.answer = Some(answer.clone());
        drop(state);
        self.shared.answers.fetch_add(1, Ordering::Release);
        if let Some(on_change) = self.on_change.as_ref().filter(|_| is_other) {
            // A panic is logged.
            let _ = catch_panic(|| on_change());
        }
        answer
    }

    /// Returns the answer of the provider, within the time limit if there are timers.
    async fn answer(&self) -> Result<Toolset, DiscoveryError> {
        let anybody = Principal::anonymous();
        let limited = || tokio::time::timeout(self.patience, self.provider.ask(&anybody));
        // A panic is the only way in which tokio reports that a runtime has no timers.
        let limited = Handle::try_current().ok().and_then(|_| catch_unwind(AssertUnwindSafe(limited)).ok());
        match limited {
            Some(answer) => answer.await.unwrap_or(Err(DiscoveryError::Late(self.patience))),
            None => self.provider.ask(&anybody).await,
        }
    }

    /// Stores a list. Returns `true` if the change must be reported.
    fn keep(&self, list: &Toolset, changes: u64) -> bool {
        let mut state = lock(&self.shared.state);
        let last = state.list.replace((list.clone(), Instant::now()));
        state.listed_after = changes;
        state.failed = None;
        let is_missed = std::mem::take(&mut state.missed);
        // Comparing and dropping a list takes time, so both happen without the lock.
        drop(state);
        match last {
            _ if self.on_change.is_none() => false,
            Some((last, _)) => is_missed || differ(&last, list),
            // The first list is returned to the request that queried, and not reported.
            None => is_missed,
        }
    }

    /// Returns what is served if the provider failed: the last list, or the error.
    fn last_instead_of(&self, error: DiscoveryError) -> Result<Toolset, DiscoveryError> {
        let mut state = lock(&self.shared.state);
        state.failed = Some(Instant::now());
        let most = self.time_to_live.saturating_add(self.stale_for.unwrap_or_default());
        let last = state.list.as_ref().filter(|(_, came)| self.serve_stale || came.elapsed() < most);
        match last.map(|(list, _)| list.clone()) {
            Some(last) => {
                let cause = error.source().map(ToString::to_string);
                tracing::warn!(%error, cause, "the tools could not be listed anew: the last list is served");
                Ok(last)
            }
            None => {
                state.missed = true;
                Err(error)
            }
        }
    }

    fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Acquire)
    }
}

/// Returns `true` if a client would see a difference.
fn differ(one: &Toolset, other: &Toolset) -> bool {
    // Tools that cannot be described count as different.
    let digests = || (one.registry().digest(), other.registry().digest());
    !one.is(other) && !catch_panic(digests).is_ok_and(|(one, other)| one == other)
}
