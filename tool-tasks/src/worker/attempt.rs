//! Running one attempt.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tool_core::tasks::{TaskAttempt, TaskEnd, TaskId, TaskOutcome, TaskRun, TaskState};
use tool_core::{CallId, Failure};

use crate::core::Core;
use crate::running::Running;
use crate::worker::recorder::End;

/// Removes the attempt from those that run, even if it is dropped.
struct RemoveOnDrop {
    core: Arc<Core>,
    id: TaskId,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        self.core.running.remove(&self.id);
        self.core.notify(&self.id);
    }
}

/// Runs one attempt, and waits until its end is recorded.
pub(super) async fn run(
    core: Arc<Core>,
    run: Arc<dyn TaskRun>,
    attempt: TaskAttempt,
    running: Running,
    ends: mpsc::Sender<End>,
) {
    let id = attempt.task.id;
    let tool = attempt.tool.clone();
    let guard = RemoveOnDrop { core: Arc::clone(&core), id };
    let call = AbortOnDrop(tokio::spawn(async move { run.run(attempt).await }));
    let end = call.join().await;
    let is_lost = core.running.get(&id).is_none_or(|running| running.is_lost);
    if is_lost && is_canceled(&end) {
        return;
    }
    core.running.end(&id);
    let (recorded, wait) = oneshot::channel();
    let end = End { id, tool, running, end, recorded };
    if ends.send(end).await.is_ok() {
        let _ = wait.await;
    }
    drop(guard);
}

/// A call that ends with the attempt.
struct AbortOnDrop(tokio::task::JoinHandle<TaskEnd>);

impl AbortOnDrop {
    /// Waits for the end of the call. A panic is an internal failure.
    async fn join(mut self) -> TaskEnd {
        (&mut self.0).await.unwrap_or_else(|error| {
            tracing::error!(%error, "the call of a task panicked");
            let outcome = TaskOutcome::new(CallId::new(), Err(Failure::internal()));
            TaskEnd::Ended { outcome, may_retry: false }
        })
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn is_canceled(end: &TaskEnd) -> bool {
    matches!(end, TaskEnd::Ended { outcome, .. } if outcome.state() == TaskState::Cancelled)
}
