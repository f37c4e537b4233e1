//! Waiting in this process for changes of tasks, and for tasks that are due.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tool_core::tasks::TaskId;

/// Wakes those who wait in this process: for the change of a task, or as workers for one that is due.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiters: Mutex<HashMap<TaskId, Waiters>>,
    /// Wakes the workers.
    pub(crate) due: Notify,
}

#[derive(Debug, Default)]
struct Waiters {
    count: usize,
    notify: Arc<Notify>,
}

impl Changes {
    /// Wakes those who wait for this task.
    pub(crate) fn notify(&self, id: &TaskId) {
        if let Some(waiters) = self.waiters.lock().unwrap_or_else(PoisonError::into_inner).get(id) {
            waiters.notify.notify_waiters();
        }
    }

    /// Wakes all, because anything may have changed.
    #[cfg(feature = "postgres")]
    pub(crate) fn notify_all(&self) {
        self.due.notify_waiters();
        for waiters in self.waiters.lock().unwrap_or_else(PoisonError::into_inner).values() {
            waiters.notify.notify_waiters();
        }
    }

    /// Begins to wait for changes of this task.
    pub(crate) fn wait(&self, id: TaskId) -> Waiter<'_> {
        let mut all = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        let waiters = all.entry(id).or_default();
        waiters.count += 1;
        Waiter { changes: self, id, notify: Arc::clone(&waiters.notify) }
    }
}

/// One who waits for changes of a task.
pub(crate) struct Waiter<'a> {
    changes: &'a Changes,
    id: TaskId,
    pub(crate) notify: Arc<Notify>,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut all = self.changes.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiters) = all.get_mut(&self.id) {
            waiters.count -= 1;
            if waiters.count == 0 {
                all.remove(&self.id);
            }
        }
    }
}
