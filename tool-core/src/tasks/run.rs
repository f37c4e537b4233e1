//! One attempt of a task.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::context::progress::ProgressSink;
use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::model::task::RunningTask;
use crate::model::trace::TraceParent;
use crate::tasks::outcome::TaskOutcome;
use crate::tasks::record::{TaskAnswer, TaskQuestion};

/// Runs the attempts of tasks that a [`TaskEngine`](crate::tasks::TaskEngine) takes. A [`Registry`](crate::Registry) does this.
pub trait TaskRun: Send + Sync {
    /// Runs one attempt to its end. Panics of the tool are caught.
    fn run(&self, attempt: TaskAttempt) -> BoxFuture<'_, TaskEnd>;
}

/// One attempt of a task.
#[non_exhaustive]
pub struct TaskAttempt {
    /// The task.
    pub task: RunningTask,
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the text of a JSON object.
    pub arguments: String,
    /// Who created the task.
    pub owner: Principal,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The trace of the call that created the task.
    pub trace: Option<TraceParent>,
    /// The answers so far, by the keys of the questions.
    pub answers: BTreeMap<String, TaskAnswer>,
    /// Where the progress goes.
    pub progress: Option<Arc<dyn ProgressSink>>,
    /// Canceled when the task is.
    pub cancellation: CancellationToken,
}

impl TaskAttempt {
    /// Creates an attempt without a time limit, answers or a sink for progress.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::tasks::{RunningTask, TaskAttempt, TaskId};
    ///
    /// let task = RunningTask::new(TaskId::from_bytes([1; 16]), "order-7", 1);
    /// let attempt = TaskAttempt::new(task, "send_invoices", "{}", Principal::new("ada"));
    /// assert!(!attempt.cancellation.is_cancelled());
    /// ```
    pub fn new(
        task: RunningTask,
        tool: impl Into<String>,
        arguments: impl Into<String>,
        owner: Principal,
    ) -> Self {
        TaskAttempt {
            task,
            tool: tool.into(),
            arguments: arguments.into(),
            owner,
            timeout: None,
            trace: None,
            answers: BTreeMap::new(),
            progress: None,
            cancellation: CancellationToken::new(),
        }
    }
}

impl fmt::Debug for TaskAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskAttempt")
            .field("task", &self.task)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

/// How an attempt ended.
///
/// ```
/// use tool_core::tasks::{TaskEnd, TaskOutcome};
///
/// let end = TaskEnd::Ended { outcome: TaskOutcome::canceled(), may_retry: false };
/// assert!(matches!(end, TaskEnd::Ended { may_retry: false, .. }));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TaskEnd {
    /// The call has ended.
    Ended {
        /// How.
        outcome: TaskOutcome,
        /// Whether the failure says that another attempt can succeed.
        may_retry: bool,
    },
    /// The call waits for answers. It begins again with them, which is no retry.
    InputRequired(BTreeMap<String, TaskQuestion>),
    /// This process does not have the tool: another one may.
    NoTool,
}
