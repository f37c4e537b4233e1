//! The options of an engine.

use std::time::Duration;

/// The options of an engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineOptions {
    /// How many tasks run at once in one call of `work`.
    pub(crate) concurrency: usize,
    pub(crate) heartbeat: Duration,
    /// How often a worker without tasks looks for some while the database notifies it.
    pub(crate) listening_poll: Duration,
    /// How many tasks of one owner may exist that have not ended.
    pub(crate) max_open: usize,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        EngineOptions {
            concurrency: cores * 4,
            heartbeat: Duration::from_millis(500),
            listening_poll: Duration::from_secs(1),
            max_open: 1_000,
        }
    }
}

/// Defines the setters of an engine, whose field `core` is an `Arc<Core>`.
macro_rules! setters {
    () => {
        /// Sets how many tasks run at once in this process. The default is four for each core.
        ///
        /// ```
        /// # #[cfg(feature = "sqlite")]
        /// let engine = tool_tasks::SqliteEngine::at("tasks.db").concurrency(8);
        /// ```
        #[must_use]
        pub fn concurrency(self, tasks: usize) -> Self {
            self.with(|options| options.concurrency = tasks.max(1))
        }

        /// Sets how often this process shows that it is alive while it runs tasks, and looks whether they were canceled. The
        /// default is 500 ms. Another process takes the tasks over when three heartbeats did not come.
        ///
        /// ```
        /// # #[cfg(feature = "sqlite")]
        /// let engine = tool_tasks::SqliteEngine::at("tasks.db").heartbeat(std::time::Duration::from_secs(1));
        /// ```
        #[must_use]
        pub fn heartbeat(self, heartbeat: std::time::Duration) -> Self {
            self.with(|options| options.heartbeat = heartbeat.max(std::time::Duration::from_millis(10)))
        }

        /// Sets how many tasks one owner may have that have not ended. The default is 1,000.
        ///
        /// ```
        /// # #[cfg(feature = "sqlite")]
        /// let engine = tool_tasks::SqliteEngine::at("tasks.db").max_open(100);
        /// ```
        #[must_use]
        pub fn max_open(self, tasks: usize) -> Self {
            self.with(|options| options.max_open = tasks)
        }

        /// Sets how often this process polls while the database notifies it: for tests that need to know what woke it.
        #[cfg(feature = "conformance")]
        #[doc(hidden)]
        #[must_use]
        pub fn listening_poll(self, poll: std::time::Duration) -> Self {
            self.with(|options| options.listening_poll = poll)
        }
    };
}

pub(crate) use setters;
