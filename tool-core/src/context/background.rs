//! Tracks running calls and tasks, whether or not their caller still waits.

#[cfg(feature = "tokio")]
use std::collections::BTreeMap;
#[cfg(feature = "tokio")]
use std::sync::{Arc, Mutex};

#[cfg(feature = "tokio")]
use crate::model::lock::lock;

/// Tracks what must end before the program may exit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BackgroundTasks {
    #[cfg(feature = "tokio")]
    tracker: tokio_util::task::TaskTracker,
    #[cfg(feature = "tokio")]
    running: ToolCounts,
}

/// The numbers of running tasks and functions on threads, by the names of their tools.
#[cfg(feature = "tokio")]
type ToolCounts = Arc<Mutex<BTreeMap<String, usize>>>;

/// Counts a task of a tool until dropped.
#[cfg(feature = "tokio")]
struct RunningGuard {
    running: ToolCounts,
    tool: String,
}

#[cfg(feature = "tokio")]
impl RunningGuard {
    fn new(running: &ToolCounts, tool: &str) -> Self {
        *lock(running).entry(tool.to_owned()).or_default() += 1;
        RunningGuard { running: Arc::clone(running), tool: tool.to_owned() }
    }
}

#[cfg(feature = "tokio")]
impl Drop for RunningGuard {
    fn drop(&mut self) {
        let mut running = lock(&self.running);
        if let Some(count) = running.get_mut(&self.tool) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.tool);
            }
        }
    }
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

    /// Returns how many calls and tasks of each tool run apart from their callers.
    pub(crate) fn running(&self) -> BTreeMap<String, usize> {
        lock(&self.running).clone()
    }

    /// Waits until all have ended.
    pub(crate) async fn drain(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Spawns a tracked task of a tool on this runtime.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        tool: &str,
        task: impl Future<Output = T> + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        let guard = RunningGuard::new(&self.running, tool);
        let task = async move {
            let _guard = guard;
            task.await
        };
        self.tracker.spawn_on(task, runtime)
    }

    /// Runs a tracked function of a tool on a blocking thread of this runtime.
    pub(crate) fn spawn_blocking<T: Send + 'static>(
        &self,
        tool: &str,
        function: impl FnOnce() -> T + Send + 'static,
        runtime: &tokio::runtime::Handle,
    ) -> tokio::task::JoinHandle<T> {
        let guard = RunningGuard::new(&self.running, tool);
        let function = move || {
            let _guard = guard;
            function()
        };
        self.tracker.spawn_blocking_on(function, runtime)
    }
}
