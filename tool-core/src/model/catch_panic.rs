//! Catches panics in code of the application.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use tracing::Span;

use crate::model::failure::Failure;
use crate::model::future::BoxFuture;

/// The code panicked. The message is logged.
pub(crate) struct Panicked;

/// Calls code of the application, and converts a panic into an error.
#[inline]
pub(crate) fn catch_panic<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(log)
}

/// Awaits a future of the application, and converts a panic into an error, also a panic on drop.
pub(crate) async fn catch_panic_future<T>(future: BoxFuture<'_, T>) -> Result<T, Panicked> {
    let mut future = DropGuard::new(future);
    let polled = poll_fn(|cx| {
        let Some(running) = &mut future.0 else { return Poll::Ready(Err(Panicked)) };
        match catch_panic(|| running.as_mut().poll(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
            Err(Panicked) => Poll::Ready(Err(Panicked)),
        }
    })
    .await;
    catch_panic(|| drop(future.0.take())).and(polled)
}

/// Logs the message of a panic.
fn log(payload: Box<dyn Any + Send>) -> Panicked {
    tracing::error!(panic = message(payload.as_ref()), "code of the application panicked");
    // Dropping the payload may panic again; that second payload is leaked.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    Panicked
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is not a string")
}

/// A value of the application whose panic on drop is caught.
pub(crate) struct DropGuard<T>(Option<T>);

impl<T> DropGuard<T> {
    pub(crate) fn new(inner: T) -> Self {
        DropGuard(Some(inner))
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn take(mut self) -> Option<T> {
        self.0.take()
    }

    fn dispose(&mut self) {
        if let Some(inner) = self.0.take() {
            // Already logged.
            let _ = catch_panic(|| drop(inner));
        }
    }
}

impl<T> Drop for DropGuard<T> {
    fn drop(&mut self) {
        self.dispose();
    }
}

/// Runs a detached task in its span, and logs its panic.
#[cfg(feature = "tokio")]
pub(crate) fn catch_panic_task(
    task: impl Future<Output = ()> + Send + 'static,
    span: Span,
) -> impl Future<Output = ()> + Send + 'static {
    let task = CatchPanic::new(
        Box::pin(async move {
            task.await;
            Ok(())
        }),
        span,
    );
    async move {
        // Already logged.
        let _ = task.await;
    }
}

/// A running function whose panics are caught, while it runs and when it is dropped.
pub(crate) struct CatchPanic<'f, T> {
    function: DropGuard<BoxFuture<'f, Result<T, Failure>>>,
    span: Span,
}

impl<'f, T> CatchPanic<'f, T> {
    pub(crate) fn new(function: BoxFuture<'f, Result<T, Failure>>, span: Span) -> Self {
        CatchPanic { function: DropGuard::new(function), span }
    }

    /// Drops the function.
    pub(crate) fn abandon(&mut self) {
        let _entered = self.span.enter();
        self.function.dispose();
    }
}

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let CatchPanic { function, span } = &mut *self;
        // Entered per poll: an entered span must not be held across an `await`.
        let _entered = span.enter();
        let Some(future) = &mut function.0 else { return Poll::Ready(Err(Failure::internal())) };
        let result = match catch_panic(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(Panicked) => Err(Failure::internal()),
        };
        function.dispose();
        Poll::Ready(result)
    }
}

impl<T> Drop for CatchPanic<'_, T> {
    fn drop(&mut self) {
        self.abandon();
    }
}
