//! When a program may end: nothing is on its way that outlives its caller.

use std::time::Duration;

use crate::context::tasks::Tasks;
use crate::registry::Registry;

impl Registry {
    /// Waits until nothing is on its way that outlives its caller: calls that modify, threads that block, and what tools
    /// started with [`Context::spawn`](crate::Context::spawn). A server does this before it ends.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// registry.drain().await;
    /// # });
    /// ```
    pub async fn drain(&self) {
        // A tool can call one that is at home where nothing was on its way when it was looked at.
        while let Some(busy) = self.tasks().into_iter().find(|tasks| tasks.len() > 0) {
            busy.drain().await;
        }
    }

    /// Waits as [`Registry::drain`] does, up to a deadline; how many calls and tasks are still on their way then.
    ///
    /// # Panics
    ///
    /// On a tokio runtime without timers, or on none.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    /// # runtime.block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let left = registry.drain_within(Duration::from_secs(10)).await;
    /// if left > 0 {
    ///     eprintln!("{left} calls are cut off");
    /// }
    /// # });
    /// ```
    pub async fn drain_within(&self, limit: Duration) -> usize {
        match tokio::time::timeout(limit, self.drain()).await {
            Ok(()) => 0,
            Err(_) => self.tasks().iter().map(|tasks| tasks.len()).sum(),
        }
    }

    /// What is on its way, in each of the places where tools are at home.
    fn tasks(&self) -> Vec<&Tasks> {
        self.inner.scopes().map(|scope| scope.executor.tasks()).collect()
    }
}
