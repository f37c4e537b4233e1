//! The graceful shutdown of an endpoint.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use tool_core::BoxFuture;

use crate::clock::after;
use crate::handlers::Handler;
use crate::http::sessions::Sessions;
use crate::sync::lock;

/// What an endpoint is doing, and how long its shutdown may take.
#[derive(Clone)]
pub(super) struct Shutdown {
    /// The responses that are being sent.
    pub(super) responses: TaskTracker,
    /// Ends sessions and streams.
    pub(super) stop: CancellationToken,
    pub(super) handler: Arc<Handler>,
    pub(super) sessions: Arc<Sessions>,
    deadline: Duration,
}

impl Shutdown {
    pub(super) fn new(handler: Arc<Handler>, deadline: Duration) -> Self {
        let (responses, sessions) = (TaskTracker::new(), Arc::new(Sessions::new()));
        Shutdown { responses, stop: CancellationToken::new(), handler, sessions, deadline }
    }

    /// Refuses new requests, waits for the responses, and then ends sessions and streams. Returns the deadline.
    pub(super) async fn run(&self) -> Instant {
        let deadline = after(self.deadline);
        self.handler.begin_shutdown();
        self.responses.close();
        if timeout_at(deadline, self.responses.wait()).await.is_err() {
            tracing::warn!(
                answers = self.responses.len(),
                "the shutdown deadline has passed: unanswered requests are dropped"
            );
        }
        self.stop.cancel();
        self.sessions.close_all();
        deadline
    }
}

/// A future that becomes a task with the first request: a router may be built outside of a runtime.
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
            let future = lock(&self.future).take();
            AbortOnDropHandle::new(tokio::spawn(async {
                if let Some(future) = future {
                    future.await;
                }
            }))
        });
    }
}
