//! The limits of a registry and their enforcement.

use std::sync::Arc;
use std::time::Duration;

use crate::call::output_check::Outputs;
use crate::context::semaphore::FairSemaphore;
use crate::context::tasks::Tasks;
use crate::context::timeout::Timer;
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;

/// The limits of a registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The time limit of calls of tools without their own.
    pub(crate) timeout: Option<Duration>,
    /// The number of calls that run at the same time.
    pub(crate) concurrency: Option<usize>,
    /// The number of calls that wait if concurrency is limited; the default equals the concurrency.
    pub(crate) queue: Option<usize>,
    /// The number of threads for blocking functions.
    pub(crate) threads: usize,
    pub(crate) outputs: Outputs,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { timeout: None, concurrency: None, queue: None, threads: 64, outputs: Outputs::default() }
    }
}

/// Enforces the limits of a registry, and tracks its tasks.
#[derive(Debug)]
pub(crate) struct Executor {
    pub(super) limits: Limits,
    semaphore: Option<Arc<FairSemaphore>>,
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "without a runtime there is one thread"))]
    pub(super) threads: Arc<FairSemaphore>,
    pub(super) tasks: Tasks,
}

impl Default for Executor {
    fn default() -> Self {
        Executor::new(Limits::default())
    }
}

impl Executor {
    pub(crate) fn new(limits: Limits) -> Self {
        let semaphore =
            limits.concurrency.map(|inside| FairSemaphore::new(inside, limits.queue.unwrap_or(inside)));
        Executor {
            limits,
            semaphore: semaphore.map(Arc::new),
            threads: Arc::new(FairSemaphore::new(limits.threads, usize::MAX)),
            tasks: Tasks::default(),
        }
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns the semaphore for calls, if concurrency is limited.
    pub(super) fn semaphore(&self) -> Option<&Arc<FairSemaphore>> {
        self.semaphore.as_ref()
    }

    /// Starts the timer of a call, if it has a time limit.
    pub(super) fn timer(&self, tool: &ToolDefinition) -> Result<Option<Timer>, Failure> {
        tool.timeout().or(self.limits.timeout).map(Timer::start).transpose()
    }
}
