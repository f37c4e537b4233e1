//! Requests of the server to the client of a session.

use std::collections::HashMap;
use std::sync::Mutex;

use rmcp::model::RequestId;
use serde_json::Value;
use tokio::sync::oneshot::{Receiver, Sender, channel};

use crate::protocol::RpcResult;
use crate::sync::lock;

pub(crate) type ClientResult = RpcResult<Value>;

/// The requests that the client has not answered yet.
pub(crate) struct ServerRequests(Mutex<PendingRequests>);

struct PendingRequests {
    first: i64,
    next: i64,
    by_id: HashMap<i64, Sender<ClientResult>>,
}

impl ServerRequests {
    /// Numbers the requests from `first`, which is at most 2^52.
    pub(crate) fn numbered_from(first: i64) -> Self {
        ServerRequests(Mutex::new(PendingRequests { first, next: first, by_id: HashMap::new() }))
    }

    /// Returns the identifier of a new request, and the receiver of its response.
    pub(crate) fn begin(&self) -> (RequestId, Receiver<ClientResult>) {
        let (sender, receiver) = channel();
        let mut pending = lock(&self.0);
        let id = pending.next;
        pending.next += 1;
        pending.by_id.insert(id, sender);
        (RequestId::Number(id), receiver)
    }

    /// Stops waiting for the response to a request.
    pub(crate) fn end(&self, id: &RequestId) {
        if let RequestId::Number(id) = id {
            lock(&self.0).by_id.remove(id);
        }
    }

    /// Passes a response on to its receiver, if it is still awaited. Returns `false` if no request was sent with this identifier.
    pub(crate) fn answer(&self, id: Option<&RequestId>, result: ClientResult) -> bool {
        let number = match id {
            Some(RequestId::Number(number)) => Some(*number),
            // Some clients return the identifier as a text.
            Some(RequestId::String(text)) => text.parse().ok(),
            None => None,
        };
        let mut pending = lock(&self.0);
        let Some(number) = number.filter(|number| (pending.first..pending.next).contains(number)) else {
            return false;
        };
        match pending.by_id.remove(&number) {
            Some(sender) => drop(sender.send(result)),
            None => tracing::debug!(?id, "the client answers a request that is not pending"),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_requests_that_nobody_waits_for() {
        let requests = ServerRequests::numbered_from(7);
        let (first, _receiver) = requests.begin();
        let (second, _other_receiver) = requests.begin();
        assert_eq!((&first, &second), (&RequestId::Number(7), &RequestId::Number(8)));
        requests.end(&first);
        let left: Vec<i64> = lock(&requests.0).by_id.keys().copied().collect();
        assert_eq!(left, [8]);
    }
}
