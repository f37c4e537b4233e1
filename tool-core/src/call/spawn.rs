//! Running a function that may outlive its caller: in its own task, or on a blocking thread.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinError;
use tracing::Span;

use crate::call::audit::Record;
use crate::call::failure_log::FailureLog;
use crate::call::invocation::Invocation;
use crate::call::run::CancelOnDrop;
use crate::context::elicitation::suspend::{SuspendableCall, SuspendableThread};
use crate::context::permit::Permit;
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::declare::entry::Blocking;
use crate::definition::ToolDefinition;
use crate::model::catch_panic::{DropGuard, catch_panic};
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;

impl Invocation<'_> {
    /// Runs a function in its own task, and waits for it.
    pub(super) async fn spawn(
        &mut self,
        permit: Option<Arc<Permit>>,
        timer: Option<Timer>,
        function: SuspendableCall<'static, Output>,
        runtime: &Handle,
    ) -> Result<Output, Failure> {
        let guard = CancelOnDrop::new(&self.context, self.record.as_deref().map(Record::reported));
        let (outputs, kept) = (self.scope.executor.limits.outputs, self.keeps());
        let end = CallEnd { log: self.log(), record: self.record.take(), permit };
        let span = self.span.clone();
        let task = async move {
            let mut result = function.await;
            let _inside = span.enter();
            outputs.check_output(&end.log.tool, &mut result, || kept);
            end.record(&result);
            result
        };
        let task = self.scope.executor.background.spawn(self.tool.name(), task, runtime);
        let (result, has_ended) = guard.wait(self.tool, &self.span, timer, task).await;
        self.is_logged = has_ended;
        result
    }

    /// Calls a function on a blocking thread, or on this thread without a runtime. The thread is used until the function
    /// returns, even if the caller leaves.
    pub(super) async fn block(
        &mut self,
        permit: Option<Arc<Permit>>,
        mut timer: Option<Timer>,
        function: Blocking,
    ) -> Result<Output, Failure> {
        let (kept, log) = (self.keeps(), self.log());
        let Invocation { context, span, record, is_logged, .. } = self;
        let asks = context.existing().cloned();
        if let Some(asks) = &asks {
            asks.elicitation().open();
        }
        if let Some(timer) = &mut timer {
            timer.exclude_waiting(asks.as_ref());
        }
        let (tool, outputs, function) =
            (self.tool, self.scope.executor.limits.outputs, DropGuard::new(function));
        let call = {
            let (tool, span, asks) = (tool.clone(), span.clone(), asks.clone());
            move || {
                let _inside = span.enter();
                let called = function.take().map(catch_panic);
                let mut result = called.and_then(Result::ok).unwrap_or_else(|| Err(Failure::internal()));
                if let Some(asks) = asks {
                    asks.elicitation().finish(&mut result);
                }
                outputs.check_output(&tool, &mut result, || kept);
                result
            }
        };
        let Ok(runtime) = Handle::try_current() else { return call() };
        let thread = self.scope.executor.acquire_thread(tool, context, &mut timer).await?;
        if let Some(context) = &asks {
            context.hold(&thread);
        }
        let guard = CancelOnDrop::new(context, record.as_deref().map(Record::reported));
        let end = CallEnd { log, record: record.take(), permit };
        let inside = span.clone();
        let task = move || {
            let result = call();
            inside.in_scope(|| end.record(&result));
            drop(thread);
            result
        };
        let task = SuspendableThread {
            task: self.scope.executor.background.spawn_blocking(tool.name(), task, &runtime),
            context: asks,
        };
        let (result, has_ended) = guard.wait(tool, span, timer, task).await;
        *is_logged = has_ended;
        result
    }
}

/// The end of a function that may have outlived its caller.
struct CallEnd {
    log: FailureLog,
    record: Option<Box<Record>>,
    permit: Option<Arc<Permit>>,
}

impl CallEnd {
    /// Logs and records the result, then releases the permit.
    fn record(self, result: &Result<Output, Failure>) {
        if let Err(failure) = result {
            self.log.write(failure);
        }
        if let Some(record) = self.record {
            record.end(result);
        }
        drop(self.permit);
    }
}

impl CancelOnDrop<'_> {
    /// Waits for a task, within the time limit. Also returns whether the result is that of the function.
    async fn wait<F>(
        mut self,
        tool: &ToolDefinition,
        span: &Span,
        mut timer: Option<Timer>,
        task: F,
    ) -> (Result<Output, Failure>, bool)
    where
        F: Future<Output = Result<Result<Output, Failure>, JoinError>> + Unpin,
    {
        match limited(&mut timer, task).await {
            Ok(joined) => {
                self.disarm();
                match joined {
                    Ok(result) => (result, true),
                    Err(error) => {
                        // Panics are caught in the task: the runtime shuts down.
                        span.in_scope(|| tracing::error!(%error, "the task of a call was aborted"));
                        (Err(Failure::internal()), false)
                    }
                }
            }
            Err(Elapsed(limit)) => {
                self.why = FailureKind::Timeout;
                (Err(Failure::timeout(tool.name(), limit, tool.modifies())), false)
            }
        }
    }
}
