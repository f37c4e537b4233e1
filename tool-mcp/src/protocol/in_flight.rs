//! The requests of a session that are not answered yet.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// The requests that are not answered yet, by their identifiers.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    requests: HashMap<RequestId, (u64, CancellationToken)>,
    /// Distinguishes requests that had one identifier after the other.
    count: u64,
}

/// Reserves the identifier of a request until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    requests: InFlight,
    id: RequestId,
    number: u64,
    canceled: CancellationToken,
}

impl InFlight {
    /// Reserves an identifier; `None` if another request has it.
    pub(crate) fn begin(&self, id: RequestId) -> Option<RequestGuard> {
        let mut state = self.state();
        state.count += 1;
        let number = state.count;
        match state.requests.entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let canceled = CancellationToken::new();
                free.insert((number, canceled.clone()));
                Some(RequestGuard { requests: self.clone(), id, number, canceled })
            }
        }
    }

    /// Cancels a request, whose identifier is free from then on.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let canceled = self.state().requests.remove(id);
        if let Some((_, canceled)) = canceled {
            canceled.cancel();
        }
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.state().requests.contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.state().requests.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestGuard {
    pub(crate) fn is_canceled(&self) -> bool {
        self.canceled.is_cancelled()
    }

    /// Waits until the client cancels the request.
    pub(crate) async fn canceled(&self) {
        self.canceled.cancelled().await;
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = self.requests.state();
        if state.requests.get(&self.id).is_some_and(|(number, _)| *number == self.number) {
            state.requests.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_an_identifier_until_it_is_dropped_or_canceled() {
        let in_flight = InFlight::default();
        let seven = || RequestId::Number(7);
        let first = in_flight.begin(seven()).expect("it is free");
        assert!(in_flight.begin(seven()).is_none() && in_flight.contains(&seven()));
        in_flight.cancel(&seven());
        assert!(first.is_canceled());
        let second = in_flight.begin(seven()).expect("the first was canceled");
        drop(first);
        assert!(in_flight.begin(seven()).is_none(), "dropping the first does not release the second");
        assert!(!second.is_canceled());
        drop(second);
        assert_eq!(in_flight.len(), 0);
    }
}
