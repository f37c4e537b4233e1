//! Writing and reading, with a time limit. A storage that the store manages has one writer at a time, which keeps to its size.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::model::lock::lock;
use crate::results::index::{ResultName, StoreIndex};
use crate::results::storage::{ManagedStorage, StoredBytes};
use crate::results::stored::{Excerpt, StoredResult};
use crate::results::{Inner, ResultStore, ResultStoreError};

/// The state of a store.
pub(super) struct StoreState {
    /// Read from a managed storage on first use; never set for another one.
    index: OnceCell<Mutex<StoreIndex>>,
    /// Held while writing or deleting.
    turns: Arc<Semaphore>,
    /// Held while reading.
    reads: Semaphore,
    /// Whether a write timed out, and none has succeeded since.
    stuck: AtomicBool,
    /// Whether a task that deletes expired results is running.
    sweeping: AtomicBool,
    /// Excerpts by owner and key, with the time at which their text expires.
    made: Mutex<HashMap<(ResultName, Digest), (Excerpt, Instant)>>,
}

impl StoreState {
    pub(super) fn new(is_managed: bool) -> Self {
        StoreState {
            index: OnceCell::new(),
            turns: Arc::new(Semaphore::new(if is_managed { 1 } else { MOST_WRITES })),
            reads: Semaphore::new(MOST_READS),
            stuck: AtomicBool::new(false),
            sweeping: AtomicBool::new(false),
            made: Mutex::default(),
        }
    }
}

/// The most concurrent writes to a shared storage, each of which holds a result in memory.
const MOST_WRITES: usize = 8;

/// The most concurrent reads, each of which holds a result in memory.
const MOST_READS: usize = 8;

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
        let name = ResultName::new(principal, digest);
        // A copy of the content is only made for a turn, so that there are few.
        let framed = || StoredResult::framed(media_type, content);
        let Ok(runtime) = Handle::try_current() else {
            let turn = Arc::clone(&self.0.state.turns).acquire_owned().await.ok();
            return self.0.write(name, framed(), turn).await.map(|_| digest);
        };
        let deadline = Instant::now() + self.0.limits.patience;
        let turn = self.turn(deadline).await.ok_or(ResultStoreError::Late)?;
        let framed = framed();
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

    /// Waits for a turn to write. While no write succeeds, it does not wait.
    async fn turn(&self, deadline: Instant) -> Option<OwnedSemaphorePermit> {
        let StoreState { turns, stuck, .. } = &*self.0.state;
        let turns = Arc::clone(turns);
        if !stuck.load(Ordering::Relaxed) {
            return timeout_at(deadline, turns.acquire_owned()).await.ok()?.ok();
        }
        turns.try_acquire_owned().ok()
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
        let (existing, expires) = made.get(&entry_key)?;
        let name = ResultName::new(principal, existing.digest()?);
        let left = match index.get() {
            // It may be deleted before it expires.
            Some(index) => lock(index).left(&name).unwrap_or_default(),
            None => expires.saturating_duration_since(Instant::now()),
        };
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
        let expires = Instant::now() + self.0.limits.age;
        made.insert((ResultName::new(principal, key), key), (excerpt.clone(), expires));
    }

    /// Starts the task that deletes expired results of a managed storage, unless it is running.
    fn sweep(&self, runtime: &Handle) {
        if self.0.storage.managed().is_some() && !self.0.state.sweeping.swap(true, Ordering::AcqRel) {
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
    /// Returns the managed storage with its index, or `None` if the storage deletes old entries itself.
    async fn managed(&self) -> Result<Option<Managed<'_>>, ResultStoreError> {
        let Some(storage) = self.storage.managed() else { return Ok(None) };
        let read = async || {
            let objects = storage.list().await?;
            Ok::<_, ResultStoreError>(Mutex::new(StoreIndex::of(objects, self.limits.age)))
        };
        let index = self.state.index.get_or_try_init(read).await?;
        Ok(Some(Managed { storage, index, total: self.limits.total }))
    }

    /// Writes an entry, replacing one with the same name, and returns the turn.
    async fn write<T>(&self, name: ResultName, framed: Bytes, turn: T) -> Result<T, ResultStoreError> {
        let (bytes, most) = (framed.len() as u64, self.largest());
        if bytes > most {
            return Err(ResultStoreError::TooLarge { bytes, most });
        }
        let managed = self.managed().await?;
        if let Some(managed) = &managed {
            managed.make_room(bytes, Some(&name)).await?;
        }
        self.storage.put(&name.path(), framed).await?;
        self.state.stuck.store(false, Ordering::Relaxed);
        if let Some(managed) = &managed {
            lock(managed.index).insert(name, bytes, Instant::now() + self.limits.age);
        }
        Ok(turn)
    }

    /// Deletes expired results of a managed storage.
    async fn forget(&self) -> Result<(), ResultStoreError> {
        let Some(managed) = self.managed().await? else { return Ok(()) };
        let _turn = self.state.turns.acquire().await;
        managed.make_room(0, None).await
    }

    /// Returns the most bytes of one result as it is stored.
    fn largest(&self) -> u64 {
        self.limits.largest_result(self.storage.managed().is_some())
    }

    /// Reads an entry with its age. One that is too large, which a process with other limits may have stored, counts as not found.
    async fn fetch(&self, name: &ResultName) -> Result<Option<StoredBytes>, ResultStoreError> {
        let most = self.largest();
        match self.storage.get(&name.path(), most).await {
            Ok(stored) => Ok(stored),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                tracing::error!(digest = %name.digest, most, "a stored result is too large to be read");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn read(&self, name: ResultName) -> Result<Option<StoredResult>, ResultStoreError> {
        let managed = self.managed().await?;
        let in_index = managed.as_ref().and_then(|managed| lock(managed.index).left(&name));
        if in_index.is_some_and(|left| left.is_zero()) {
            return Ok(None);
        }
        let _permit = self.state.reads.acquire().await;
        let Some(StoredBytes { bytes: framed, age }) = self.fetch(&name).await? else {
            return Ok(None);
        };
        // The index is timed by a monotonic clock, unlike the storage.
        let left = in_index.unwrap_or_else(|| self.limits.age.saturating_sub(age));
        if left.is_zero() {
            return Ok(None);
        }
        let bytes = framed.len() as u64;
        let kept = StoredResult::parse(name.digest, framed, left);
        if kept.is_none() {
            tracing::error!(digest = %name.digest, "what is kept is not what was put there: it is not read");
        } else if let (Some(managed), None) = (managed, in_index) {
            // Another process stored it after the index was read; it is counted from now on.
            lock(managed.index).insert(name, bytes, Instant::now() + left);
        }
        Ok(kept)
    }
}

/// A managed storage with its index and its size.
struct Managed<'s> {
    storage: &'s dyn ManagedStorage,
    index: &'s Mutex<StoreIndex>,
    total: u64,
}

impl Managed<'_> {
    /// Deletes expired results, and further ones if the space is insufficient.
    async fn make_room(&self, bytes: u64, replaced: Option<&ResultName>) -> Result<(), ResultStoreError> {
        loop {
            let Some(surplus) = lock(self.index).surplus(self.total, bytes, replaced) else {
                return Ok(());
            };
            self.storage.delete(&surplus.path()).await?;
            lock(self.index).remove(&surplus);
        }
    }
}
