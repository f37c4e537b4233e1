//! The time limit of a call.

use std::time::Duration;

use crate::context::Context;
use crate::model::failure::Failure;

/// The call exceeded this time limit.
#[derive(Debug)]
pub(crate) struct Elapsed(pub(crate) Duration);

/// The timer of one call.
#[cfg(feature = "tokio")]
pub(crate) struct Timer {
    limit: Duration,
    sleep: std::pin::Pin<Box<tokio::time::Sleep>>,
    /// The context, if the call may ask its caller.
    context: Option<Context>,
    /// The extension for time spent waiting for answers.
    granted: Duration,
}

#[cfg(feature = "tokio")]
impl Timer {
    /// Starts the timer.
    ///
    /// # Errors
    ///
    /// If there is no runtime with timers. A limit is never silently ignored.
    pub(crate) fn start(limit: Duration) -> Result<Self, Failure> {
        // tokio panics without timers, and offers no check.
        let sleep = crate::model::catch_panic::catch_panic(|| Box::pin(tokio::time::sleep(limit)));
        sleep.map(|sleep| Timer { limit, sleep, context: None, granted: Duration::ZERO }).map_err(
            |crate::model::catch_panic::Panicked| {
                tracing::error!("a call has a time limit, and there is no runtime with timers to keep it");
                Failure::internal()
            },
        )
    }

    /// Excludes the time that the caller takes to answer.
    pub(crate) fn exclude_waiting(&mut self, context: Option<&Context>) {
        self.context = context.cloned();
    }

    /// Returns `true` if the time is over, or extends it by the time spent waiting for answers.
    fn is_over(&mut self) -> bool {
        let waited = self.context.as_ref().map_or(Duration::ZERO, |context| context.elicitation().waited());
        let Some(rest) = waited.checked_sub(self.granted).filter(|rest| !rest.is_zero()) else { return true };
        self.granted = waited;
        self.sleep.as_mut().reset(tokio::time::Instant::now() + rest);
        false
    }

    /// Awaits a future until the time is over. A future that is late is not dropped.
    pub(crate) async fn limit<F: Future + Unpin>(&mut self, mut future: F) -> Result<F::Output, Elapsed> {
        use std::pin::{Pin, pin};
        use std::task::Poll;

        std::future::poll_fn(|cx| match Pin::new(&mut future).poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            // A function that never yields uses up the cooperative budget of the task, which would starve the timer.
            Poll::Pending => loop {
                let clock = pin!(tokio::task::unconstrained(self.sleep.as_mut()));
                match clock.poll(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) if self.is_over() => return Poll::Ready(Err(Elapsed(self.limit))),
                    Poll::Ready(()) => {}
                }
            },
        })
        .await
    }
}

/// Never created: without timers, a registry with a time limit cannot be built.
#[cfg(not(feature = "tokio"))]
pub(crate) enum Timer {}

#[cfg(not(feature = "tokio"))]
impl Timer {
    pub(crate) fn start(_: Duration) -> Result<Self, Failure> {
        Err(Failure::internal())
    }

    pub(crate) fn exclude_waiting(&mut self, _: Option<&Context>) {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as with timers")]
    pub(crate) async fn limit<F: Future + Unpin>(&mut self, _: F) -> Result<F::Output, Elapsed> {
        match *self {}
    }
}

/// Awaits a future, with a time limit if there is a timer.
pub(crate) async fn limited<F: Future + Unpin>(
    timer: &mut Option<Timer>,
    future: F,
) -> Result<F::Output, Elapsed> {
    match timer {
        None => Ok(future.await),
        Some(timer) => timer.limit(future).await,
    }
}
