//! The calls of this process that wait for a place while they hold others, so that no circle of them waits for good.
//!
//! A call ends when those that it makes have ended. So a place is *blocked* when the call that holds it, or one within it, is
//! stuck; and a call that waits is *stuck* when all places of each gate that it waits for are blocked. A call that would be stuck
//! is refused. What is recorded is therefore never stuck: as long as calls end by themselves, each that waits gets its place.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::context::permit::Permit;
use crate::context::semaphore::FairSemaphore;

/// That a call waits for a place, for as long as it lives.
pub(crate) struct Wait(Edge);

/// The call would wait for calls that wait for it.
#[derive(Debug)]
pub(crate) struct Deadlock;

/// What calls hold while they wait, and for what.
#[derive(Clone)]
struct Edge {
    held: Vec<HeldPermit>,
    /// It takes the first place of any of these that is free.
    wanted: Vec<Wanted>,
    /// How many calls wait like this.
    calls: usize,
}

#[derive(Clone)]
struct HeldPermit {
    permit: Weak<Permit>,
    semaphore: usize,
}

#[derive(Clone, PartialEq)]
struct Wanted {
    semaphore: usize,
    capacity: usize,
}

static WAITING: Mutex<Vec<Edge>> = Mutex::new(Vec::new());

impl Wait {
    /// Records that a call which holds these permits waits for a place of any of these gates.
    pub(crate) fn record(held: &[Weak<Permit>], wanted: &[&Arc<FairSemaphore>]) -> Result<Self, Deadlock> {
        let own = Edge::new(held, wanted);
        let mut waiting = waiting();
        let position = waiting.iter().position(|edge| edge.is_same(&own)).unwrap_or_else(|| {
            waiting.push(own.clone());
            waiting.len() - 1
        });
        if is_deadlocked(&waiting, position) {
            if waiting[position].calls == 0 {
                waiting.swap_remove(position);
            }
            return Err(Deadlock);
        }
        waiting[position].calls += 1;
        Ok(Wait(own))
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut waiting = waiting();
        let Some(position) = waiting.iter().position(|edge| edge.is_same(&self.0)) else { return };
        waiting[position].calls -= 1;
        if waiting[position].calls == 0 {
            waiting.swap_remove(position);
        }
    }
}

impl Edge {
    fn new(held: &[Weak<Permit>], wanted: &[&Arc<FairSemaphore>]) -> Self {
        let held = held.iter().filter_map(|permit| {
            let semaphore = key(permit.upgrade()?.semaphore());
            Some(HeldPermit { permit: Weak::clone(permit), semaphore })
        });
        let wanted = wanted
            .iter()
            .map(|semaphore| Wanted { semaphore: key(semaphore), capacity: semaphore.capacity() });
        Edge { held: held.collect(), wanted: wanted.collect(), calls: 0 }
    }

    fn is_same(&self, other: &Edge) -> bool {
        let same = |(one, other): (&HeldPermit, &HeldPermit)| Weak::ptr_eq(&one.permit, &other.permit);
        self.held.len() == other.held.len()
            && self.wanted == other.wanted
            && self.held.iter().zip(&other.held).all(same)
    }
}

/// Returns `true` if the call at this position waits for what is never free.
///
/// It looks for the most calls that are stuck together: all that wait, without those that some place is free for in the end.
fn is_deadlocked(waiting: &[Edge], position: usize) -> bool {
    let mut deadlocked: Vec<usize> = (0..waiting.len()).collect();
    loop {
        let mut blocked: HashMap<usize, HashSet<*const Permit>> = HashMap::new();
        let held = deadlocked.iter().flat_map(|&edge| &waiting[edge].held);
        // A call that has ended while what it has started goes on holds nothing.
        for HeldPermit { permit, semaphore } in held.filter(|held| held.permit.strong_count() > 0) {
            blocked.entry(*semaphore).or_default().insert(permit.as_ptr());
        }
        let is_blocked = |wanted: &Wanted| {
            blocked.get(&wanted.semaphore).is_some_and(|capacity| capacity.len() >= wanted.capacity)
        };
        let before = deadlocked.len();
        deadlocked.retain(|&edge| waiting[edge].wanted.iter().all(is_blocked));
        if !deadlocked.contains(&position) {
            return false;
        }
        if deadlocked.len() == before {
            return true;
        }
    }
}

/// Stands for the gate among all of this process, as long as it exists.
fn key(semaphore: &Arc<FairSemaphore>) -> usize {
    Arc::as_ptr(semaphore).addr()
}

fn waiting() -> MutexGuard<'static, Vec<Edge>> {
    // Nothing of others runs while it is locked, so that it is sound even after a panic.
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}
