//! What a call has to hold to run where the number of calls is limited, and that the calls which it makes go on with it.
//!
//! A call that waits for the call of another tool keeps its place. Would the inner call have to wait for a place of its own, all
//! places could be taken by calls that wait for one, for good. It therefore shares the place of the call around it, one inner call
//! at a time, or takes a free one, whichever is there first.
//!
//! Where registries are joined, the inner call may need a place of another one, for which it waits in turn. Two calls of which each
//! holds what the other waits for would wait for good: the one that would close such a circle is refused.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;

use crate::context::Context;
use crate::context::semaphore::{Busy, Gate, Place};

/// The right to run among a limited number of calls, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Permit {
    /// Left first: who waits for it may then share the place.
    _place: Place,
    /// Of the call around, whose place this is; it is not left before.
    _outer: Option<Arc<Permit>>,
    gate: Arc<Gate>,
    /// Through which the calls that this call makes go, one at a time.
    inner: OnceLock<Arc<Gate>>,
}

impl Permit {
    /// Waits for the right to run among the calls that this gate lets through.
    ///
    /// `outer` is the call that makes this one.
    pub(crate) async fn acquire(
        gate: &Arc<Gate>,
        caller: Option<&str>,
        outer: Option<&Context>,
    ) -> Result<Arc<Permit>, Busy> {
        let Some(outer) = outer else { return Ok(Permit::new(gate, gate.enter(caller).await?, None)) };
        let held = outer.permits();
        if let Some(permit) = held.iter().find(|permit| Arc::ptr_eq(&permit.gate, gate)) {
            return Ok(permit.share(caller).await);
        }
        let _waits = match gate.try_enter() {
            Some(place) => return Ok(Permit::new(gate, place, None)),
            None => Waits::record(&held, gate)?,
        };
        // What is held is left by its own call while this one waits.
        drop(held);
        Ok(Permit::new(gate, gate.enter(caller).await?, None))
    }

    /// Waits for the place of this call, which those that it makes use in turn, or for a free one.
    async fn share(self: &Arc<Self>, caller: Option<&str>) -> Arc<Permit> {
        let inner = self.inner.get_or_init(|| Arc::new(Gate::new(1, usize::MAX)));
        let (mut shared, mut free) = (pin!(inner.enter(caller)), pin!(self.gate.enter(caller)));
        let mut is_full = false;
        poll_fn(|cx| {
            if let Poll::Ready(Ok(place)) = shared.as_mut().poll(cx) {
                return Poll::Ready(Permit::new(&self.gate, place, Some(Arc::clone(self))));
            }
            if !is_full && let Poll::Ready(entered) = free.as_mut().poll(cx) {
                match entered {
                    Ok(place) => return Poll::Ready(Permit::new(&self.gate, place, None)),
                    // There is no room to wait for another place: what is left is the one of this call.
                    Err(Busy) => is_full = true,
                }
            }
            Poll::Pending
        })
        .await
    }

    fn new(gate: &Arc<Gate>, place: Place, outer: Option<Arc<Permit>>) -> Arc<Self> {
        let gate = Arc::clone(gate);
        Arc::new(Permit { _place: place, _outer: outer, gate, inner: OnceLock::new() })
    }

    /// Stands for the gate among all of this process, as long as it exists.
    fn key(gate: &Arc<Gate>) -> usize {
        Arc::as_ptr(gate).addr()
    }
}

/// What calls that hold a place of one gate wait for: from which gate, to which.
static WAITING: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// That a call holds places of some gates while it waits for one of another.
struct Waits(Vec<(usize, usize)>);

impl Waits {
    /// Refuses what would close a circle of calls that wait for one another.
    fn record(held: &[Arc<Permit>], wanted: &Arc<Gate>) -> Result<Self, Busy> {
        let wanted = Permit::key(wanted);
        let from: Vec<usize> = held.iter().map(|permit| Permit::key(&permit.gate)).collect();
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reached = vec![wanted];
        let mut next = 0;
        while let Some(&gate) = reached.get(next) {
            if from.contains(&gate) {
                return Err(Busy);
            }
            let further = waiting.iter().filter(|(holds, _)| *holds == gate).map(|(_, waits)| *waits);
            let further: Vec<usize> = further.filter(|gate| !reached.contains(gate)).collect();
            reached.extend(further);
            next += 1;
        }
        let own: Vec<_> = from.into_iter().map(|held| (held, wanted)).collect();
        waiting.extend(&own);
        Ok(Waits(own))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        for own in &self.0 {
            if let Some(position) = waiting.iter().position(|other| other == own) {
                waiting.swap_remove(position);
            }
        }
    }
}
