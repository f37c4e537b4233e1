//! Waiting for calls and tasks that outlive their callers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::context::background::BackgroundTasks;
use crate::registry::Registry;

impl Registry {
    /// Waits until no call or task runs that outlives its caller: calls that modify, blocking threads, and tasks that tools
    /// started with [`Context::spawn`](crate::Context::spawn). A server does this before it exits.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// registry.drain().await;
    /// # });
    /// ```
    pub async fn drain(&self) {
        // A tool can call a tool of a scope that was idle when it was checked.
        while let Some(busy) = self.background().into_iter().find(|tasks| tasks.len() > 0) {
            busy.drain().await;
        }
    }

    /// Waits as [`Registry::drain`] does, but not longer than `limit`. Returns how many calls and tasks still run.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime, or if the runtime has no timers.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// # runtime.block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let left = registry.drain_within(Duration::from_secs(10)).await;
    /// if left > 0 {
    ///     eprintln!("{left} calls are aborted");
    /// }
    /// # });
    /// ```
    pub async fn drain_within(&self, limit: Duration) -> usize {
        match tokio::time::timeout(limit, self.drain()).await {
            Ok(()) => 0,
            Err(_) => self.background().iter().map(|tasks| tasks.len()).sum(),
        }
    }

    /// Returns how many calls and tasks of each tool run apart from their callers.
    pub(super) fn running(&self) -> BTreeMap<String, usize> {
        let mut running = BTreeMap::new();
        for (tool, count) in self.background().into_iter().flat_map(BackgroundTasks::running) {
            *running.entry(tool).or_default() += count;
        }
        running
    }

    /// Returns the running tasks of each scope.
    fn background(&self) -> Vec<&BackgroundTasks> {
        self.inner.scopes().map(|scope| scope.executor.background()).collect()
    }
}
