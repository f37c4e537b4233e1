//! The requests of a session that are not answered yet.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

use crate::sync::lock;

/// The most requests of a session without an answer; over stdio, also with an unread answer.
pub(crate) const MOST_REQUESTS: usize = 4_096;

/// The requests that are not answered yet, by their identifiers.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<InFlightState>>);

#[derive(Default)]
struct InFlightState {
    requests: HashMap<RequestId, (u64, CancellationToken)>,
    /// Distinguishes requests that reuse an identifier.
    count: u64,
}

/// Reserves the identifier of a request until it is dropped.
pub(crate) struct RequestGuard {
    requests: InFlight,
    id: RequestId,
    number: u64,
    canceled: CancellationToken,
}

impl InFlight {
    /// Reserves an identifier; `None` if another request has it.
    pub(crate) fn begin(&self, id: RequestId) -> Option<RequestGuard> {
        let mut state = lock(&self.0);
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
        let canceled = lock(&self.0).requests.remove(id);
        if let Some((_, canceled)) = canceled {
            canceled.cancel();
        }
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        lock(&self.0).requests.contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.0).requests.len()
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
        let mut state = lock(&self.requests.0);
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
