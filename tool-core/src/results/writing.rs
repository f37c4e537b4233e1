//! Writing and reading: one writer at a time, with a time limit, within the size of the store.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turn, OnceCell, OwnedMutexGuard};
use tokio::time::{Instant, timeout_at};

use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::model::lock::lock;
use crate::results::index::{ResultName, StoreIndex};
use crate::results::stored::{Excerpt, StoredResult};
use crate::results::{Inner, ResultStore, ResultStoreError};

/// The state of a store.
#[derive(Default)]
pub(super) struct StoreState {
    /// Read from the storage on first use.
    index: OnceCell<Mutex<StoreIndex>>,
    /// Held while writing or deleting.
    turn: Arc<Turn<()>>,
    /// Whether a write timed out and may still hold `turn`.
    stuck: AtomicBool,
    /// Whether a task that deletes expired results is running.
    sweeping: AtomicBool,
    /// Excerpts by owner and key.
    made: Mutex<HashMap<(ResultName, Digest), Excerpt>>,
}

/// The most excerpts in the cache.
const MOST_KEYS: usize = 1_000;

impl ResultStore {
    pub(super) async fn put(
        &self,
        principal: &Principal,
        media_type: &str,
        content: &[u8],
    ) -> Result<Digest, ResultStoreError> {
        let digest = Digest::of_bytes(content);
        let framed = StoredResult::framed(media_type, content);
        let name = ResultName::new(principal, digest);
        let Ok(runtime) = Handle::try_current() else {
            return self.0.write(name, framed, self.0.state.turn.lock().await).await.map(|_| digest);
        };
        let deadline = Instant::now() + self.0.limits.patience;
        let turn = self.turn(deadline).await.ok_or(ResultStoreError::Late)?;
        let inner = Arc::clone(&self.0);
        // The write completes even if the caller leaves.
        let write = runtime.spawn(async move { inner.write(name, framed, turn).await.map(drop) });
        match timeout_at(deadline, write).await {
            Ok(Ok(write)) => write?,
            // The runtime shuts down.
            Ok(Err(error)) => return Err(ResultStoreError::Storage(std::io::Error::other(error))),
            Err(_) => {
                self.0.state.stuck.store(true, Ordering::Relaxed);
                return Err(ResultStoreError::Late);
            }
        }
        self.sweep(&runtime);
        Ok(digest)
    }

    /// Waits for a turn to write. If an earlier write is stuck, it does not wait.
    async fn turn(&self, deadline: Instant) -> Option<OwnedMutexGuard<()>> {
        let StoreState { turn, stuck, .. } = &*self.0.state;
        let turn = Arc::clone(turn);
        if !stuck.load(Ordering::Relaxed) {
            return timeout_at(deadline, turn.lock_owned()).await.ok();
        }
        let turn = turn.try_lock_owned().ok()?;
        stuck.store(false, Ordering::Relaxed);
        Some(turn)
    }

    pub(super) async fn get(
        &self,
        principal: &Principal,
        digest: Digest,
    ) -> Result<Option<StoredResult>, ResultStoreError> {
        let inner = &self.0;
        let mut read = pin!(inner.read(ResultName::new(principal, digest)));
        let Ok(runtime) = Handle::try_current() else { return read.await };
        let deadline = Instant::now() + inner.limits.patience;
        let read = timeout_at(deadline, read.as_mut()).await.unwrap_or(Err(ResultStoreError::Late));
        self.sweep(&runtime);
        read
    }

    /// Returns the excerpt for a key, if its text stays stored for at least half of the maximum age.
    pub(super) fn existing(&self, principal: &Principal, key: Digest) -> Option<Excerpt> {
        let StoreState { index, made, .. } = &*self.0.state;
        let mut made = lock(made);
        let entry_key = (ResultName::new(principal, key), key);
        let existing = made.get(&entry_key)?;
        let name = ResultName::new(principal, existing.digest()?);
        let left = lock(index.get()?).left(&name).unwrap_or_default();
        if left > self.0.limits.age / 2 {
            return Some(existing.clone());
        }
        made.remove(&entry_key);
        None
    }

