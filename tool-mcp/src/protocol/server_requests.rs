//! Requests of the server to the client of a session.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, RequestId};
use serde_json::Value;
use tokio::sync::oneshot::{Receiver, Sender, channel};

pub(crate) type Answered = Result<Value, ErrorData>;

/// The requests that the client has not answered yet.
#[derive(Debug, Default)]
pub(crate) struct ServerRequests(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    next: i64,
    pending: HashMap<i64, Sender<Answered>>,
}

impl ServerRequests {
    /// Returns the identifier of a new request, and what receives its answer.
    pub(crate) fn begin(&self) -> (RequestId, Receiver<Answered>) {
        let (sender, receiver) = channel();
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.pending.insert(id, sender);
        (RequestId::Number(id), receiver)
    }

    /// Expects no answer to a request any more.
    pub(crate) fn end(&self, id: &RequestId) {
        if let RequestId::Number(id) = id {
            self.state().pending.remove(id);
        }
    }

    /// Passes on the answer to a request, if somebody waits for it.
    pub(crate) fn answer(&self, id: Option<&RequestId>, answer: Answered) {
        let number = match id {
            Some(RequestId::Number(number)) => Some(*number),
            // Some clients return the identifier as a text.
            Some(RequestId::String(text)) => text.parse().ok(),
            None => None,
        };
        let waiting = number.and_then(|number| self.state().pending.remove(&number));
        match waiting {
            Some(waiting) => drop(waiting.send(answer)),
            None => tracing::debug!(?id, "the client answers a request that nobody waits for"),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
