//! Running a function where it may outlive its caller: in a task of its own, or on a thread that it blocks.

use std::pin::pin;

use tokio::runtime::Handle;
use tokio::task::JoinError;
use tracing::Span;

use crate::audit::Record;
use crate::call::contained::{Disposed, contained};
use crate::call::gate::{Busy, Pass};
use crate::call::inquiring::{Inquiring, Thread};
use crate::call::ongoing::Ongoing;
use crate::call::run::{Gone, Runner};
use crate::call::timer::{Late, Timer, limited};
use crate::definition::ToolDefinition;
use crate::entry::Blocking;
use crate::failure::{Failure, FailureKind};
use crate::output::Output;

impl Runner {
    /// Drives a function in a task of its own, which its caller waits for.
    pub(super) async fn drive_apart(
        &self,
        call: &mut Ongoing<'_>,
        pass: Option<Pass>,
        timer: Option<Timer>,
        function: Inquiring,
        runtime: &Handle,
    ) -> Result<Output, Failure> {
        let gone = Gone::new(&call.context, call.record.as_deref().map(Record::told));
        let (outputs, kept) = (self.limits.outputs, call.keeps());
        let (tool, record, span) = (call.tool.clone(), call.record.take(), call.span.clone());
        let task = async move {
            let mut result = function.await;
            let _inside = span.enter();
            outputs.judge(&tool, &mut result, || kept);
            ended(record, pass, &result);
            result
        };
        gone.wait(call.tool, &call.span, timer, self.tasks.spawn(task, runtime)).await
    }

    /// Calls a function on a thread where it harms nobody, and on this one where there is no runtime. The thread is busy
    /// until the function returns, whoever still waits for it.
    pub(super) async fn block(
        &self,
        call: &mut Ongoing<'_>,
        pass: Option<Pass>,
        mut timer: Option<Timer>,
        function: Blocking,
    ) -> Result<Output, Failure> {
        let kept = call.keeps();
        let Ongoing { context, span, record, .. } = call;
        let asks = context.existing().cloned();
        if let Some(asks) = &asks {
            asks.inquiry().open();
        }
        if let Some(timer) = &mut timer {
            timer.asks(asks.as_ref());
        }
        let (tool, outputs, function) = (call.tool, self.limits.outputs, Disposed::new(function));
        let call = {
            let (tool, span, asks) = (tool.clone(), span.clone(), asks.clone());
            move || {
                let _inside = span.enter();
                let called = function.take().map(contained);
                let mut result = called.and_then(Result::ok).unwrap_or_else(|| Err(Failure::internal()));
                if let Some(asks) = asks {
                    asks.inquiry().judge(&mut result);
                }
                outputs.judge(&tool, &mut result, || kept);
                result
            }
        };
        let Ok(runtime) = Handle::try_current() else { return call() };
        let mut place = pin!(self.threads.enter(context.caller().principal.id()));
        let thread = match limited(&mut timer, place.as_mut()).await {
            Ok(Ok(thread)) => thread,
            Ok(Err(Busy)) => return Err(Failure::busy()),
            Err(Late(limit)) => return Err(Failure::timeout_before(tool, limit)),
        };
        let gone = Gone::new(context, record.as_deref().map(Record::told));
        let record = record.take();
        let inside = span.clone();
        let task = move || {
            let result = call();
            inside.in_scope(|| ended(record, pass, &result));
            drop(thread);
            result
        };
        let task = self.tasks.spawn_blocking(task, &runtime);
        gone.wait(tool, span, timer, Thread { task, context: asks }).await
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
    async fn wait<F>(
        mut self,
        tool: &ToolDefinition,
        span: &Span,
        mut timer: Option<Timer>,
        task: F,
    ) -> Result<Output, Failure>
    where
        F: Future<Output = Result<Result<Output, Failure>, JoinError>> + Unpin,
    {
        match limited(&mut timer, task).await {
            Ok(joined) => {
                self.stayed();
                joined.unwrap_or_else(|error| {
                    // A panic is contained further in: what remains is a runtime that shuts down.
                    span.in_scope(|| tracing::error!(%error, "a call was cut off"));
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