    pub(super) fn remember(&self, principal: &Principal, key: Digest, excerpt: &Excerpt) {
        if excerpt.digest().is_none() {
            return;
        }
        let mut made = lock(&self.0.state.made);
        if made.len() >= MOST_KEYS {
            // Excerpts can be computed again.
            made.clear();
        }
        made.insert((ResultName::new(principal, key), key), excerpt.clone());
    }

    /// Starts the task that deletes expired results, unless it is running.
    fn sweep(&self, runtime: &Handle) {
        if !self.0.state.sweeping.swap(true, Ordering::AcqRel) {
            runtime.spawn(sweep(Arc::downgrade(&self.0), Arc::downgrade(&self.0.state)));
        }
    }
}

/// Deletes expired results while there are results and the store exists.
async fn sweep(store: Weak<Inner>, state: Weak<StoreState>) {
    while let Some(next) = store.upgrade().and_then(|inner| inner.state.next_end()) {
        tokio::time::sleep_until(next).await;
        let Some(inner) = store.upgrade() else { break };
        if let Err(error) = inner.forget().await {
            tracing::warn!(%error, "results that are out of time could not be deleted");
            drop(inner);
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }
    if let Some(state) = state.upgrade() {
        // The next write starts a new task.
        state.sweeping.store(false, Ordering::Release);
    }
}

/// The delay before a failed deletion is retried.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

impl StoreState {
    /// Returns when the next result expires.
    fn next_end(&self) -> Option<Instant> {
        lock(self.index.get()?).next_end()
    }
}

impl Inner {
    async fn index(&self) -> Result<&Mutex<StoreIndex>, ResultStoreError> {
        let read = async || {
            let objects = self.storage.list().await?;
            Ok::<_, ResultStoreError>(Mutex::new(StoreIndex::of(objects, self.limits.age)))
        };
        self.state.index.get_or_try_init(read).await
    }

    /// Writes an entry, replacing one with the same name, and returns the turn.
    async fn write<T>(&self, name: ResultName, framed: Bytes, turn: T) -> Result<T, ResultStoreError> {
        let (bytes, most) = (framed.len() as u64, self.limits.total);
        if bytes > most {
            return Err(ResultStoreError::TooLarge { bytes, most });
        }
        let index = self.index().await?;
        self.make_room(index, bytes, Some(&name)).await?;
        self.storage.put(&name.path(), framed).await?;
        lock(index).insert(name, bytes, Instant::now() + self.limits.age);
        Ok(turn)
    }

    /// Deletes expired results.
    async fn forget(&self) -> Result<(), ResultStoreError> {
        let index = self.index().await?;
        let _turn = self.state.turn.lock().await;
        self.make_room(index, 0, None).await
    }

    /// Deletes expired results, and further ones if the space is insufficient.
    async fn make_room(
        &self,
        index: &Mutex<StoreIndex>,
        bytes: u64,
        replaced: Option<&ResultName>,
    ) -> Result<(), ResultStoreError> {
        loop {
            let Some(surplus) = lock(index).surplus(self.limits.total, bytes, replaced) else {
                return Ok(());
            };
            self.storage.delete(&surplus.path()).await?;
            lock(index).remove(&surplus);
        }
    }

    async fn read(&self, name: ResultName) -> Result<Option<StoredResult>, ResultStoreError> {
        let index = self.index().await?;
        let existing = lock(index).left(&name);
        if existing.is_some_and(|left| left.is_zero()) {
            return Ok(None);
        }
        let Some(framed) = self.storage.get(&name.path()).await? else { return Ok(None) };
        let bytes = framed.len() as u64;
        let kept = StoredResult::parse(name.digest, framed, existing.unwrap_or(self.limits.age));
        if kept.is_none() {
            tracing::error!(digest = %name.digest, "what is kept is not what was put there: it is not read");
        } else if existing.is_none() {
            // Another process stored it after the index was read; it is counted from now on.
            lock(index).insert(name, bytes, Instant::now() + self.limits.age);
        }
        Ok(kept)
    }
}
