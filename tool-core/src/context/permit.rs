//! What a call has to hold to run where the number of calls is limited, and that the calls which it makes go on with it.
//!
//! A call that waits for the call of another tool keeps its place. Would the inner call have to wait for a place of its own, all
//! places could be taken by calls that wait for one, for good. It therefore shares the place of the call around it, one inner call
//! at a time, or takes a free one, whichever is there first.
//!
//! Where registries are joined, calls can still wait for one another: each holds what the other waits for. A shared place is a
//! place behind a gate of its own that lets one call through, so that both kinds are one to [`Wait`], which refuses the call that
//! would close such a circle.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, Weak};
use std::task::Poll;

use crate::context::LazyContext;
use crate::context::semaphore::{FairSemaphore, QueueFull, SemaphorePermit};
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::context::wait::{Deadlock, Wait};
use crate::model::failure::Failure;

/// The right to run among a limited number of calls, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Left first: who waits for it may then share the place.
    permit: SemaphorePermit,
    /// Of the call around, whose place this is; it is not left before.
    _outer: Option<Arc<Permit>>,
    semaphore: Arc<FairSemaphore>,
    /// Through which the calls that this call makes go, one at a time.
    inner: OnceLock<Arc<FairSemaphore>>,
}

/// Why there is no permit.
#[derive(Debug)]
enum AcquireError {
    /// There is no room left to wait.
    QueueFull,
    /// It would wait for calls that wait for it.
    Deadlock,
}

impl Permit {
    /// Waits for the right to run a tool, as long as there is time.
    pub(crate) async fn acquire_in_time(
        semaphore: &Arc<FairSemaphore>,
        tool: &str,
        context: &LazyContext<'_>,
        timer: &mut Option<Timer>,
    ) -> Result<Arc<Permit>, Failure> {
        let mut acquire = pin!(Permit::acquire(semaphore, context.principal().id(), context.permits()));
        match limited(timer, acquire.as_mut()).await {
            Ok(permit) => Ok(permit?),
            Err(Elapsed(limit)) => Err(Failure::timeout_before(tool, limit)),
        }
    }

    /// Waits for the right to run among the calls that this gate lets through.
    ///
    /// `held` is what the call and those around it hold, the innermost first. It is left by its own call while this one waits.
    async fn acquire(
        semaphore: &Arc<FairSemaphore>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, AcquireError> {
        let outer =
            held.iter().filter_map(Weak::upgrade).find(|permit| Arc::ptr_eq(&permit.semaphore, semaphore));
        match outer {
            Some(outer) => Permit::share_outer(outer, caller, held).await,
            None => Permit::acquire_own(semaphore, caller, held).await,
        }
    }

    /// Waits for a place of its own.
    async fn acquire_own(
        semaphore: &Arc<FairSemaphore>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, AcquireError> {
        let permit = match semaphore.try_acquire() {
            Some(permit) => permit,
            // What holds nothing keeps no other call waiting.
            None if held.is_empty() => semaphore.acquire(caller).await?,
            None => {
                let _wait = Wait::record(&held, &[semaphore])?;
                semaphore.acquire(caller).await?
            }
        };
        Ok(Permit::new(semaphore, permit, None))
    }

    /// Waits for the place of the call around, which those that it makes use in turn, or for a free one.
    async fn share_outer(
        outer: Arc<Self>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, AcquireError> {
        let semaphore = Arc::clone(&outer.semaphore);
        let inner = Arc::clone(outer.inner.get_or_init(|| Arc::new(FairSemaphore::new(1, usize::MAX))));
        let shared = |permit| Permit::new(&semaphore, permit, Some(Arc::clone(&outer)));
        let own = |permit| Permit::new(&semaphore, permit, None);
        if let Some(permit) = inner.try_acquire().map(shared).or_else(|| semaphore.try_acquire().map(own)) {
            return Ok(permit);
        }
        let mut acquire = pin!(inner.acquire(caller));
        let wait = Wait::record(&held, &[&inner, &semaphore])?;
        match first_of(acquire.as_mut(), pin!(semaphore.acquire(caller))).await {
            (Some(permit), _) => return Ok(shared(permit?)),
            (None, Some(Ok(permit))) => return Ok(own(permit)),
            (None, _) => drop(wait),
        }
        // There is no room to wait for another place: what is left is the shared one.
        let _wait = Wait::record(&held, &[&inner])?;
        Ok(shared(acquire.await?))
    }

    fn new(semaphore: &Arc<FairSemaphore>, permit: SemaphorePermit, outer: Option<Arc<Permit>>) -> Arc<Self> {
        let semaphore = Arc::clone(semaphore);
        Arc::new(Permit { permit, _outer: outer, semaphore, inner: OnceLock::new() })
    }

    /// The gate whose place this is: that of the registry, or the one of the call around.
    pub(crate) fn semaphore(&self) -> &Arc<FairSemaphore> {
        self.permit.semaphore()
    }
}

/// What comes of two futures, when one of them has ended.
async fn first_of<T>(
    mut one: Pin<&mut impl Future<Output = T>>,
    mut other: Pin<&mut impl Future<Output = T>>,
) -> (Option<T>, Option<T>) {
    poll_fn(|cx| match (one.as_mut().poll(cx), other.as_mut()) {
        (Poll::Ready(output), _) => Poll::Ready((Some(output), None)),
        (Poll::Pending, other) => other.poll(cx).map(|output| (None, Some(output))),
    })
    .await
}

impl From<QueueFull> for AcquireError {
    fn from(QueueFull: QueueFull) -> Self {
        AcquireError::QueueFull
    }
}

impl From<Deadlock> for AcquireError {
    fn from(Deadlock: Deadlock) -> Self {
        AcquireError::Deadlock
    }
}

impl From<AcquireError> for Failure {
    fn from(error: AcquireError) -> Self {
        match error {
            AcquireError::QueueFull => Failure::busy(),
            AcquireError::Deadlock => Failure::deadlock(),
        }
    }
}
