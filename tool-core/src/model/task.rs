//! Tasks as a tool declares them, and as a running call sees them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::setters::setters;

/// The identifier of a task: 128 random bits. Its text form is 32 hexadecimal digits in lower case.
///
/// ```
/// let id: tool_core::tasks::TaskId = "00112233445566778899aabbccddeeff".parse()?;
/// assert_eq!(id.to_string(), "00112233445566778899aabbccddeeff");
/// assert!("42".parse::<tool_core::tasks::TaskId>().is_err());
/// # Ok::<(), tool_core::tasks::ParseTaskIdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskId(u128);

impl TaskId {
    /// Creates an identifier from 16 random bytes.
    ///
    /// ```
    /// let id = tool_core::tasks::TaskId::from_bytes([0xab; 16]);
    /// assert!(id.to_string().starts_with("abab"));
    /// ```
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        TaskId(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for TaskId {
    type Err = ParseTaskIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_id = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let id = is_id.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        id.map(TaskId).ok_or(ParseTaskIdError)
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for TaskId {
    type Error = ParseTaskIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// An error of parsing a [`TaskId`].
///
/// ```
/// let error = "42".parse::<tool_core::tasks::TaskId>().unwrap_err();
/// assert_eq!(error.to_string(), "the id of a task has 32 hexadecimal digits in lower case");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a task has 32 hexadecimal digits in lower case")]
pub struct ParseTaskIdError;

/// Whether callers may run a tool as a task, or must.
///
/// ```
/// use tool_core::tasks::TaskSupport;
///
/// assert_eq!(serde_json::to_value(TaskSupport::Required).unwrap(), "required");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskSupport {
    /// A caller chooses between a task and a call that it waits for.
    Optional,
    /// Every call is a task.
    Required,
}

impl TaskSupport {
    /// Returns the name, as in `task(…)`.
    ///
    /// ```
    /// assert_eq!(tool_core::tasks::TaskSupport::Required.as_str(), "required");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            TaskSupport::Optional => "optional",
            TaskSupport::Required => "required",
        }
    }
}

/// How a tool runs as a task: `task(…)` of `#[tool]`.
///
/// ```
/// use std::time::Duration;
/// use tool_core::tasks::{TaskOptions, TaskSupport};
///
/// let options = TaskOptions::new(TaskSupport::Optional);
/// assert_eq!((options.retries, options.ttl), (0, Duration::from_secs(24 * 60 * 60)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct TaskOptions {
    /// Whether a caller may wait for the call instead.
    pub support: TaskSupport,
    /// How often the function may begin again after its process ended, or after a failure that says that a retry can succeed.
    pub retries: u32,
    /// The time limit of each attempt.
    pub attempt_timeout: Option<Duration>,
    /// How long a task exists, from its creation.
    pub ttl: Duration,
    /// How long a client should wait before it asks for the state again.
    pub poll: Duration,
}

impl TaskOptions {
    /// Returns options without retries and without a time limit. The task exists for 24 hours, and is polled every 2 seconds.
    ///
    /// ```
    /// # use tool_core::tasks::{TaskOptions, TaskSupport};
    /// assert!(TaskOptions::new(TaskSupport::Required).attempt_timeout.is_none());
    /// ```
    pub const fn new(support: TaskSupport) -> Self {
        TaskOptions {
            support,
            retries: 0,
            attempt_timeout: None,
            ttl: Duration::from_secs(24 * 60 * 60),
            poll: Duration::from_secs(2),
        }
    }

    setters! {
        /// Sets `retries = …`.
        ///
        /// ```
        /// # use tool_core::tasks::{TaskOptions, TaskSupport};
        /// assert_eq!(TaskOptions::new(TaskSupport::Optional).retries(2).retries, 2);
        /// ```
        pub const fn retries(retries: u32) => retries = retries;

        /// Sets `attempt_timeout = "…"`, in milliseconds.
        ///
        /// ```
        /// # use tool_core::tasks::{TaskOptions, TaskSupport};
        /// let options = TaskOptions::new(TaskSupport::Optional).attempt_timeout(1_500);
        /// assert_eq!(options.attempt_timeout.unwrap().as_millis(), 1_500);
        /// ```
        pub const fn attempt_timeout(milliseconds: u64) => attempt_timeout = Some(Duration::from_millis(milliseconds));

        /// Sets `ttl = "…"`, in milliseconds.
        ///
        /// ```
        /// # use tool_core::tasks::{TaskOptions, TaskSupport};
        /// assert_eq!(TaskOptions::new(TaskSupport::Optional).ttl(60_000).ttl.as_secs(), 60);
        /// ```
        pub const fn ttl(milliseconds: u64) => ttl = Duration::from_millis(milliseconds);

        /// Sets `poll = "…"`, in milliseconds.
        ///
        /// ```
        /// # use tool_core::tasks::{TaskOptions, TaskSupport};
        /// assert_eq!(TaskOptions::new(TaskSupport::Optional).poll(500).poll.as_millis(), 500);
        /// ```
        pub const fn poll(milliseconds: u64) => poll = Duration::from_millis(milliseconds);
    }
}

/// The task that a call runs for, see [`Context::task`](crate::Context::task).
///
/// ```
/// use tool_core::{Context, tool};
///
/// /// Sends the invoices of a month.
/// #[tool(operation = Trigger, destructive = false, task(optional))]
/// async fn send_invoices(#[inject] context: Context) -> String {
///     match context.task() {
///         Some(task) => format!("attempt {} of task {}", task.attempt, task.id),
///         None => "a call that is waited for".to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RunningTask {
    /// The identifier of the task.
    pub id: TaskId,
    /// The idempotency key: what the caller gave, or else the identifier. It is the same in each attempt.
    pub key: String,
    /// The number of this attempt, from 1. An attempt that goes on with answers counts as one.
    pub attempt: u32,
}

impl RunningTask {
    /// Creates the task that a call runs for.
    ///
    /// ```
    /// use tool_core::tasks::{RunningTask, TaskId};
    ///
    /// let task = RunningTask::new(TaskId::from_bytes([1; 16]), "order-7", 1);
    /// assert_eq!(task.key, "order-7");
    /// ```
    pub fn new(id: TaskId, key: impl Into<String>, attempt: u32) -> Self {
        RunningTask { id, key: key.into(), attempt }
    }
}
