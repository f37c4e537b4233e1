//! What a call has that runs for a task.

use std::time::Duration;

use crate::model::task::RunningTask;

/// What a call has that runs for a task.
#[derive(Clone, Debug)]
pub(crate) struct TaskCall {
    pub(crate) task: RunningTask,
    /// The time limit, instead of that of the tool.
    pub(crate) timeout: Option<Duration>,
    /// Cancels the call, without dropping it.
    #[cfg(feature = "tokio")]
    pub(crate) cancellation: tokio_util::sync::CancellationToken,
}
