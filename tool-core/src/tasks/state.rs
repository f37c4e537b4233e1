//! The state of a task.

use crate::model::names::names;

names! {
    /// The state of a task. `Completed`, `Failed` and `Cancelled` are final.
    ///
    /// ```
    /// use tool_core::tasks::TaskState;
    ///
    /// assert_eq!(TaskState::InputRequired.as_str(), "input_required");
    /// assert_eq!("working".parse(), Ok(TaskState::Working));
    /// assert!("done".parse::<TaskState>().is_err());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TaskState {
        /// The task waits for a worker, or runs.
        Working = "working",
        /// The task waits for answers to its questions.
        InputRequired = "input_required",
        /// The call has ended, with an output or with a failure of the tool.
        Completed = "completed",
        /// The call could not be made, or was interrupted.
        Failed = "failed",
        /// The task was canceled.
        Cancelled = "cancelled",
    }

    /// All states.
    const ALL: [TaskState; 5];

    /// Returns the name, as in MCP.
    pub const fn as_str;

    impl FromStr<Err = UnknownTaskState>, |text: &str| UnknownTaskState(text.to_owned());
}

/// An error of parsing a [`TaskState`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown state of a task `{0}`")]
pub struct UnknownTaskState(String);

impl TaskState {
    /// Returns `true` if the state is final.
    ///
    /// ```
    /// use tool_core::tasks::TaskState;
    ///
    /// assert!(TaskState::Failed.has_ended() && !TaskState::InputRequired.has_ended());
    /// ```
    pub const fn has_ended(self) -> bool {
        matches!(self, TaskState::Completed | TaskState::Failed | TaskState::Cancelled)
    }
}
