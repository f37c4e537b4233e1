//! The time that a call may take.

use std::time::Duration;

use crate::failure::Failure;

/// The call has not ended in this time.
#[derive(Debug)]
pub(super) struct Late(pub(super) Duration);

/// Measures the time of one call, if it has a limit.
#[cfg(feature = "tokio")]
pub(super) struct Timer(Option<(Duration, std::pin::Pin<Box<tokio::time::Sleep>>)>);

#[cfg(feature = "tokio")]
impl Timer {
    /// Measures from now on.
    ///
    /// # Errors
    ///
    /// On a runtime without timers, or on none: a limit that cannot be kept is not silently dropped.
    pub(super) fn start(limit: Option<Duration>) -> Result<Self, Failure> {
        let Some(limit) = limit else { return Ok(Timer(None)) };
        match crate::call::contained(|| Box::pin(tokio::time::sleep(limit))) {
            Ok(sleep) => Ok(Timer(Some((limit, sleep)))),
            Err(crate::call::Panicked) => {
                tracing::error!("a call has a time limit, and there is no runtime with timers to keep it");
                Err(Failure::internal())
            }
        }
    }

    /// What the future gives, if it gives it in time. One that does not is left as it is.
    pub(super) async fn limit<F: Future + Unpin>(&mut self, mut future: F) -> Result<F::Output, Late> {
        use std::pin::{Pin, pin};
        use std::task::Poll;

        let Some((limit, sleep)) = &mut self.0 else { return Ok(future.await) };
        std::future::poll_fn(|cx| match Pin::new(&mut future).poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            // A function that never waits uses up what tokio lets one task do in a row, and would leave the clock nothing.
            Poll::Pending => {
                let clock = pin!(tokio::task::unconstrained(sleep.as_mut()));
                clock.poll(cx).map(|()| Err(Late(*limit)))
            }
        })
        .await
    }
}

/// There is no clock, and a registry with a time limit is not built.
#[cfg(not(feature = "tokio"))]
pub(super) struct Timer;

#[cfg(not(feature = "tokio"))]
impl Timer {
    #[expect(clippy::unnecessary_wraps, reason = "as with a clock")]
    pub(super) fn start(_: Option<Duration>) -> Result<Self, Failure> {
        Ok(Timer)
    }

    pub(super) async fn limit<F: Future + Unpin>(&mut self, future: F) -> Result<F::Output, Late> {
        Ok(future.await)
    }
}
