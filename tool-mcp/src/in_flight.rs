//! The requests that are not answered yet.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

/// What is not answered yet, by session and name; over stdio the session has none. In a session rmcp takes the answer to the
/// first of two requests of one name for that to the second, and never answers the other.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    requests: HashMap<Name, Request>,
    /// Tells requests apart that had one name after the other.
    count: u64,
}

struct Request {
    number: u64,
    /// For whoever wants to know later.
    taken_back: Option<TakenBack>,
}

/// Whether a request was taken back, as long as nobody else knows of it.
#[derive(Clone, Default)]
pub(crate) struct TakenBack(Arc<AtomicBool>);

impl TakenBack {
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

type Name = (Box<str>, RequestId);

/// Holds the name of a request until it is dropped.
pub(crate) struct Held {
    requests: InFlight,
    name: Name,
    number: u64,
}

impl InFlight {
    /// Takes a name; `None` where another request has it.
    pub(crate) fn begin(&self, session: &str, id: RequestId) -> Option<Held> {
        let mut state = self.state();
        state.count += 1;
        let number = state.count;
        let name = (Box::from(session), id);
        match state.requests.entry(name.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                free.insert(Request { number, taken_back: None });
                Some(Held { requests: self.clone(), name, number })
            }
        }
    }

    /// Lets go of a name whose request was taken back: it gets no answer.
    pub(crate) fn end(&self, session: &str, id: RequestId) {
        let ended = self.state().requests.remove(&(Box::from(session), id));
        if let Some(Request { taken_back: Some(TakenBack(taken_back)), .. }) = ended {
            taken_back.store(true, Ordering::Release);
        }
    }

    /// Whether a request that is not answered has this name.
    pub(crate) fn holds(&self, session: &str, id: &RequestId) -> bool {
        self.state().requests.contains_key(&(Box::from(session), id.clone()))
    }

    /// How many requests of all sessions are not answered.
    pub(crate) fn len(&self) -> usize {
        self.state().requests.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Whether the request was not taken back.
    pub(crate) fn is_held(&self) -> bool {
        self.state_of(|request| request.is_some())
    }

    /// Tells from now on whether it is taken back.
    pub(crate) fn watch(&self) -> TakenBack {
        let watched = |request: Option<&mut Request>| match request {
            Some(request) => request.taken_back.get_or_insert_default().clone(),
            None => TakenBack(Arc::new(AtomicBool::new(true))),
        };
        self.state_of(watched)
    }

    fn state_of<T>(&self, ask: impl FnOnce(Option<&mut Request>) -> T) -> T {
        let mut state = self.requests.state();
        ask(state.requests.get_mut(&self.name).filter(|request| request.number == self.number))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        if state.requests.get(&self.name).is_some_and(|request| request.number == self.number) {
            state.requests.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_known_to_whoever_watches_it() {
        let in_flight = InFlight::default();
        let seven = || RequestId::Number(7);
        let before = in_flight.begin("a", seven()).expect("it is free");
        let watch = before.watch();
        assert!(!watch.is());
        in_flight.end("a", seven());
        assert!(watch.is() && before.watch().is());
        let after = in_flight.begin("a", seven()).expect("it is free again");
        let watch = after.watch();
        // One that is answered, or whose client has left, was not taken back.
        drop((before, after));
        in_flight.end("a", seven());
        assert!(!watch.is());
    }

    #[test]
    fn a_name_is_held_once_in_each_session() {
        let in_flight = InFlight::default();
        let seven = || RequestId::Number(7);
        let first = in_flight.begin("a", seven());
        assert!(first.is_some() && in_flight.begin("a", seven()).is_none());
        let _other = in_flight.begin("b", seven()).expect("another session");
        in_flight.end("a", seven());
        let second = in_flight.begin("a", seven());
        assert!(second.is_some(), "the first was taken back");
        drop(first);
        assert!(in_flight.begin("a", seven()).is_none(), "the end of the first is not that of the second");
        drop(second);
        assert!(in_flight.begin("a", seven()).is_some());
    }
}
