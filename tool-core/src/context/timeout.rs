//! The time that a call may take.

use std::time::Duration;

use crate::context::Context;
use crate::model::failure::Failure;

/// The call has not ended in this time.
#[derive(Debug)]
pub(crate) struct Elapsed(pub(crate) Duration);

/// Measures the time of one call.
#[cfg(feature = "tokio")]
pub(crate) struct Timer {
    limit: Duration,
    sleep: std::pin::Pin<Box<tokio::time::Sleep>>,
    /// The context of a call that may ask its caller.
    context: Option<Context>,
    /// How much longer it may take for what it has waited for answers.
    granted: Duration,
}

#[cfg(feature = "tokio")]
impl Timer {
    /// Measures from now on.
    ///
    /// # Errors
    ///
    /// On a runtime without timers, or on none: a limit that cannot be kept is not silently dropped.
    pub(crate) fn start(limit: Duration) -> Result<Self, Failure> {
        // A panic of tokio's, which it gives no other way to avoid.
        let sleep = crate::model::catch_panic::catch_panic(|| Box::pin(tokio::time::sleep(limit)));
        sleep.map(|sleep| Timer { limit, sleep, context: None, granted: Duration::ZERO }).map_err(
            |crate::model::catch_panic::Panicked| {
                tracing::error!("a call has a time limit, and there is no runtime with timers to keep it");
                Failure::internal()
            },
        )
    }

    /// The call may ask its caller: what the caller takes to answer is not time of the call.
    pub(crate) fn exclude_waiting(&mut self, context: Option<&Context>) {
        self.context = context.cloned();
    }

    /// Whether the time is over, or was extended by what the caller took to answer.
    fn is_over(&mut self) -> bool {
        let waited = self.context.as_ref().map_or(Duration::ZERO, |context| context.elicitation().waited());
        let Some(rest) = waited.checked_sub(self.granted).filter(|rest| !rest.is_zero()) else { return true };
        self.granted = waited;
        self.sleep.as_mut().reset(tokio::time::Instant::now() + rest);
        false
    }

    /// What the future gives, if it gives it in time. One that does not is left as it is.
    pub(crate) async fn limit<F: Future + Unpin>(&mut self, mut future: F) -> Result<F::Output, Elapsed> {
        use std::pin::{Pin, pin};
        use std::task::Poll;

        std::future::poll_fn(|cx| match Pin::new(&mut future).poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            // A function that never waits uses up what tokio lets one task do in a row, and would leave the clock nothing.
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

/// There are no timers, and a registry with a time limit is not built.
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

/// What the future gives, in time if there is a limit.
pub(crate) async fn limited<F: Future + Unpin>(
    timer: &mut Option<Timer>,
    future: F,
) -> Result<F::Output, Elapsed> {
    match timer {
        None => Ok(future.await),
        Some(timer) => timer.limit(future).await,
    }
}
