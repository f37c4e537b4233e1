//! Deadlock detection for calls that wait for a permit while they hold others.
//!
//! A call ends after the calls that it makes. So a permit is *blocked* if the call that holds it, or one of its inner
//! calls, is stuck. A waiting call is *stuck* if all permits of each semaphore that it waits for are blocked. A call
//! that would be stuck is rejected. So no recorded call is ever stuck: as long as calls end by themselves, every
//! waiting call gets its permit.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, Weak};

use crate::context::permit::Permit;
use crate::context::semaphore::FairSemaphore;
use crate::model::lock::lock;

/// Records that a call waits for a permit, until dropped.
pub(crate) struct Wait(WaitingCall);

/// The call would wait for calls that wait for it.
#[derive(Debug)]
pub(crate) struct Deadlock;

/// What waiting calls hold, and what they wait for.
#[derive(Clone)]
struct WaitingCall {
    held: Vec<HeldPermit>,
    /// The call takes the first free permit of any of these.
    wanted: Vec<Wanted>,
    /// The number of calls that hold and want the same.
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

static WAITING: Mutex<Vec<WaitingCall>> = Mutex::new(Vec::new());

impl Wait {
    /// Records that a call with these permits waits for a permit of any of these semaphores.
    pub(crate) fn record(held: &[Weak<Permit>], wanted: &[&Arc<FairSemaphore>]) -> Result<Self, Deadlock> {
        let own = WaitingCall::new(held, wanted);
        let mut waiting = lock(&WAITING);
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
        let mut waiting = lock(&WAITING);
        let Some(position) = waiting.iter().position(|edge| edge.is_same(&self.0)) else { return };
        waiting[position].calls -= 1;
        if waiting[position].calls == 0 {
            waiting.swap_remove(position);
        }
    }
}

impl WaitingCall {
    fn new(held: &[Weak<Permit>], wanted: &[&Arc<FairSemaphore>]) -> Self {
        let held = held.iter().filter_map(|permit| {
            let semaphore = key(permit.upgrade()?.semaphore());
            Some(HeldPermit { permit: Weak::clone(permit), semaphore })
        });
        let wanted = wanted
            .iter()
            .map(|semaphore| Wanted { semaphore: key(semaphore), capacity: semaphore.capacity() });
        WaitingCall { held: held.collect(), wanted: wanted.collect(), calls: 0 }
    }

    fn is_same(&self, other: &WaitingCall) -> bool {
        let same = |(one, other): (&HeldPermit, &HeldPermit)| Weak::ptr_eq(&one.permit, &other.permit);
        self.held.len() == other.held.len()
            && self.wanted == other.wanted
            && self.held.iter().zip(&other.held).all(same)
    }
}

/// Returns `true` if the call at this position waits for a permit that never becomes free.
///
/// Starts from all waiting calls, and removes those that can get a permit until nothing changes.
fn is_deadlocked(waiting: &[WaitingCall], position: usize) -> bool {
    let mut deadlocked: Vec<usize> = (0..waiting.len()).collect();
    loop {
        let mut blocked: HashMap<usize, HashSet<*const Permit>> = HashMap::new();
        let held = deadlocked.iter().flat_map(|&edge| &waiting[edge].held);
        // A call that has ended holds no permit, even if its tasks still run.
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

/// Identifies a semaphore within this process, while it exists.
fn key(semaphore: &Arc<FairSemaphore>) -> usize {
    Arc::as_ptr(semaphore).addr()
}
