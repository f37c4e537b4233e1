//! Writing and reading: one writer at a time, never for longer than a call may wait, and never more than there is room for.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as Turn, OnceCell, OwnedMutexGuard};
use tokio::time::{Instant, timeout_at};

use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::results::index::{Index, Name};
use crate::results::stored::{Excerpt, StoredResult};
use crate::results::{Inner, ResultStore, ResultStoreError};

/// What a store knows of its storage.
#[derive(Default)]
pub(super) struct State {
    /// Read from the storage by whoever needs it first.
    index: OnceCell<Mutex<Index>>,
    /// Held by who writes or deletes.
    turn: Arc<Turn<()>>,
    /// Whether somebody waited for the storage in vain, and who waited for then may still have his turn.
    stuck: AtomicBool,
    /// Whether something deletes what is out of time.
    sweeping: AtomicBool,
    /// What was made of what, by whose it is.
    made: Mutex<HashMap<(Name, Digest), Excerpt>>,
}

/// So many keys are remembered.
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
        let name = Name::new(principal, digest);
        let Ok(runtime) = Handle::try_current() else {
            return self.0.write(name, framed, self.0.state.turn.lock().await).await.map(|_| digest);
        };
        let deadline = Instant::now() + self.0.limits.patience;
        let turn = self.turn(deadline).await.ok_or(ResultStoreError::Late)?;
        let inner = Arc::clone(&self.0);
        // It is written to the end, whoever still waits for it.
        let written = runtime.spawn(async move { inner.write(name, framed, turn).await.map(drop) });
        match timeout_at(deadline, written).await {
            Ok(Ok(written)) => written?,
            // The runtime ends.
            Ok(Err(error)) => return Err(ResultStoreError::Storage(std::io::Error::other(error))),
            Err(_) => {
                self.0.state.stuck.store(true, Ordering::Relaxed);
                return Err(ResultStoreError::Late);
            }
        }
        self.sweep(&runtime);
        Ok(digest)
    }

    /// Waits for a turn to write. Where the storage does not answer whoever has it, every call would wait for nothing.
    async fn turn(&self, deadline: Instant) -> Option<OwnedMutexGuard<()>> {
        let State { turn, stuck, .. } = &*self.0.state;
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
        let mut read = pin!(inner.read(Name::new(principal, digest)));
        let Ok(runtime) = Handle::try_current() else { return read.await };
        let deadline = Instant::now() + inner.limits.patience;
        let read = timeout_at(deadline, read.as_mut()).await.unwrap_or(Err(ResultStoreError::Late));
        self.sweep(&runtime);
        read
    }

    /// What was made of a key, as long as it can be read for some time to come.
    pub(super) fn known(&self, principal: &Principal, key: Digest) -> Option<Excerpt> {
        let State { index, made, .. } = &*self.0.state;
        let mut made = lock(made);
        let entry_key = (Name::new(principal, key), key);
        let known = made.get(&entry_key)?;
        let name = Name::new(principal, known.digest()?);
        let left = lock(index.get()?).left(&name).unwrap_or_default();
        if left > self.0.limits.age / 2 {
            return Some(known.clone());
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
            // It is made anew, which is no loss but of time.
            made.clear();
        }
        made.insert((Name::new(principal, key), key), excerpt.clone());
    }

    /// Sees to it that what is out of time goes, even if nothing is kept any more.
    fn sweep(&self, runtime: &Handle) {
        if !self.0.state.sweeping.swap(true, Ordering::AcqRel) {
            runtime.spawn(sweep(Arc::downgrade(&self.0), Arc::downgrade(&self.0.state)));
        }
    }
}

/// Deletes what is out of time as long as there is something, and a store.
async fn sweep(store: Weak<Inner>, state: Weak<State>) {
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
        // Whoever keeps something from now on finds nobody who does this.
        state.sweeping.store(false, Ordering::Release);
    }
}

/// When what could not be deleted is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

impl State {
    /// When the next result is out of time.
    fn next_end(&self) -> Option<Instant> {
        lock(self.index.get()?).next_end()
    }
}

impl Inner {
    async fn index(&self) -> Result<&Mutex<Index>, ResultStoreError> {
        let read = async || {
            let objects = self.storage.list().await?;
            Ok::<_, ResultStoreError>(Mutex::new(Index::of(objects, self.limits.age)))
        };
        self.state.index.get_or_try_init(read).await
    }

    /// Puts something into the storage, in the place of what has the same name, and gives the turn back.
    async fn write<T>(&self, name: Name, framed: Bytes, turn: T) -> Result<T, ResultStoreError> {
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

    /// Deletes what is out of time.
    async fn forget(&self) -> Result<(), ResultStoreError> {
        let index = self.index().await?;
        let _turn = self.state.turn.lock().await;
        self.make_room(index, 0, None).await
    }

    /// Deletes what is out of time, and what is too much.
    async fn make_room(
        &self,
        index: &Mutex<Index>,
        bytes: u64,
        replaced: Option<&Name>,
    ) -> Result<(), ResultStoreError> {
        loop {
            let Some(surplus) = lock(index).surplus(self.limits.total, bytes, replaced) else {
                return Ok(());
            };
            self.storage.delete(&surplus.path()).await?;
            lock(index).remove(&surplus);
        }
    }

    async fn read(&self, name: Name) -> Result<Option<StoredResult>, ResultStoreError> {
        let index = self.index().await?;
        let known = lock(index).left(&name);
        if known.is_some_and(|left| left.is_zero()) {
            return Ok(None);
        }
        let Some(framed) = self.storage.get(&name.path()).await? else { return Ok(None) };
        let bytes = framed.len() as u64;
        let kept = StoredResult::parse(name.digest, framed, known.unwrap_or(self.limits.age));
        if kept.is_none() {
            tracing::error!(digest = %name.digest, "what is kept is not what was put there: it is not read");
        } else if known.is_none() {
            // Another process has put it there since this one looked. From now on it counts here too.
            lock(index).insert(name, bytes, Instant::now() + self.limits.age);
        }
        Ok(kept)
    }
}

/// Nothing panics while one of them is held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
