//! Futures of functions that may ask their caller, and are suspended when the answers are deferred.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::context::Context;
use crate::context::elicitation::ElicitationClient;
use crate::context::elicitation::question::Question;
use crate::model::catch_panic::{CatchPanic, catch_panic};
use crate::model::failure::Failure;
#[cfg(feature = "tokio")]
use crate::model::output::Output;

/// A running function, or the injection of its parameters, which may ask if it has a context.
pub(crate) struct SuspendableCall<'f, T> {
    function: CatchPanic<'f, T>,
    context: Option<Context>,
}

impl<'f, T> SuspendableCall<'f, T> {
    pub(crate) fn new(function: CatchPanic<'f, T>, context: Option<&Context>) -> Self {
        if let Some(context) = context {
            context.elicitation().open();
        }
        SuspendableCall { function, context: context.cloned() }
    }
}

impl<T> Future for SuspendableCall<'_, T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let SuspendableCall { function, context } = &mut *self;
        let mut polled = Pin::new(&mut *function).poll(cx);
        let Some(context) = context else { return polled };
        match &mut polled {
            Poll::Ready(result) => context.elicitation().finish(result),
            Poll::Pending => {
                if let Some(questions) = context.elicitation().poll_suspended(cx) {
                    // Safe for every operation: nothing was changed before the question, and the function starts again
                    // with the answers.
                    function.abandon();
                    report_suspended(context, questions);
                    return Poll::Ready(Err(Failure::suspended()));
                }
            }
        }
        polled
    }
}

/// A function on its own thread, which may ask. If the call is suspended, the question fails instead of being answered,
/// and the function ends by itself.
#[cfg(feature = "tokio")]
pub(crate) struct SuspendableThread {
    pub(crate) task: tokio::task::JoinHandle<Result<Output, Failure>>,
    pub(crate) context: Option<Context>,
}

#[cfg(feature = "tokio")]
impl Future for SuspendableThread {
    type Output = Result<Result<Output, Failure>, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let SuspendableThread { task, context } = &mut *self;
        let polled = Pin::new(task).poll(cx);
        if polled.is_pending()
            && let Some(context) = context
            && let Some(questions) = context.elicitation().poll_suspended(cx)
        {
            report_suspended(context, questions);
            return Poll::Ready(Ok(Err(Failure::suspended())));
        }
        polled
    }
}

fn report_suspended(context: &Context, questions: Vec<Question>) {
    // Cancels tasks that the call spawned.
    context.cancel();
    if let Some(ElicitationClient::Direct(client)) = context.elicitation_client() {
        // A panic is already logged; the call is suspended anyway.
        let _ = catch_panic(|| client.0.suspended(questions));
    }
}
