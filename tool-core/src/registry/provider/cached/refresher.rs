//! Asking a provider: one at a time, and never for longer than somebody may wait.

use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::time::Instant;

use crate::model::catch_panic::catch_panic;
use crate::registry::provider::Provider;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::toolset::Toolset;

/// How long a provider that has failed is left alone as long as there is a list to be served.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Who asks a provider, and what came of it. A clone asks the same.
#[derive(Clone)]
pub(super) struct Refresher {
    pub(super) provider: Provider,
    pub(super) time_to_live: Duration,
    /// For how long after that a list is served while somebody asks.
    pub(super) stale_for: Option<Duration>,
    pub(super) serve_stale: bool,
    /// How long the provider may take.
    pub(super) patience: Duration,
    pub(super) on_change: Option<Arc<dyn Fn() + Send + Sync>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Held while the provider is asked, so that the others wait for its answer.
    turn: Arc<Turn<()>>,
    state: Mutex<State>,
    /// How often the provider has answered.
    answers: AtomicU64,
    /// How often it was said that the list is out of date.
    changes: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The last list, and when it came.
    list: Option<(Toolset, Instant)>,
    /// Of how many changes that list knows.
    listed_after: u64,
    /// Of how many changes whoever was asked last could know.
    asked_after: u64,
    /// What came of the last question: a list, an error, or the last list in its place.
    answer: Option<Result<Toolset, DiscoveryError>>,
    /// When the provider failed last, if it has not answered since.
    failed: Option<Instant>,
    /// Whether somebody was told that there is no list, and nobody that there is one.
    missed: bool,
}

/// What can be served without asking.
pub(super) enum StoredResult {
    Fresh(Toolset),
    /// Only while somebody asks, or has just asked in vain.
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

    pub(super) fn kept(&self) -> StoredResult {
        let state = self.state();
        let Some((list, came)) = &state.list else { return StoredResult::Nothing };
        let age = came.elapsed();
        if age < self.time_to_live && state.listed_after == self.changes() {
            return StoredResult::Fresh(list.clone());
        }
        match self.stale_for {
            Some(stale_for) if age < self.time_to_live.saturating_add(stale_for) => {
                let may_ask = state.failed.is_none_or(|failed| failed.elapsed() >= AGAIN_AFTER);
                StoredResult::Stale { list: list.clone(), may_ask }
            }
            _ => StoredResult::Nothing,
        }
    }

    /// The turn to ask; `None` while somebody has it.
    pub(super) fn turn(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.shared.turn).try_lock_owned().ok()
    }

    /// Waits for a list: the one that somebody asks for already, or one's own.
    pub(super) async fn wait(&self) -> Result<Toolset, DiscoveryError> {
        let before = self.shared.answers.load(Ordering::Acquire);
        // Whoever asks the provider may go away meanwhile: the next in line then asks in its place.
        let _turn = self.shared.turn.lock().await;
        // What changes from here on may not be in the answer.
        let changes = self.changes();
        if let StoredResult::Fresh(list) = self.kept() {
            return Ok(list);
        }
        if self.shared.answers.load(Ordering::Acquire) != before {
            let state = self.state();
            if let Some(answer) = state.answer.as_ref().filter(|_| state.asked_after == changes) {
                return answer.clone();
            }
        }
        self.ask(changes).await
    }

    /// Asks until the answer knows of all that has changed, or the provider fails.
    pub(super) async fn ask_until_up_to_date(&self, turn: OwnedMutexGuard<()>) {
        let mut turn = Some(turn);
        while let Some(held) = turn.take() {
            // An error is in the log.
            let _ = self.ask(self.changes()).await;
            let has_failed = self.state().failed.is_some();
            drop(held);
            // Whoever has said meanwhile that the list is out of date may have seen somebody ask, and left it to him.
            if self.is_behind() && !has_failed {
                turn = self.turn();
            }
        }
    }

    /// Whether something has changed since somebody was asked.
    pub(super) fn is_behind(&self) -> bool {
        self.state().asked_after != self.changes()
    }

    /// Asks, and serves the last list in place of an error where that may be served.
    async fn ask(&self, changes: u64) -> Result<Toolset, DiscoveryError> {
        let (answer, is_other) = match self.answer().await {
            Ok(list) => {
                let is_other = self.keep(&list, changes);
                (Ok(list), is_other)
            }
            Err(error) => (self.last_instead_of(error), false),
        };
        let mut state = self.state();
        state.asked_after = changes;
        state.answer = Some(answer.clone());
        drop(state);
        self.shared.answers.fetch_add(1, Ordering::Release);
        if let Some(told) = self.on_change.as_ref().filter(|_| is_other) {
            // Its panic is in the log.
            let _ = catch_panic(|| told());
        }
        answer
    }

    /// What the provider answers, within its time where there is a clock.
    async fn answer(&self) -> Result<Toolset, DiscoveryError> {
        let limited = || tokio::time::timeout(self.patience, self.provider.ask());
        // tokio tells by a panic, and in no other way, that a runtime has no timers.
        let limited = Handle::try_current().ok().and_then(|_| catch_unwind(AssertUnwindSafe(limited)).ok());
        match limited {
            Some(answer) => answer.await.unwrap_or(Err(DiscoveryError::Late(self.patience))),
            None => self.provider.ask().await,
        }
    }

    /// Keeps a list. Whether there is something to be told of it.
    fn keep(&self, list: &Toolset, changes: u64) -> bool {
        let mut state = self.state();
        let last = state.list.replace((list.clone(), Instant::now()));
        state.listed_after = changes;
        state.failed = None;
        let is_missed = std::mem::take(&mut state.missed);
        // Comparing takes time, and so may what is dropped with a list.
        drop(state);
        match last {
            _ if self.on_change.is_none() => false,
            Some((last, _)) => is_missed || differ(&last, list),
            // Whoever asks for the first one is given it.
            None => is_missed,
        }
    }

    /// What is served when the provider has failed: the last list, or the error.
    fn last_instead_of(&self, error: DiscoveryError) -> Result<Toolset, DiscoveryError> {
        let mut state = self.state();
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

    /// Nothing panics while it is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether one who is shown both sees a difference.
fn differ(one: &Toolset, other: &Toolset) -> bool {
    // What cannot be described is another thing each time.
    let digests = || (one.registry().digest(), other.registry().digest());
    !one.is(other) && !catch_panic(digests).is_ok_and(|(one, other)| one == other)
}
