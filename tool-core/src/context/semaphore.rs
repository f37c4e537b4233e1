//! How many calls run at once, and whose turn it is when more want to.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Lets a number of calls through at once. A number of others may wait, and their callers take turns.
///
/// Each caller has a line of its own, and the lines take turns, so that a caller with a thousand calls does not keep
/// another from making one. Where all places to wait are taken, the caller with the longest line gives one up.
#[derive(Debug)]
pub(crate) struct Gate {
    most_inside: usize,
    most_waiting: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inside: usize,
    waiting: usize,
    /// None is empty; the next turn is that of the first.
    lines: VecDeque<Line>,
}

/// The calls of one caller that wait.
#[derive(Debug)]
struct Line {
    caller: Option<String>,
    tickets: VecDeque<Ticket>,
}

type Ticket = Arc<Mutex<Turn>>;

/// How far a call that waits has come.
#[derive(Debug)]
enum Turn {
    Waits(Option<Waker>),
    /// It may go in, and has not noticed yet.
    Comes,
    /// It gave up its place to another caller.
    Lost,
    /// It went in, or away.
    Over,
}

/// There is no place left to wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// A place inside, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Place(Arc<Gate>);

impl Gate {
    pub(crate) fn new(most_inside: usize, most_waiting: usize) -> Self {
        Gate { most_inside, most_waiting, state: Mutex::default() }
    }

    /// How many calls it lets through at once.
    pub(crate) fn places(&self) -> usize {
        self.most_inside
    }

    /// Goes in, once it is this caller's turn.
    pub(crate) async fn enter(self: &Arc<Self>, caller: Option<&str>) -> Result<Place, Busy> {
        match self.ask(caller)? {
            None => Ok(Place(Arc::clone(self))),
            Some(ticket) => Waiting { gate: self, ticket }.await,
        }
    }

    /// Goes in, if there is no need to wait.
    pub(crate) fn try_enter(self: &Arc<Self>) -> Option<Place> {
        let mut state = self.state();
        if state.inside == self.most_inside {
            return None;
        }
        state.inside += 1;
        Some(Place(Arc::clone(self)))
    }

    /// A ticket, or nothing where there is no need to wait.
    fn ask(&self, caller: Option<&str>) -> Result<Option<Ticket>, Busy> {
        let mut state = self.state();
        if state.inside < self.most_inside {
            state.inside += 1;
            return Ok(None);
        }
        let lost = if state.waiting < self.most_waiting { None } else { Some(state.displace(caller)?) };
        let ticket = state.line_up(caller);
        drop(state);
        if let Some(lost) = lost {
            settle(&lost, Turn::Lost);
        }
        Ok(Some(ticket))
    }

