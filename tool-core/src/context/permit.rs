//! Permits: a call needs one if the number of concurrent calls is limited, and shares it with the calls that it makes.
//!
//! A call that waits for an inner call keeps its permit. If the inner call needed its own, all permits could be held by
//! calls that wait for one, forever. So an inner call shares the permit of its outer call, one inner call at a time, or
//! takes a free one, whichever is available first.
//!
//! If registries are merged, calls can still wait for each other: each holds what the other needs. A shared permit
//! comes from its own semaphore of one permit, so [`Wait`] treats both kinds alike, and rejects a call that would close
//! such a cycle.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock, Weak};
use std::task::Poll;

use crate::context::semaphore::{FairSemaphore, QueueFull, SemaphorePermit};
use crate::context::wait::{Deadlock, Wait};
use crate::model::failure::Failure;

/// The right to run among a limited number of calls. Released on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Dropped first: a waiting call may then share the outer permit.
    permit: SemaphorePermit,
    /// The permit of the outer call that this one shares; released after this one.
    _outer: Option<Arc<Permit>>,
    semaphore: Arc<FairSemaphore>,
    /// The semaphore for sharing this permit with inner calls, one at a time.
    inner: OnceLock<Arc<FairSemaphore>>,
}

impl Permit {
    /// Acquires a permit of this semaphore.
    ///
    /// `held` are the permits of the outer calls, innermost first. The innermost outer call does not use its own while
    /// this one waits.
    pub(crate) async fn acquire(
        semaphore: &Arc<FairSemaphore>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Failure> {
        let outer =
            held.iter().filter_map(Weak::upgrade).find(|permit| Arc::ptr_eq(&permit.semaphore, semaphore));
        match outer {
            Some(outer) => Permit::share_outer(outer, caller, held).await,
            None => Permit::acquire_own(semaphore, caller, held).await,
        }
    }

    /// Acquires a permit of its own.
    async fn acquire_own(
        semaphore: &Arc<FairSemaphore>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Failure> {
        let permit = match semaphore.try_acquire() {
            Some(permit) => permit,
            // A call that holds no permit cannot deadlock.
            None if held.is_empty() => semaphore.acquire(caller).await?,
            None => {
                let _wait = Wait::record(&held, &[semaphore])?;
                semaphore.acquire(caller).await?
            }
        };
        Ok(Permit::new(semaphore, permit, None))
    }

    /// Acquires the permit of the outer call, which its inner calls share in turn, or a free one.
    async fn share_outer(
        outer: Arc<Self>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Failure> {
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
        // The queue for a free permit is full; wait for the shared one.
        let _wait = Wait::record(&held, &[&inner])?;
        Ok(shared(acquire.await?))
    }

    fn new(semaphore: &Arc<FairSemaphore>, permit: SemaphorePermit, outer: Option<Arc<Permit>>) -> Arc<Self> {
        let semaphore = Arc::clone(semaphore);
        Arc::new(Permit { permit, _outer: outer, semaphore, inner: OnceLock::new() })
    }

    /// Returns the semaphore that this permit was acquired from: that of the registry, or that of the outer call.
    pub(crate) fn semaphore(&self) -> &Arc<FairSemaphore> {
        self.permit.semaphore()
    }
}

/// Polls two futures, and returns the output of the first that is ready.
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

impl From<QueueFull> for Failure {
    fn from(QueueFull: QueueFull) -> Self {
        Failure::busy()
    }
}

impl From<Deadlock> for Failure {
    fn from(Deadlock: Deadlock) -> Self {
        Failure::deadlock()
    }
}
