//! Running a function where it may outlive its caller: in a task of its own, or on a thread that it blocks.

use std::pin::pin;

use tokio::runtime::Handle;
use tokio::task::JoinError;
use tracing::Span;

use crate::audit::Record;
use crate::call::contained::{Contained, Disposed, Panicked, contained};
use crate::call::gate::{Busy, Pass};
use crate::call::run::{Gone, Run, Runner};
use crate::call::timer::{Late, Timer};
use crate::definition::ToolDefinition;
use crate::entry::Blocking;
use crate::failure::{Failure, FailureKind};
use crate::output::Output;

impl Runner {
    /// Drives a function in a task of its own, which its caller waits for.
    pub(super) async fn drive_apart(
        &self,
        run: Run<'_>,
        timer: Timer,
        function: Contained<Output>,
        runtime: &Handle,
    ) -> Result<Output, Failure> {
        let gone = Gone::new(run.context, run.record.as_deref().map(Record::told));
        let (tool, outputs, pass, record) =
            (run.tool.clone(), self.limits.outputs, run.pass, run.record.take());
        let task = async move {
            let result = outputs.judge(&tool, function.await);
            ended(record, pass, &result);
            result
        };
        gone.wait(run.tool, timer, self.tasks.spawn(task, runtime)).await
    }

    /// Runs a function on a thread where it harms nobody, and on this one where there is no runtime. The thread is busy
    /// until the function returns, whoever still waits for it.
    pub(super) async fn block(
        &self,
        run: Run<'_>,
        mut timer: Timer,
        function: Blocking,
    ) -> Result<Output, Failure> {
        let outputs = self.limits.outputs;
        let Ok(runtime) = Handle::try_current() else {
            return outputs.judge(run.tool, called(&run.span, function));
        };
        let function = Disposed::new(function);
        let mut place = pin!(self.threads.enter(run.context.caller().principal.id()));
        let thread = match timer.limit(place.as_mut()).await {
            Ok(Ok(thread)) => thread,
            Ok(Err(Busy)) => return Err(Failure::busy()),
            Err(Late(limit)) => return Err(Failure::timeout_before(run.tool, limit)),
        };
        let gone = Gone::new(run.context, run.record.as_deref().map(Record::told));
        let (tool, span, pass, record) = (run.tool.clone(), run.span, run.pass, run.record.take());
        let function = move || {
            let result =
                function.take().map_or_else(|| Err(Failure::internal()), |function| called(&span, function));
            let result = outputs.judge(&tool, result);
            ended(record, pass, &result);
            drop(thread);
            result
        };
        let thread = self.tasks.spawn_blocking(function, &runtime);
        gone.wait(run.tool, timer, thread).await
    }
}

/// Calls a function that blocks.
fn called(span: &Span, function: Blocking) -> Result<Output, Failure> {
    let result = span.in_scope(|| contained(function));
    result.unwrap_or_else(|Panicked| Err(Failure::internal()))
}

/// A function that may have outlived its caller has ended.
fn ended(record: Option<Box<Record>>, pass: Option<Pass>, result: &Result<Output, Failure>) {
    if let Some(record) = record {
        record.end(result);
    }
    drop(pass);
}

impl Gone<'_> {
    /// Waits for a function that runs elsewhere, and goes when the time is over.
    async fn wait<F>(mut self, tool: &ToolDefinition, mut timer: Timer, task: F) -> Result<Output, Failure>
    where
        F: Future<Output = Result<Result<Output, Failure>, JoinError>> + Unpin,
    {
        match timer.limit(task).await {
            Ok(joined) => {
                self.stayed();
                joined.unwrap_or_else(|error| {
                    // A panic is contained further in: what remains is a runtime that shuts down.
                    tracing::error!(%error, "a call was cut off");
                    Err(Failure::internal())
                })
            }
            Err(Late(limit)) => {
                self.why = FailureKind::Timeout;
                Err(Failure::timeout(tool, limit))
            }
        }
    }
}
