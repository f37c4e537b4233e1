//! The limits of a registry and their enforcement.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crate::call::output_check::Outputs;
use crate::context::LazyContext;
use crate::context::background::BackgroundTasks;
use crate::context::permit::Permit;
use crate::context::semaphore::FairSemaphore;
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;

/// The limits of a registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLimits {
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

impl Default for CallLimits {
    fn default() -> Self {
        CallLimits { timeout: None, concurrency: None, queue: None, threads: 64, outputs: Outputs::default() }
    }
}

/// Enforces the limits of a registry, and tracks its tasks.
#[derive(Debug)]
pub(crate) struct Executor {
    pub(super) limits: CallLimits,
    semaphore: Option<Arc<FairSemaphore>>,
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "without a runtime there is one thread"))]
    threads: Arc<FairSemaphore>,
    pub(super) background: BackgroundTasks,
}

impl Default for Executor {
    fn default() -> Self {
        Executor::new(CallLimits::default())
    }
}

impl Executor {
    pub(crate) fn new(limits: CallLimits) -> Self {
        let semaphore =
            limits.concurrency.map(|inside| FairSemaphore::new(inside, limits.queue.unwrap_or(inside)));
        Executor {
            limits,
            semaphore: semaphore.map(Arc::new),
            threads: Arc::new(FairSemaphore::new(limits.threads, usize::MAX)),
            background: BackgroundTasks::default(),
        }
    }

    pub(crate) fn background(&self) -> &BackgroundTasks {
        &self.background
    }

    /// Returns `true` if a call must acquire a permit.
    pub(crate) fn limits_concurrency(&self) -> bool {
        self.semaphore.is_some()
    }

    /// Acquires a permit for a call within its time limit, if concurrency is limited.
    pub(super) async fn acquire(
        &self,
        tool: &ToolDefinition,
        context: &LazyContext<'_>,
        timer: &mut Option<Timer>,
    ) -> Result<Option<Arc<Permit>>, Failure> {
        match &self.semaphore {
            Some(semaphore) => acquire_in_time(semaphore, tool, context, timer).await.map(Some),
            None => Ok(None),
        }
    }

    /// Acquires a permit for a blocking thread within the time limit of the call.
    #[cfg(feature = "tokio")]
    pub(super) async fn acquire_thread(
        &self,
        tool: &ToolDefinition,
        context: &LazyContext<'_>,
        timer: &mut Option<Timer>,
    ) -> Result<Arc<Permit>, Failure> {
        acquire_in_time(&self.threads, tool, context, timer).await
    }

    /// Starts the timer of a call, if it has a time limit.
    pub(crate) fn timer(&self, tool: &ToolDefinition) -> Result<Option<Timer>, Failure> {
        tool.timeout().or(self.limits.timeout).map(Timer::start).transpose()
    }
}

async fn acquire_in_time(
    semaphore: &Arc<FairSemaphore>,
    tool: &ToolDefinition,
    context: &LazyContext<'_>,
    timer: &mut Option<Timer>,
) -> Result<Arc<Permit>, Failure> {
    let mut acquire = pin!(Permit::acquire(semaphore, context.principal().id(), context.permits()));
    match limited(timer, acquire.as_mut()).await {
        Ok(permit) => permit,
        Err(Elapsed(limit)) => Err(Failure::timeout_before(tool.name(), limit)),
    }
}
