//! The calls and tasks that are on their way, whether or not somebody still waits for them.

/// Counts what must have ended before the program may.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    #[cfg(feature = "tokio")]
    tracker: tokio_util::task::TaskTracker,
}

/// Counts as one for as long as it lives.
#[cfg(feature = "tokio")]
pub(crate) type TaskToken = tokio_util::task::task_tracker::TaskTrackerToken;

/// Without a runtime nothing outlives its caller.
#[cfg(not(feature = "tokio"))]
pub(crate) struct TaskToken;

#[cfg(not(feature = "tokio"))]
impl Tasks {
    #[expect(clippy::unused_self, reason = "as with a runtime")]
    pub(crate) fn token(&self) -> TaskToken {
        TaskToken
    }
}

#[cfg(feature = "tokio")]
impl Tasks {
    /// Counts a call.
    pub(crate) fn token(&self) -> TaskToken {
        self.tracker.token()
    }

    /// How many are on their way.
    pub(crate) fn len(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until none is.
    pub(crate) async fn drain(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Starts a task on this runtime.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        self.tracker.spawn_on(task, runtime)
    }

    /// Calls a function on a thread of this runtime that may block.
    pub(crate) fn spawn_blocking<T: Send + 'static>(
        &self,
        function: impl FnOnce() -> T + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        self.tracker.spawn_blocking_on(function, runtime)
    }
}
