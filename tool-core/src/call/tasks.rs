//! The calls and tasks that are on their way, whether or not somebody still waits for them.

/// Counts what must have ended before the program may.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    #[cfg(feature = "tokio")]
    tracker: tokio_util::task::TaskTracker,
}

/// Without a runtime nothing outlives its caller.
#[cfg(not(feature = "tokio"))]
impl Tasks {
    #[expect(clippy::unused_self, reason = "as with a runtime")]
    pub(super) fn count(&self) {}
}

#[cfg(feature = "tokio")]
impl Tasks {
    /// Counts a call for as long as this lives.
    pub(super) fn count(&self) -> impl Sized + use<> {
        self.tracker.token()
    }

    /// How many are on their way.
    pub(crate) fn len(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until none is.
    pub(crate) async fn idle(&self) {
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
    pub(super) fn spawn_blocking<T: Send + 'static>(
        &self,
        function: impl FnOnce() -> T + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        self.tracker.spawn_blocking_on(function, runtime)
    }
}
