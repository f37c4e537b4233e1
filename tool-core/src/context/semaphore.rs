//! A semaphore that is fair between callers.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::model::lock::lock;

/// Limits the number of concurrent calls. Further calls wait in queues.
///
/// Each caller has its own queue, and the queues take turns, so that a caller with a thousand calls does not block the
/// others. If no more calls may wait, the longest queue loses its last waiter.
#[derive(Debug)]
pub(crate) struct FairSemaphore {
    max_running: usize,
    max_waiting: usize,
    state: Mutex<SemaphoreState>,
}

#[derive(Debug, Default)]
struct SemaphoreState {
    running: usize,
    waiting: usize,
    /// The waiting calls by caller. No queue is empty; the first one is next.
    queues: VecDeque<Queue>,
}

/// The waiting calls of one caller.
#[derive(Debug)]
struct Queue {
    caller: Option<String>,
    waiters: VecDeque<Waiter>,
}

type Waiter = Arc<Mutex<WaitState>>;

/// The state of a waiting call.
#[derive(Debug)]
enum WaitState {
    Queued(Option<Waker>),
    /// The permit is granted, but the call has not been polled since.
    Granted,
    /// The call lost its place in the queue to another caller.
    Evicted,
    /// The call took the permit or was dropped.
    Done,
}

/// No more calls may wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// A permit of the semaphore. Released on drop.
#[derive(Debug)]
pub(crate) struct SemaphorePermit(Arc<FairSemaphore>);

impl FairSemaphore {
    pub(crate) fn new(max_running: usize, max_waiting: usize) -> Self {
        FairSemaphore { max_running, max_waiting, state: Mutex::default() }
    }

    /// Returns the number of calls that may run at once.
    pub(crate) fn capacity(&self) -> usize {
        self.max_running
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        caller: Option<&str>,
    ) -> Result<SemaphorePermit, QueueFull> {
        match self.acquire_or_enqueue(caller)? {
            None => Ok(SemaphorePermit(Arc::clone(self))),
            Some(waiter) => Acquire { semaphore: self, waiter }.await,
        }
    }

    /// Takes a permit if one is free.
    pub(crate) fn try_acquire(self: &Arc<Self>) -> Option<SemaphorePermit> {
        let mut state = lock(&self.state);
        if state.running == self.max_running {
            return None;
        }
        state.running += 1;
        Some(SemaphorePermit(Arc::clone(self)))
    }

    /// Takes a permit and returns `None`, or joins the queue.
    fn acquire_or_enqueue(&self, caller: Option<&str>) -> Result<Option<Waiter>, QueueFull> {
        let mut state = lock(&self.state);
        if state.running < self.max_running {
            state.running += 1;
            return Ok(None);
        }
        let evicted = if state.waiting < self.max_waiting { None } else { Some(state.evict(caller)?) };
        let waiter = state.enqueue(caller);
        drop(state);
        if let Some(evicted) = evicted {
            resolve(&evicted, WaitState::Evicted);
        }
        Ok(Some(waiter))
    }

    /// Passes a released permit to the next waiter.
    fn release(&self) {
        loop {
            let mut state = lock(&self.state);
            let Some(next) = state.pop() else {
                state.running -= 1;
                return;
            };
            drop(state);
            if resolve(&next, WaitState::Granted) {
                return;
            }
        }
    }
}

impl SemaphoreState {
    /// Joins the queue of the caller.
    fn enqueue(&mut self, caller: Option<&str>) -> Waiter {
        let waiter = Waiter::new(Mutex::new(WaitState::Queued(None)));
        self.waiting += 1;
        match self.queues.iter_mut().find(|queue| queue.caller.as_deref() == caller) {
            Some(queue) => queue.waiters.push_back(Arc::clone(&waiter)),
            None => self.queues.push_back(Queue {
                caller: caller.map(str::to_owned),
                waiters: VecDeque::from([Arc::clone(&waiter)]),
            }),
        }
        waiter
    }

