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
use crate::context::semaphore::{Busy, Gate, Place};
use crate::context::timeout::{Elapsed, Timer, limited};
use crate::context::wait::{Circle, Wait};
use crate::model::failure::Failure;

/// The right to run among a limited number of calls, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Left first: who waits for it may then share the place.
    place: Place,
    /// Of the call around, whose place this is; it is not left before.
    _outer: Option<Arc<Permit>>,
    gate: Arc<Gate>,
    /// Through which the calls that this call makes go, one at a time.
    inner: OnceLock<Arc<Gate>>,
}

/// Why there is no permit.
#[derive(Debug)]
enum Refused {
    /// There is no room left to wait.
    Full,
    /// It would wait for calls that wait for it.
    Circle,
}

impl Permit {
    /// Waits for the right to run a tool, as long as there is time.
    pub(crate) async fn in_time(
        gate: &Arc<Gate>,
        tool: &str,
        context: &LazyContext<'_>,
        timer: &mut Option<Timer>,
    ) -> Result<Arc<Permit>, Failure> {
        let mut turn = pin!(Permit::acquire(gate, context.principal().id(), context.permits()));
        match limited(timer, turn.as_mut()).await {
            Ok(permit) => Ok(permit?),
            Err(Elapsed(limit)) => Err(Failure::timeout_before(tool, limit)),
        }
    }

    /// Waits for the right to run among the calls that this gate lets through.
    ///
    /// `held` is what the call and those around it hold, the innermost first. It is left by its own call while this one waits.
    async fn acquire(
        gate: &Arc<Gate>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Refused> {
        let around = held.iter().filter_map(Weak::upgrade).find(|permit| Arc::ptr_eq(&permit.gate, gate));
        match around {
            Some(around) => Permit::share(around, caller, held).await,
            None => Permit::take(gate, caller, held).await,
        }
    }

    /// Waits for a place of its own.
    async fn take(
        gate: &Arc<Gate>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Refused> {
        let place = match gate.try_enter() {
            Some(place) => place,
            // What holds nothing keeps no other call waiting.
            None if held.is_empty() => gate.enter(caller).await?,
            None => {
                let _wait = Wait::record(&held, &[gate])?;
                gate.enter(caller).await?
            }
        };
        Ok(Permit::new(gate, place, None))
    }

    /// Waits for the place of the call around, which those that it makes use in turn, or for a free one.
    async fn share(
        around: Arc<Self>,
        caller: Option<&str>,
        held: Vec<Weak<Permit>>,
    ) -> Result<Arc<Permit>, Refused> {
        let gate = Arc::clone(&around.gate);
        let inner = Arc::clone(around.inner.get_or_init(|| Arc::new(Gate::new(1, usize::MAX))));
        let shared = |place| Permit::new(&gate, place, Some(Arc::clone(&around)));
        let free = |place| Permit::new(&gate, place, None);
        if let Some(permit) = inner.try_enter().map(shared).or_else(|| gate.try_enter().map(free)) {
            return Ok(permit);
        }
        let mut turn = pin!(inner.enter(caller));
        let wait = Wait::record(&held, &[&inner, &gate])?;
        match first_of(turn.as_mut(), pin!(gate.enter(caller))).await {
            (Some(place), _) => return Ok(shared(place?)),
            (None, Some(Ok(place))) => return Ok(free(place)),
            (None, _) => drop(wait),
        }
        // There is no room to wait for another place: what is left is the shared one.
        let _wait = Wait::record(&held, &[&inner])?;
        Ok(shared(turn.await?))
    }

    fn new(gate: &Arc<Gate>, place: Place, outer: Option<Arc<Permit>>) -> Arc<Self> {
        let gate = Arc::clone(gate);
        Arc::new(Permit { place, _outer: outer, gate, inner: OnceLock::new() })
    }

    /// The gate whose place this is: that of the registry, or the one of the call around.
    pub(crate) fn entered(&self) -> &Arc<Gate> {
        self.place.gate()
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

impl From<Busy> for Refused {
    fn from(Busy: Busy) -> Self {
        Refused::Full
    }
}

impl From<Circle> for Refused {
    fn from(Circle: Circle) -> Self {
        Refused::Circle
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full => Failure::busy(),
            Refused::Circle => Failure::deadlock(),
        }
    }
}
