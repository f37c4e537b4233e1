//! Running a function: how long it may take, who waits for it, and that what modifies runs to its end.

use std::sync::Arc;
use std::time::Duration;

use crate::call::audit::Reported;
use crate::call::invocation::Invocation;
use crate::call::output_check::Outputs;
use crate::context::LazyContext;
use crate::context::elicitation::suspend::SuspendableCall;
use crate::context::permit::Permit;
use crate::context::semaphore::FairSemaphore;
use crate::context::tasks::Tasks;
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::declare::entry::{AuthorizedCall, EntryOutcome, Pending};
use crate::definition::ToolDefinition;
use crate::model::catch_panic::{CatchPanic, Panicked, catch_panic};
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;

/// How a registry runs its tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long a call may take, where its tool does not say.
    pub(crate) timeout: Option<Duration>,
    /// How many calls run at once.
    pub(crate) concurrency: Option<usize>,
    /// How many wait, where that is limited: as many as run, unless it is said.
    pub(crate) queue: Option<usize>,
    /// How many threads there are for functions that block.
    pub(crate) threads: usize,
    pub(crate) outputs: Outputs,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { timeout: None, concurrency: None, queue: None, threads: 64, outputs: Outputs::default() }
    }
}

/// Runs the functions of one registry.
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

    /// What lets a number of calls through at once, where that is limited.
    pub(super) fn semaphore(&self) -> Option<&Arc<FairSemaphore>> {
        self.semaphore.as_ref()
    }

    /// Makes the output what is sent, or a failure of it.
    pub(super) fn check_output(&self, call: &Invocation<'_>, result: &mut Result<Output, Failure>) {
        let _inside = call.span.enter();
        self.limits.outputs.check_output(call.tool, result, || call.keeps());
    }

    /// Takes what a tool was entered with to its end, in the time that is left.
    ///
    /// When the caller goes away or the time is over, a function that modifies nothing is dropped. One that does runs on
    /// in a task of its own, since half of a change is worse than none.
    pub(super) async fn run(
        &self,
        call: &mut Invocation<'_>,
        permit: Option<Arc<Permit>>,
        mut timer: Option<Timer>,
        step: EntryOutcome,
    ) -> Result<Output, Failure> {
        let step = match step {
            EntryOutcome::Authorizing(decision) => Box::pin(decide(call, &mut timer, decision)).await?,
            step => step,
        };
        let function = match step {
            EntryOutcome::Running(function) => function,
            #[cfg(feature = "tokio")]
            EntryOutcome::Blocking(function) => {
                return Box::pin(self.block(call, permit, timer, function)).await;
            }
            EntryOutcome::Done(mut result) => {
                self.check_output(call, &mut result);
                return result;
            }
            EntryOutcome::Authorizing(_)
            | EntryOutcome::Valid
            | EntryOutcome::Invalid
            | EntryOutcome::Described(_) => {
                return Err(Failure::internal());
            }
        };
        let context = call.context.existing();
        if let Some(timer) = &mut timer {
            timer.exclude_waiting(context);
        }
        let mut function = SuspendableCall::new(CatchPanic::new(function, call.span.clone()), context);
        #[cfg(feature = "tokio")]
        if call.tool.modifies()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            return Box::pin(self.spawn(call, permit, timer, function, &runtime)).await;
        }
        let guard = CancelOnDrop::new(&call.context, None);
        let mut result = match timer {
            None => function.await,
            Some(mut timer) => {
                let limited = timer.limit(&mut function).await;
                limited.map_err(|Elapsed(limit)| {
                    Failure::timeout(call.tool.name(), limit, call.tool.modifies())
                })?
            }
        };
        guard.disarm();
        drop(permit);
        self.check_output(call, &mut result);
        result
    }

    /// Measures the time of a call from now on, if it has a limit.
    pub(super) fn timer(&self, tool: &ToolDefinition) -> Result<Option<Timer>, Failure> {
        tool.timeout().or(self.limits.timeout).map(Timer::start).transpose()
    }
}

/// Waits for what a function of the application decides about access. Nothing of the tool has run so far, so that the
/// decision is dropped when the caller goes away, whatever the tool does.
async fn decide(
    call: &Invocation<'_>,
    timer: &mut Option<Timer>,
    decision: Pending<AuthorizedCall>,
) -> Result<EntryOutcome, Failure> {
    let mut decision = CatchPanic::new(decision, call.span.clone());
    let guard = CancelOnDrop::new(&call.context, None);
    let cleared = limited(timer, &mut decision).await;
    let cleared = cleared.map_err(|Elapsed(limit)| Failure::timeout_before(call.tool.name(), limit))?;
    guard.disarm();
    let cleared = cleared?;
    let _inside = call.span.enter();
    catch_panic(|| cleared(call.source())).map_err(|Panicked| Failure::internal())
}

/// Tells the function that its caller went away, unless the caller stayed to the end.
pub(super) struct CancelOnDrop<'c> {
    context: Option<&'c LazyContext<'c>>,
    reported: Option<Reported>,
    pub(super) why: FailureKind,
}

impl<'c> CancelOnDrop<'c> {
    pub(super) fn new(context: &'c LazyContext<'c>, reported: Option<Reported>) -> Self {
        CancelOnDrop { context: Some(context), reported, why: FailureKind::Cancelled }
    }

    pub(super) fn disarm(mut self) {
        self.context = None;
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(context) = self.context {
            context.cancel();
            if let Some(reported) = &self.reported {
                // Told once.
                let _ = reported.set(self.why);
            }
        }
    }
}
