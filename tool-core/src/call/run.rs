//! Running a function: within its time limit, and to its end if it modifies.

use std::sync::Arc;

use crate::call::audit::Reported;
use crate::call::invocation::Invocation;
use crate::context::LazyContext;
use crate::context::elicitation::suspend::SuspendableCall;
use crate::context::permit::Permit;
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::declare::entry::{EntryOutcome, Preparation};
use crate::model::catch_panic::CatchPanic;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;

impl Invocation<'_> {
    /// Turns an invalid or too large output into a failure.
    pub(super) fn check_output(&self, result: &mut Result<Output, Failure>) {
        let _inside = self.span.enter();
        self.scope.executor.limits.outputs.check_output(self.tool, result, || self.keeps());
    }

    /// Runs the function to its end, within the time that is left.
    ///
    /// If the caller leaves or the time is over, a function that modifies nothing is dropped. A function that modifies
    /// continues in its own task, since a change must not stop halfway.
    pub(super) async fn run(
        &mut self,
        permit: Option<Arc<Permit>>,
        mut timer: Option<Timer>,
        step: EntryOutcome,
    ) -> Result<Output, Failure> {
        let step = match step {
            EntryOutcome::Preparing(preparation) => Box::pin(prepare(self, &mut timer, preparation)).await?,
            step => step,
        };
        let function = match step {
            EntryOutcome::Running(function) => function,
            #[cfg(feature = "tokio")]
            EntryOutcome::Blocking(function) => {
                return Box::pin(self.block(permit, timer, function)).await;
            }
            EntryOutcome::Done(mut result) => {
                self.check_output(&mut result);
                return result;
            }
            EntryOutcome::Preparing(_)
            | EntryOutcome::Valid
            | EntryOutcome::Invalid
            | EntryOutcome::Described(_) => {
                return Err(Failure::internal());
            }
        };
        let context = self.context.existing();
        if let Some(timer) = &mut timer {
            timer.exclude_waiting(context);
        }
        let mut function = SuspendableCall::new(CatchPanic::new(function, self.span.clone()), context);
        #[cfg(feature = "tokio")]
        if self.tool.modifies()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            return Box::pin(self.spawn(permit, timer, function, &runtime)).await;
        }
        let guard = CancelOnDrop::new(&self.context, None);
        let mut result = match timer {
            None => function.await,
            Some(mut timer) => {
                let limited = timer.limit(&mut function).await;
                limited.map_err(|Elapsed(limit)| {
                    Failure::timeout(self.tool.name(), limit, self.tool.modifies())
                })?
            }
        };
        guard.disarm();
        drop(permit);
        self.check_output(&mut result);
        result
    }
}

/// Waits for the access function and for the parameters that are awaited, within the time that is left, and enters the
/// function. No code of the tool has run yet, so that this can be dropped if the caller leaves.
pub(super) async fn prepare(
    call: &Invocation<'_>,
    timer: &mut Option<Timer>,
    preparation: Preparation,
) -> Result<EntryOutcome, Failure> {
    // Without a client, nobody can be asked.
    let context = call.context.options().client.as_ref().map(|_| call.context.get());
    if let Some(timer) = timer {
        timer.exclude_waiting(context);
    }
    let preparation = CatchPanic::new(preparation(call.source()), call.span.clone());
    let mut preparing = SuspendableCall::new(preparation, context);
    let guard = CancelOnDrop::new(&call.context, None);
    let prepared = limited(timer, &mut preparing).await;
    let prepared = prepared.map_err(|Elapsed(limit)| Failure::timeout_before(call.tool.name(), limit))?;
    guard.disarm();
    prepared
}

/// Cancels the context of a call when it is dropped, unless it is disarmed.
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
                // Set only once.
                let _ = reported.set(self.why);
            }
        }
    }
}
