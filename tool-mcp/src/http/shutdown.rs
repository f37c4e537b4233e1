//! The end of an endpoint, in good order.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use tool_core::BoxFuture;

use crate::clock::after;
use crate::handlers::Handler;
use crate::http::sessions::Sessions;

/// What an endpoint has under way, and how long its end may take.
#[derive(Clone)]
pub(super) struct Shutdown {
    /// The answers that are on their way.
    pub(super) answers: TaskTracker,
    /// Ends sessions and streams.
    pub(super) stop: CancellationToken,
    pub(super) handler: Arc<Handler>,
    pub(super) sessions: Arc<Sessions>,
    deadline: Duration,
}

impl Shutdown {
    pub(super) fn new(handler: Arc<Handler>, deadline: Duration) -> Self {
        let sessions = Arc::new(Sessions::new());
        Shutdown { answers: TaskTracker::new(), stop: CancellationToken::new(), handler, sessions, deadline }
    }

    /// Begins no request any more, waits for the answers on their way, and then ends sessions and streams. Returns the
    /// moment at which nobody waits any longer.
    pub(super) async fn run(&self) -> Instant {
        let deadline = after(self.deadline);
        self.handler.begin_to_end();
        self.answers.close();
        if timeout_at(deadline, self.answers.wait()).await.is_err() {
            tracing::warn!(answers = self.answers.len(), "answers were not given in time and are given up");
        }
        self.stop.cancel();
        self.sessions.close_all();
        deadline
    }
}

/// A future that runs as a task from the first request on: where a router is built, there may be no runtime.
pub(super) struct SignalTask {
    future: Mutex<Option<BoxFuture<'static, ()>>>,
    task: OnceLock<AbortOnDropHandle<()>>,
}

impl SignalTask {
    pub(super) fn new(future: impl Future<Output = ()> + Send + 'static) -> Self {
        SignalTask { future: Mutex::new(Some(Box::pin(future))), task: OnceLock::new() }
    }

    /// Starts the task, unless it has been started.
    pub(super) fn start(&self) {
        self.task.get_or_init(|| {
            let future = self.future.lock().unwrap_or_else(PoisonError::into_inner).take();
            AbortOnDropHandle::new(tokio::spawn(async {
                if let Some(future) = future {
                    future.await;
                }
            }))
        });
    }
}