    /// Removes the last waiter of the longest queue, if that queue is longer than the caller's would be.
    fn evict(&mut self, caller: Option<&str>) -> Result<Waiter, QueueFull> {
        let length = |queue: &Queue| queue.waiters.len();
        let own = self.queues.iter().find(|queue| queue.caller.as_deref() == caller).map_or(0, length);
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.waiters.len());
        let longest = longest.filter(|queue| queue.waiters.len() > own + 1).ok_or(QueueFull)?;
        self.waiting -= 1;
        longest.waiters.pop_back().ok_or(QueueFull)
    }

    /// Removes and returns the next waiter.
    fn pop(&mut self) -> Option<Waiter> {
        let mut queue = self.queues.pop_front()?;
        let waiter = queue.waiters.pop_front()?;
        self.waiting -= 1;
        if !queue.waiters.is_empty() {
            self.queues.push_back(queue);
        }
        Some(waiter)
    }

    fn remove(&mut self, waiter: &Waiter) {
        for queue in &mut self.queues {
            if let Some(position) = queue.waiters.iter().position(|other| Arc::ptr_eq(other, waiter)) {
                queue.waiters.remove(position);
                self.waiting -= 1;
            }
        }
        self.queues.retain(|queue| !queue.waiters.is_empty());
    }
}

impl SemaphorePermit {
    pub(crate) fn semaphore(&self) -> &Arc<FairSemaphore> {
        &self.0
    }
}

impl Drop for SemaphorePermit {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Sets the state of a waiting call and wakes it. Returns `false` if it no longer waits.
fn resolve(waiter: &Waiter, wait_state: WaitState) -> bool {
    let mut current = lock(waiter);
    let WaitState::Queued(waker) = &mut *current else { return false };
    let waker = waker.take();
    *current = wait_state;
    drop(current);
    // Wakes without a lock, because a waker is foreign code.
    if let Some(waker) = waker {
        waker.wake();
    }
    true
}

/// The future of a waiting call.
struct Acquire<'g> {
    semaphore: &'g Arc<FairSemaphore>,
    waiter: Waiter,
}

impl Future for Acquire<'_> {
    type Output = Result<SemaphorePermit, QueueFull>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut wait_state = lock(&self.waiter);
        let answer = match *wait_state {
            WaitState::Queued(ref mut waker) => {
                *waker = Some(cx.waker().clone());
                return Poll::Pending;
            }
            WaitState::Granted => Ok(SemaphorePermit(Arc::clone(self.semaphore))),
            WaitState::Evicted | WaitState::Done => Err(QueueFull),
        };
        *wait_state = WaitState::Done;
        Poll::Ready(answer)
    }
}

