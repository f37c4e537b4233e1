//! The requests of a session that are not answered yet.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use foldhash::fast::RandomState;
use rmcp::model::RequestId;
use tokio::sync::Notify;

use crate::sync::lock;

/// The most requests of a session without an answer; over stdio, also with an unread answer.
pub(crate) const MOST_REQUESTS: usize = 4_096;

/// The requests that are not answered yet, by their identifiers.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<InFlightState>>);

type InFlightState = HashMap<RequestId, Arc<Cancellation>, RandomState>;

/// Whether a request is canceled. Not a `CancellationToken`, which has a lock and can have children.
#[derive(Default)]
struct Cancellation {
    is_canceled: AtomicBool,
    changed: Notify,
}

/// Reserves the identifier of a request until it is dropped.
pub(crate) struct RequestGuard {
    requests: InFlight,
    id: RequestId,
    cancellation: Arc<Cancellation>,
}

impl InFlight {
    /// Reserves an identifier; `None` if another request has it.
    pub(crate) fn begin(&self, id: RequestId) -> Option<RequestGuard> {
        match lock(&self.0).entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let cancellation = Arc::clone(free.insert(Arc::default()));
                Some(RequestGuard { requests: self.clone(), id, cancellation })
            }
        }
    }

    /// Cancels a request, whose identifier is free from then on.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let cancellation = lock(&self.0).remove(id);
        if let Some(cancellation) = cancellation {
            cancellation.is_canceled.store(true, Ordering::Release);
            cancellation.changed.notify_one();
        }
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        lock(&self.0).contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

impl RequestGuard {
    pub(crate) fn is_canceled(&self) -> bool {
        self.cancellation.is_canceled.load(Ordering::Acquire)
    }

    /// Waits until the client cancels the request. One at a time may wait.
    pub(crate) async fn canceled(&self) {
        while !self.is_canceled() {
            self.cancellation.changed.notified().await;
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        // A canceled request has no identifier any more: another one may have it.
        if let Entry::Occupied(entry) = lock(&self.requests.0).entry(self.id.clone())
            && Arc::ptr_eq(entry.get(), &self.cancellation)
        {
            entry.remove();
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
