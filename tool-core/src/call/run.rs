//! Running the function: what panics is contained, and what modifies runs to its end.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use crate::context::LazyContext;
use crate::definition::ToolDefinition;
use crate::entry::Running;
use crate::failure::Failure;
use crate::output::Output;

/// Runs the functions of one registry.
#[derive(Debug, Default)]
pub(crate) struct Runner {
    /// The modifying calls that are on their way, whether or not somebody still waits for them.
    #[cfg(feature = "tokio")]
    tasks: tokio_util::task::TaskTracker,
}

impl Runner {
    /// Drives a function to its end.
    ///
    /// When the caller goes away, a function that modifies nothing is dropped. One that does runs on in a task of its
    /// own, since half of a change is worse than none; [`Runner::idle`] waits for it.
    pub(crate) async fn run(
        &self,
        tool: &ToolDefinition,
        context: &LazyContext<'_>,
        span: tracing::Span,
        future: Running,
    ) -> Result<Output, Failure> {
        let contained = Contained { running: Some(future), span };
        let gone = Gone(Some(context));
        let result = self.drive(tool, contained).await;
        gone.stayed();
        result
    }

    #[cfg(feature = "tokio")]
    async fn drive(&self, tool: &ToolDefinition, contained: Contained) -> Result<Output, Failure> {
        if tool.modifies()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            return self.tasks.spawn_on(contained, &runtime).await.unwrap_or_else(|error| {
                // A panic is contained further in: what remains is a runtime that shuts down.
                tracing::error!(%error, "a modifying call was cut off");
                Err(Failure::internal())
            });
        }
        contained.await
    }

    #[cfg(not(feature = "tokio"))]
    async fn drive(&self, _: &ToolDefinition, contained: Contained) -> Result<Output, Failure> {
        contained.await
    }

    /// Counts a modifying call from here on, also one that runs in place.
    #[cfg(feature = "tokio")]
    pub(crate) fn counts(&self, tool: &ToolDefinition) -> Option<impl Sized + use<>> {
        tool.modifies().then(|| self.tasks.token())
    }

    #[cfg(not(feature = "tokio"))]
    #[expect(clippy::unused_self, reason = "without a runtime there is nobody to wait")]
    pub(crate) fn counts(&self, _: &ToolDefinition) -> Option<()> {
        None
    }

    /// Waits until no modifying call is on its way.
    #[cfg(feature = "tokio")]
    pub(crate) async fn idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Tells the function that its caller went away, unless the caller stayed to the end.
struct Gone<'c>(Option<&'c LazyContext<'c>>);

impl Gone<'_> {
    fn stayed(mut self) {
        self.0 = None;
    }
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        if let Some(context) = self.0 {
            context.cancel();
        }
    }
}

/// A function on its way, of which no panic comes out: neither while it runs nor when it is dropped.
struct Contained {
    running: Option<Running>,
    span: tracing::Span,
}

/// Drops a function that has ended or is no longer wanted.
fn discard(running: &mut Option<Running>) {
    if let Some(running) = running.take() {
        // Already logged; a future that cannot be dropped is of no more use to anybody.
        let _ = contained(|| drop(running));
    }
}

impl Future for Contained {
    type Output = Result<Output, Failure>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Contained { running, span } = &mut *self;
        let _entered = span.enter();
        let Some(future) = running else { return Poll::Ready(Err(Failure::internal())) };
        let polled = match contained(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(Panicked) => Err(Failure::internal()),
        };
        discard(running);
        Poll::Ready(polled)
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        discard(&mut self.running);
    }
}

/// The function panicked; what it said is in the log.
pub(crate) struct Panicked;

/// Calls foreign code, and turns its panic into an error.
pub(crate) fn contained<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        tracing::error!(panic = message(payload.as_ref()), "a tool panicked");
        // A payload may panic again when it is dropped, and that payload too: the second one is leaked.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        Panicked
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is no text")
}

/// A function that blocks, on a thread where that harms nobody.
#[cfg(feature = "tokio")]
pub(crate) fn blocking(function: impl FnOnce() -> Result<Output, Failure> + Send + 'static) -> Running {
    let span = tracing::Span::current();
    let function = move || span.in_scope(function);
    Box::pin(async move {
        if tokio::runtime::Handle::try_current().is_err() {
            return function();
        }
        match tokio::task::spawn_blocking(function).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(Failure::internal()),
        }
    })
}

/// Drives a future on this thread, for examples and tests without a runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    use std::sync::Arc;
    use std::task::{Wake, Waker};
    use std::thread::{Thread, current, park};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut cx = TaskContext::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => park(),
        }
    }
}