impl Drop for Acquire<'_> {
    /// Leaves the queue, or passes on a permit that was granted but not used.
    fn drop(&mut self) {
        let wait_state = std::mem::replace(&mut *lock(&self.waiter), WaitState::Done);
        match wait_state {
            // The queue can be long, so it is searched only if needed.
            WaitState::Queued(_) => lock(&self.semaphore.state).remove(&self.waiter),
            WaitState::Granted => self.semaphore.release(),
            WaitState::Evicted | WaitState::Done => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    type Acquiring<'g> = Pin<Box<dyn Future<Output = Result<SemaphorePermit, QueueFull>> + 'g>>;

    fn acquire<'g>(semaphore: &'g Arc<FairSemaphore>, caller: &'g str) -> Acquiring<'g> {
        let mut acquiring: Acquiring<'g> = Box::pin(semaphore.acquire(Some(caller)));
        // A future that was not polled is not queued.
        assert!(poll(&mut acquiring).is_none(), "{caller} has to wait");
        acquiring
    }

    fn poll(acquiring: &mut Acquiring<'_>) -> Option<Result<SemaphorePermit, QueueFull>> {
        match acquiring.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }

    fn acquire_first(semaphore: &Arc<FairSemaphore>) -> SemaphorePermit {
        let mut acquiring: Acquiring<'_> = Box::pin(semaphore.acquire(Some("first")));
        poll(&mut acquiring).unwrap().unwrap()
    }

    #[test]
    fn alternates_callers() {
        let semaphore = Arc::new(FairSemaphore::new(1, 10));
        let mut running = Some(acquire_first(&semaphore));
        let mut waiting: Vec<_> =
            ["a", "a", "a", "b", "b", "c"].map(|caller| (caller, acquire(&semaphore, caller))).into();
        let mut order = String::new();
        while !waiting.is_empty() {
            running.take();
            let position = waiting.iter_mut().position(|(caller, acquiring)| {
                let Some(result) = poll(acquiring) else { return false };
                running = Some(result.unwrap());
                order += caller;
                true
            });
            drop(waiting.remove(position.expect("a waiter runs when a permit is released")));
        }
        assert_eq!(order, "abcaba");
    }

    #[test]
    fn full_queue_evicts_from_the_longest() {
        let semaphore = Arc::new(FairSemaphore::new(1, 3));
        let _inside = acquire_first(&semaphore);
        let mut greedy: Vec<_> = (0..3).map(|_| acquire(&semaphore, "greedy")).collect();
        let mut more: Acquiring<'_> = Box::pin(semaphore.acquire(Some("greedy")));
        assert_eq!(poll(&mut more).unwrap().unwrap_err(), QueueFull);
        let mut modest = acquire(&semaphore, "modest");
        assert_eq!(poll(&mut greedy[2]).unwrap().unwrap_err(), QueueFull);
        assert!(poll(&mut greedy[1]).is_none() && poll(&mut modest).is_none());
        let mut even: Acquiring<'_> = Box::pin(semaphore.acquire(Some("modest")));
        assert_eq!(poll(&mut even).unwrap().unwrap_err(), QueueFull, "two and one are even enough");
    }

    #[test]
    fn dropped_waiter_leaves_no_gap() {
        let semaphore = Arc::new(FairSemaphore::new(1, 2));
        let running = acquire_first(&semaphore);
        let [dropped, mut remaining] = ["a", "b"].map(|caller| acquire(&semaphore, caller));
        drop(dropped);
        let mut next = acquire(&semaphore, "c");
        drop(running);
        // `b` is granted the permit, and is dropped before it notices.
        assert!(matches!(*state_of(&semaphore), SemaphoreState { running: 1, waiting: 1, .. }));
        let passed = poll(&mut remaining).unwrap().unwrap();
        drop((passed, remaining));
        drop(poll_granted(&mut next));
        drop(next);
        assert!(
            matches!(*state_of(&semaphore), SemaphoreState { running: 0, waiting: 0, .. }),
            "{semaphore:?}"
        );
    }

    #[test]
    fn unused_grant_passes_to_the_next_waiter() {
        let semaphore = Arc::new(FairSemaphore::new(1, 2));
        let running = acquire_first(&semaphore);
        let [dropped, mut remaining] = ["a", "b"].map(|caller| acquire(&semaphore, caller));
        drop(running);
        drop(dropped);
        assert!(poll_granted(&mut remaining).is_ok());
    }

    #[test]
    fn dropped_waiter_cannot_be_granted() {
        let semaphore = Arc::new(FairSemaphore::new(1, 2));
        let _inside = acquire_first(&semaphore);
        let dropped = acquire(&semaphore, "a");
        let waiter = lock(&semaphore.state).pop().unwrap();
        drop(dropped);
        assert!(!resolve(&waiter, WaitState::Granted));
    }

    fn poll_granted(acquiring: &mut Acquiring<'_>) -> Result<SemaphorePermit, QueueFull> {
        poll(acquiring).expect("its turn has come")
    }

    fn state_of(semaphore: &FairSemaphore) -> std::sync::MutexGuard<'_, SemaphoreState> {
        lock(&semaphore.state)
    }
}
