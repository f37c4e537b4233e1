//! Running a function where it may outlive its caller: in a task of its own, or on a thread that it blocks.

use std::pin::pin;

use tokio::runtime::Handle;
use tokio::task::JoinError;

use crate::audit::Record;
use crate::call::contained::{Contained, Disposed, contained};
use crate::call::gate::Pass;
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

    /// Calls a function on a thread where it harms nobody, and on this one where there is no runtime. The thread is busy
    /// until the function returns, whoever still waits for it.
    pub(super) async fn block(&self, run: Run<'_>, function: Blocking) -> Result<Output, Failure> {
        let outputs = self.limits.outputs;
        let function = Contained::new(function, run.span.clone());
        let timer = self.timer(run.tool)?;
        let gone = Gone::new(run.context, run.record.as_deref().map(Record::told));
        let caller = run.context.principal().id();
        let returned = pin!(async {
            let function = match function.await {
                Ok(function) => Disposed::new(function),
                Err(failure) => return Ok(Err(failure)),
            };
            let (tool, span) = (run.tool.clone(), run.span);
            let call = move || {
                let called = function.take().map(|function| span.in_scope(|| contained(function)));
                outputs.judge(&tool, called.and_then(Result::ok).unwrap_or_else(|| Err(Failure::internal())))
            };
            let Ok(runtime) = Handle::try_current() else { return Ok(call()) };
            let Ok(thread) = self.threads.enter(caller).await else { return Ok(Err(Failure::busy())) };
            let record = run.record.take();
            let task = move || {
                let result = call();
                ended(record, run.pass, &result);
                drop(thread);
                result
            };
            self.tasks.spawn_blocking(task, &runtime).await
        });
        gone.wait(run.tool, timer, returned).await
    }
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
    async fn wait<F>(mut self, tool: &ToolDefinition, timer: Timer, task: F) -> Result<Output, Failure>
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
