//! The attempts that run in this process.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use tool_core::progress::{Progress, ProgressSink};
use tool_core::tasks::{TaskId, TaskProgress};

/// An attempt that runs in this process.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) worker: Arc<str>,
    pub(crate) attempt: i64,
    /// Whether the attempt goes on with answers.
    pub(crate) is_resuming: bool,
    pub(crate) token: CancellationToken,
    pub(crate) progress: Arc<LastProgress>,
    /// Another process may have begun the task again. Then the attempt ends without an outcome, unless it has one.
    pub(crate) is_lost: bool,
    /// The function has ended, and that is not recorded yet.
    pub(crate) has_ended: bool,
}

/// The last progress of an attempt that is not stored yet.
#[derive(Debug, Default)]
pub(crate) struct LastProgress(Mutex<Option<TaskProgress>>);

impl LastProgress {
    pub(crate) fn take(&self) -> Option<TaskProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Puts progress back that could not be stored, unless there is later one.
    pub(crate) fn put_back(&self, progress: TaskProgress) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(progress);
    }
}

impl ProgressSink for LastProgress {
    fn report(&self, progress: &Progress<'_>) {
        let Progress { done, total, message, .. } = *progress;
        let progress = TaskProgress { done, total, message: message.to_owned() };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }
}

/// The attempts that run in this process.
#[derive(Debug, Default)]
pub(crate) struct RunningTasks {
    attempts: Mutex<HashMap<TaskId, Running>>,
    /// The tasks that are being taken: their rows may be those of a worker of this process before the attempts run.
    claims: Mutex<HashSet<TaskId>>,
}

impl RunningTasks {
    fn lock(&self) -> MutexGuard<'_, HashMap<TaskId, Running>> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claims(&self) -> MutexGuard<'_, HashSet<TaskId>> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, id: TaskId, running: Running) {
        self.lock().insert(id, running);
    }

    /// Begins to take tasks.
    pub(crate) fn begin_claims(&self, ids: impl Iterator<Item = TaskId>) {
        self.claims().extend(ids);
    }

    /// Ends to take tasks: those that were taken run.
    pub(crate) fn end_claims(&self, ids: impl Iterator<Item = TaskId>) {
        let mut claims = self.claims();
        ids.for_each(|id| {
            claims.remove(&id);
        });
    }

    /// Returns `true` if an attempt of the task runs here, or is about to.
    pub(crate) fn contains(&self, id: &TaskId) -> bool {
        self.claims().contains(id) || self.lock().contains_key(id)
    }

    /// Notes that the function of the task has ended.
    pub(crate) fn end(&self, id: &TaskId) {
        if let Some(running) = self.lock().get_mut(id) {
            running.has_ended = true;
        }
    }

    pub(crate) fn get(&self, id: &TaskId) -> Option<Running> {
        self.lock().get(id).cloned()
    }

    pub(crate) fn remove(&self, id: &TaskId) {
        self.lock().remove(id);
    }

    /// Cancels the attempt, because another process has the task.
    pub(crate) fn lose(&self, id: &TaskId, attempt: i64) {
        if let Some(running) = self.lock().get_mut(id).filter(|running| running.attempt == attempt) {
            running.is_lost = true;
            running.token.cancel();
        }
    }

    pub(crate) fn cancel(&self, id: &TaskId) {
        if let Some(running) = self.lock().get(id) {
            running.token.cancel();
        }
    }

    /// Returns the attempts of a worker, in the order of their ids.
    pub(crate) fn of(&self, worker: &str) -> Vec<(TaskId, Running)> {
        let tasks = self.lock();
        let of = tasks.iter().filter(|(_, running)| &*running.worker == worker);
        let mut all: Vec<_> = of.map(|(id, running)| (*id, running.clone())).collect();
        drop(tasks);
        all.sort_unstable_by_key(|(id, _)| *id);
        all
    }
}
