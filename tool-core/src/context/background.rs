//! Tracks running calls and tasks, whether or not their caller still waits.

/// Tracks what must end before the program may exit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BackgroundTasks {
    #[cfg(feature = "tokio")]
    tracker: tokio_util::task::TaskTracker,
}

/// Counts as one running task until dropped.
#[cfg(feature = "tokio")]
pub(crate) type BackgroundToken = tokio_util::task::task_tracker::TaskTrackerToken;

/// A no-op: without a runtime, nothing outlives its caller.
#[cfg(not(feature = "tokio"))]
pub(crate) struct BackgroundToken;

#[cfg(not(feature = "tokio"))]
impl BackgroundTasks {
    #[expect(clippy::unused_self, reason = "as with a runtime")]
    pub(crate) fn token(&self) -> BackgroundToken {
        BackgroundToken
    }
}

#[cfg(feature = "tokio")]
impl BackgroundTasks {
    /// Tracks a call until the token is dropped.
    pub(crate) fn token(&self) -> BackgroundToken {
        self.tracker.token()
    }

    /// Returns the number of running calls and tasks.
    pub(crate) fn len(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until all have ended.
    pub(crate) async fn drain(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Spawns a tracked task on this runtime.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        self.tracker.spawn_on(task, runtime)
    }

    /// Runs a tracked function on a blocking thread of this runtime.
    pub(crate) fn spawn_blocking<T: Send + 'static>(
        &self,
        function: impl FnOnce() -> T + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        self.tracker.spawn_blocking_on(function, runtime)
    }
}
