//! Running a function: how long it may take, who waits for it, and that what modifies runs to its end.

use std::sync::Arc;
use std::time::Duration;

use tracing::Span;

use crate::audit::{Record, Told};
use crate::call::contained::Contained;
use crate::call::gate::{Gate, Pass};
use crate::call::outputs::Outputs;
use crate::call::tasks::Tasks;
use crate::call::timer::{Late, Timer};
use crate::context::LazyContext;
use crate::definition::ToolDefinition;
use crate::entry::{Pending, Running, Step};
use crate::failure::{Failure, FailureKind};
use crate::output::Output;

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
pub(crate) struct Runner {
    pub(super) limits: Limits,
    gate: Option<Arc<Gate>>,
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "without a runtime there is one thread"))]
    pub(super) threads: Arc<Gate>,
    pub(super) tasks: Tasks,
}

/// One call, and what lives as long as its function does.
#[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "no function outlives its caller"))]
pub(super) struct Run<'c> {
    pub(super) tool: &'c ToolDefinition,
    pub(super) context: &'c LazyContext<'c>,
    pub(super) span: Span,
    pub(super) pass: Option<Pass>,
    /// Goes along with a function that may outlive its caller, and is written when that has ended.
    pub(super) record: &'c mut Option<Box<Record>>,
}

impl Default for Runner {
    fn default() -> Self {
        Runner::new(Limits::default())
    }
}

impl Runner {
    pub(crate) fn new(limits: Limits) -> Self {
        let gate = limits.concurrency.map(|inside| Gate::new(inside, limits.queue.unwrap_or(inside)));
        Runner {
            limits,
            gate: gate.map(Arc::new),
            threads: Arc::new(Gate::new(limits.threads, usize::MAX)),
            tasks: Tasks::default(),
        }
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// What lets a number of calls through at once, where that is limited.
    pub(super) fn gate(&self) -> Option<&Arc<Gate>> {
        self.gate.as_ref()
    }

    /// The output as it is sent, or why it is not.
    pub(super) fn judge(
        &self,
        tool: &ToolDefinition,
        result: Result<Output, Failure>,
    ) -> Result<Output, Failure> {
        self.limits.outputs.judge(tool, result)
    }

    /// Takes what a tool was entered with to its end.
    pub(super) async fn run(&self, run: Run<'_>, step: Step) -> Result<Output, Failure> {
        let mut timer = self.timer(run.tool)?;
        let step = match step {
            Step::Deciding(decision) => self.decide(&run, &mut timer, decision).await?,
            step => step,
        };
        match step {
            Step::Done(result) => self.judge(run.tool, result),
            Step::Running(future) => self.drive(run, timer, future).await,
            #[cfg(feature = "tokio")]
            Step::Blocking(function) => self.block(run, timer, function).await,
            Step::Deciding(_) | Step::Valid | Step::Invalid | Step::Described(_) => Err(Failure::internal()),
        }
    }

    /// Waits for what a function of the application decides about access. Nothing of the tool has run so far, so that
    /// the decision is dropped when the caller goes away, whatever the tool does.
    async fn decide(
        &self,
        run: &Run<'_>,
        timer: &mut Timer,
        decision: Pending<Step>,
    ) -> Result<Step, Failure> {
        let mut decision = Contained::new(decision, run.span.clone());
        let gone = Gone::new(run.context, None);
        let step = timer
            .limit(&mut decision)
            .await
            .map_err(|Late(limit)| Failure::timeout_before(run.tool, limit))?;
        gone.stayed();
        step
    }

    /// Drives a function to its end.
    ///
    /// When the caller goes away or the time is over, a function that modifies nothing is dropped. One that does runs on
    /// in a task of its own, since half of a change is worse than none.
    async fn drive(&self, run: Run<'_>, mut timer: Timer, future: Running) -> Result<Output, Failure> {
        let mut function = Contained::new(future, run.span.clone());
        #[cfg(feature = "tokio")]
        if run.tool.modifies()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            return self.drive_apart(run, timer, function, &runtime).await;
        }
        let gone = Gone::new(run.context, None);
        let result = match timer.limit(&mut function).await {
            Ok(result) => result,
            Err(Late(limit)) => return Err(Failure::timeout(run.tool, limit)),
        };
        gone.stayed();
        self.judge(run.tool, result)
    }

    fn timer(&self, tool: &ToolDefinition) -> Result<Timer, Failure> {
        Timer::start(tool.timeout().or(self.limits.timeout))
    }
}

/// Tells the function that its caller went away, unless the caller stayed to the end.
pub(super) struct Gone<'c> {
    context: Option<&'c LazyContext<'c>>,
    told: Option<Told>,
    pub(super) why: FailureKind,
}

impl<'c> Gone<'c> {
    pub(super) fn new(context: &'c LazyContext<'c>, told: Option<Told>) -> Self {
        Gone { context: Some(context), told, why: FailureKind::Cancelled }
    }

    pub(super) fn stayed(mut self) {
        self.context = None;
    }
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        if let Some(context) = self.context {
            context.cancel();
            if let Some(told) = &self.told {
                // Told once.
                let _ = told.set(self.why);
            }
        }
    }
}
