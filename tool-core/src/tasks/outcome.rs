//! How the call of a task ended.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::call_id::CallId;
use crate::model::failure::stored::StoredFailure;
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;
use crate::model::output::stored::StoredOutput;
use crate::tasks::state::TaskState;

/// How the call of a task ended: the output, or the failure. It is stored as JSON, and reads back as the same.
///
/// ```
/// use tool_core::tasks::{TaskOutcome, TaskState};
/// use tool_core::{CallId, Failure, FailureKind, Output};
///
/// let outcome = TaskOutcome::new(CallId::new(), Output::json(&[1, 2]).map_err(|_| Failure::internal()));
/// let stored = serde_json::to_string(&outcome).unwrap();
/// let read: TaskOutcome = serde_json::from_str(&stored).unwrap();
/// assert_eq!(read.result().unwrap().value(), serde_json::json!([1, 2]));
/// assert_eq!(read.state(), TaskState::Completed);
///
/// let canceled = TaskOutcome::new(CallId::new(), Err(Failure::new(FailureKind::Cancelled, "canceled")));
/// assert_eq!(canceled.state(), TaskState::Cancelled);
/// ```
#[derive(Clone, Debug)]
pub struct TaskOutcome {
    call_id: CallId,
    result: Result<Output, Failure>,
}

impl TaskOutcome {
    /// Creates an outcome.
    pub fn new(call_id: CallId, result: Result<Output, Failure>) -> Self {
        TaskOutcome { call_id, result }
    }

    /// Creates the outcome of a task whose process ended, and that may not begin again.
    ///
    /// ```
    /// use tool_core::tasks::{TaskOutcome, TaskState};
    ///
    /// let outcome = TaskOutcome::interrupted();
    /// assert_eq!(outcome.state(), TaskState::Failed);
    /// assert_eq!(outcome.result().unwrap_err().kind().codes().error_type, "interrupted");
    /// ```
    pub fn interrupted() -> Self {
        let message =
            "the process that ran the task ended; the task may have taken effect, and is not run again";
        TaskOutcome::new(CallId::new(), Err(Failure::new(FailureKind::Interrupted, message)))
    }

    /// Creates the outcome of a task that was canceled before its function began.
    ///
    /// ```
    /// use tool_core::tasks::{TaskOutcome, TaskState};
    ///
    /// assert_eq!(TaskOutcome::canceled().state(), TaskState::Cancelled);
    /// ```
    pub fn canceled() -> Self {
        let failure = Failure::new(FailureKind::Cancelled, "the task was canceled");
        TaskOutcome::new(CallId::new(), Err(failure))
    }

    /// Returns the identifier of the last call.
    pub fn call_id(&self) -> CallId {
        self.call_id
    }

    /// Returns the output or the failure.
    ///
    /// # Errors
    ///
    /// The failure of the call.
    pub fn result(&self) -> Result<&Output, &Failure> {
        self.result.as_ref()
    }

    /// Returns the state of a task that ended like this. A call whose failure is the answer of the tool is completed.
    pub fn state(&self) -> TaskState {
        match self.result.as_ref().err().map(Failure::kind) {
            Some(FailureKind::Cancelled) => TaskState::Cancelled,
            Some(kind) if kind.codes().mcp_call.code(true).is_some() => TaskState::Failed,
            _ => TaskState::Completed,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredOutcome {
    call_id: CallId,
    #[serde(flatten)]
    result: StoredEnd,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredEnd {
    Output(StoredOutput),
    Failure(StoredFailure),
}

impl Serialize for TaskOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = match &self.result {
            Ok(output) => StoredEnd::Output(output.into()),
            Err(failure) => StoredEnd::Failure(failure.into()),
        };
        StoredOutcome { call_id: self.call_id, result }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TaskOutcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredOutcome { call_id, result } = StoredOutcome::deserialize(deserializer)?;
        let result = match result {
            StoredEnd::Output(output) => Ok(output.into()),
            StoredEnd::Failure(failure) => Err(failure.into()),
        };
        Ok(TaskOutcome { call_id, result })
    }
}

#[cfg(test)]
mod tests;
