//! Changes of tasks in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use tool_core::tasks::TaskId;

/// Wakes those who wait for the change of a task in this process.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiters: Mutex<HashMap<TaskId, Waiters>>,
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