    /// Lets the next one in, when one has left.
    fn leave(&self) {
        loop {
            let mut state = self.state();
            let Some(next) = state.next() else {
                state.inside -= 1;
                return;
            };
            drop(state);
            if settle(&next, Turn::Comes) {
                return;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing of others runs while it is locked, so that it is sound even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a place at the end of the caller's line.
    fn line_up(&mut self, caller: Option<&str>) -> Ticket {
        let ticket = Ticket::new(Mutex::new(Turn::Waits(None)));
        self.waiting += 1;
        match self.lines.iter_mut().find(|line| line.caller.as_deref() == caller) {
            Some(line) => line.tickets.push_back(Arc::clone(&ticket)),
            None => self.lines.push_back(Line {
                caller: caller.map(str::to_owned),
                tickets: VecDeque::from([Arc::clone(&ticket)]),
            }),
        }
        ticket
    }

    /// Makes place for this caller, if another has a line longer than its own would be.
    fn displace(&mut self, caller: Option<&str>) -> Result<Ticket, Busy> {
        let length = |line: &Line| line.tickets.len();
        let own = self.lines.iter().find(|line| line.caller.as_deref() == caller).map_or(0, length);
        let longest = self.lines.iter_mut().max_by_key(|line| line.tickets.len());
        let longest = longest.filter(|line| line.tickets.len() > own + 1).ok_or(Busy)?;
        self.waiting -= 1;
        longest.tickets.pop_back().ok_or(Busy)
    }

    /// Whose turn it is.
    fn next(&mut self) -> Option<Ticket> {
        let mut line = self.lines.pop_front()?;
        let ticket = line.tickets.pop_front()?;
        self.waiting -= 1;
        if !line.tickets.is_empty() {
            self.lines.push_back(line);
        }
        Some(ticket)
    }

    /// Gives up a place in a line.
    fn remove(&mut self, ticket: &Ticket) {
        for line in &mut self.lines {
            if let Some(position) = line.tickets.iter().position(|other| Arc::ptr_eq(other, ticket)) {
                line.tickets.remove(position);
                self.waiting -= 1;
            }
        }
        self.lines.retain(|line| !line.tickets.is_empty());
    }
}

impl Place {
    pub(crate) fn gate(&self) -> &Arc<Gate> {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// Tells a call that waits what became of it; whether it still waits.
fn settle(ticket: &Ticket, turn: Turn) -> bool {
    let mut current = lock(ticket);
    let Turn::Waits(waker) = &mut *current else { return false };
    let waker = waker.take();
    *current = turn;
    drop(current);
    // Foreign code: nothing is locked when it runs.
    if let Some(waker) = waker {
        waker.wake();
    }
    true
}

fn lock(ticket: &Ticket) -> MutexGuard<'_, Turn> {
    ticket.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call in its line.
struct Waiting<'g> {
    gate: &'g Arc<Gate>,
    ticket: Ticket,
}

impl Future for Waiting<'_> {
    type Output = Result<Place, Busy>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut turn = lock(&self.ticket);
        let answer = match *turn {
            Turn::Waits(ref mut waker) => {
                *waker = Some(cx.waker().clone());
                return Poll::Pending;
            }
            Turn::Comes => Ok(Place(Arc::clone(self.gate))),
            Turn::Lost | Turn::Over => Err(Busy),
        };
        *turn = Turn::Over;
        Poll::Ready(answer)
    }
}

impl Drop for Waiting<'_> {
    /// A call that goes away leaves its line, and passes on a turn that it will not use.
    fn drop(&mut self) {
        let turn = std::mem::replace(&mut *lock(&self.ticket), Turn::Over);
        match turn {
            // Looked for only where it may still stand: a line can be long.
            Turn::Waits(_) => self.gate.state().remove(&self.ticket),
            Turn::Comes => self.gate.leave(),
            Turn::Lost | Turn::Over => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    type Entering<'g> = Pin<Box<dyn Future<Output = Result<Place, Busy>> + 'g>>;

    fn enter<'g>(gate: &'g Arc<Gate>, caller: &'g str) -> Entering<'g> {
        let mut entering: Entering<'g> = Box::pin(gate.enter(Some(caller)));
        // A call that has not been polled stands in no line.
        assert!(poll(&mut entering).is_none(), "{caller} has to wait");
        entering
    }

    fn poll(entering: &mut Entering<'_>) -> Option<Result<Place, Busy>> {
        match entering.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }

    fn pass(gate: &Arc<Gate>) -> Place {
        let mut entering: Entering<'_> = Box::pin(gate.enter(Some("first")));
        poll(&mut entering).unwrap().unwrap()
    }

    #[test]
    fn callers_take_turns_however_many_calls_each_has() {
        let gate = Arc::new(Gate::new(1, 10));
        let mut inside = Some(pass(&gate));
        let mut waiting: Vec<_> =
            ["a", "a", "a", "b", "b", "c"].map(|caller| (caller, enter(&gate, caller))).into();
        let mut order = String::new();
        while !waiting.is_empty() {
            inside.take();
            let position = waiting.iter_mut().position(|(caller, entering)| {
                let Some(result) = poll(entering) else { return false };
                inside = Some(result.unwrap());
                order += caller;
                true
            });
            drop(waiting.remove(position.expect("somebody goes in when one leaves")));
        }
        assert_eq!(order, "abcaba");
    }

    #[test]
    fn a_caller_with_many_calls_gives_up_a_place_to_one_with_few() {
        let gate = Arc::new(Gate::new(1, 3));
        let _inside = pass(&gate);
        let mut greedy: Vec<_> = (0..3).map(|_| enter(&gate, "greedy")).collect();
        let mut more: Entering<'_> = Box::pin(gate.enter(Some("greedy")));
        assert_eq!(poll(&mut more).unwrap().unwrap_err(), Busy);
        let mut modest = enter(&gate, "modest");
        assert_eq!(poll(&mut greedy[2]).unwrap().unwrap_err(), Busy);
        assert!(poll(&mut greedy[1]).is_none() && poll(&mut modest).is_none());
        let mut even: Entering<'_> = Box::pin(gate.enter(Some("modest")));
        assert_eq!(poll(&mut even).unwrap().unwrap_err(), Busy, "two and one are even enough");
    }

    #[test]
    fn who_goes_away_leaves_no_gap() {
        let gate = Arc::new(Gate::new(1, 2));
        let inside = pass(&gate);
        let [away, mut stays] = ["a", "b"].map(|caller| enter(&gate, caller));
        drop(away);
        let mut next = enter(&gate, "c");
        drop(inside);
        // It is the turn of `b`, which goes away before it notices.
        assert!(matches!(*lock_of(&gate), State { inside: 1, waiting: 1, .. }));
        let passed = poll(&mut stays).unwrap().unwrap();
        drop((passed, stays));
        drop(next_turn(&mut next));
        drop(next);
        assert!(matches!(*lock_of(&gate), State { inside: 0, waiting: 0, .. }), "{gate:?}");
    }

    #[test]
    fn a_turn_that_nobody_takes_is_passed_on() {
        let gate = Arc::new(Gate::new(1, 2));
        let inside = pass(&gate);
        let [away, mut stays] = ["a", "b"].map(|caller| enter(&gate, caller));
        drop(inside);
        drop(away);
        assert!(next_turn(&mut stays).is_ok());
    }

    #[test]
    fn who_goes_away_while_it_is_called_is_passed_over() {
        let gate = Arc::new(Gate::new(1, 2));
        let _inside = pass(&gate);
        let away = enter(&gate, "a");
        let ticket = gate.state().next().unwrap();
        drop(away);
        assert!(!settle(&ticket, Turn::Comes));
    }

    fn next_turn(entering: &mut Entering<'_>) -> Result<Place, Busy> {
        poll(entering).expect("its turn has come")
    }

    fn lock_of(gate: &Gate) -> MutexGuard<'_, State> {
        gate.state()
    }
}
