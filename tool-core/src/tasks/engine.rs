//! The engine that stores and runs tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::future::BoxFuture;
use crate::model::task::{TaskId, TaskOptions};
use crate::model::trace::TraceParent;
use crate::tasks::record::{Task, TaskAnswer};
use crate::tasks::run::TaskRun;

/// Stores tasks and runs them. The crate `tool-tasks` has engines over SQLite and PostgreSQL, and the tests that an engine
/// must pass.
///
/// All methods but [`work`](TaskEngine::work) can be called in any process that has the same database.
pub trait TaskEngine: Send + Sync {
    /// Stores a task durably before it returns, with its answers. If the owner has a task of the same tool with the same key,
    /// that one is returned, whatever its answers are.
    ///
    /// # Errors
    ///
    /// [`TaskError::Conflict`] if the task with this key has other arguments, [`TaskError::TooMany`] if the owner has too many
    /// tasks that have not ended, [`TaskError::Unavailable`] if the database does not answer.
    fn create(&self, task: NewTask) -> BoxFuture<'_, Result<Task, TaskError>>;

    /// Returns the task, or `None` for unknown and expired tasks, and for those of another owner.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the database does not answer.
    fn get<'a>(
        &'a self,
        owner: &'a Principal,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Option<Task>, TaskError>>;

    /// Returns the tasks of this owner, newest first, after the task `after`. An anonymous caller has none: its tasks are found
    /// by their id alone.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the database does not answer.
    fn list<'a>(
        &'a self,
        owner: &'a Principal,
        after: Option<&'a TaskId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>>;

    /// Answers open questions of the task, by their keys. Each answer is that of an MCP client. Answers to questions that are
    /// not open are ignored. The task goes on when no question is open. Returns `false` as [`get`](TaskEngine::get) returns
    /// `None`.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the database does not answer.
    fn answer<'a>(
        &'a self,
        owner: &'a Principal,
        id: &'a TaskId,
        answers: Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, TaskError>>;

    /// Cancels the task: at once if it does not run, otherwise its call is canceled within a second, and decides how it ends.
    /// Returns `false` as [`get`](TaskEngine::get) returns `None`.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the database does not answer.
    fn cancel<'a>(&'a self, owner: &'a Principal, id: &'a TaskId) -> BoxFuture<'a, Result<bool, TaskError>>;

    /// Waits until the task is newer than `version`, or for a short time: ask for the task afterwards.
    fn changed<'a>(&'a self, id: &'a TaskId, version: u64) -> BoxFuture<'a, ()>;

    /// Takes and runs tasks until `stop`, and then until those that it runs have ended. Goes on when the database was away.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unusable`] if the database cannot be used at all, such as one of another version.
    fn work(&self, run: Arc<dyn TaskRun>, stop: CancellationToken) -> BoxFuture<'_, Result<(), TaskError>>;
}

/// A task to be created.
///
/// ```
/// use tool_core::Principal;
/// use tool_core::tasks::{NewTask, TaskOptions, TaskSupport};
///
/// let options = TaskOptions::new(TaskSupport::Optional);
/// let task = NewTask::new(&Principal::new("ada"), "export_site", r#"{"pages": 3}"#, options)?.key("monday");
/// let same = NewTask::new(&Principal::new("ada"), "export_site", r#"{ "pages":3 }"#, options)?;
/// assert_eq!(task.arguments_digest(), same.arguments_digest());
/// assert_ne!(task.id, same.id);
/// # Ok::<(), tool_core::tasks::TaskError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewTask {
    /// The identifier, which nobody can guess.
    pub id: TaskId,
    /// Who creates the task.
    pub owner: Principal,
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the text of a JSON object.
    pub arguments: String,
    /// The idempotency key, if the caller gave one.
    pub key: Option<String>,
    /// How the tool runs.
    pub options: TaskOptions,
    /// The trace of the call that creates the task.
    pub trace: Option<TraceParent>,
    /// The answers to questions that were asked before the task exists, by the keys of the questions.
    pub answers: BTreeMap<String, TaskAnswer>,
}

impl NewTask {
    /// Creates a task with a random identifier and without a key.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the system has no randomness.
    pub fn new(
        owner: &Principal,
        tool: impl Into<String>,
        arguments: impl Into<String>,
        options: TaskOptions,
    ) -> Result<Self, TaskError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| TaskError::Unavailable(error.to_string()))?;
        Ok(NewTask {
            id: TaskId::from_bytes(bytes),
            owner: owner.clone(),
            tool: tool.into(),
            arguments: arguments.into(),
            key: None,
            options,
            trace: None,
            answers: BTreeMap::new(),
        })
    }

    /// Sets the idempotency key: another task of the same owner and tool with this key is not created.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Returns the digest of the arguments, which is the same for all texts of the same JSON value.
    pub fn arguments_digest(&self) -> Digest {
        match serde_json::from_str::<Value>(&self.arguments) {
            Ok(arguments) => Digest::of(&arguments),
            Err(_) => Digest::of_bytes(self.arguments.as_bytes()),
        }
    }

    /// Returns how long the task exists.
    pub fn ttl(&self) -> Duration {
        self.options.ttl
    }
}

/// An error of a task engine.
///
/// ```
/// use tool_core::FailureKind;
/// use tool_core::tasks::TaskError;
///
/// let failure = TaskError::Conflict.into_failure();
/// assert_eq!(failure.kind().codes().http, 409);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// A task with this key has other arguments.
    #[error("a task with this idempotency key exists, and has other arguments: use another key")]
    Conflict,
    /// The owner has too many tasks that have not ended.
    #[error("you have {0} tasks that have not ended: wait for some of them, or cancel them")]
    TooMany(usize),
    /// The call is not made, such as one without access or with invalid arguments.
    #[error(transparent)]
    Refused(Failure),
    /// The database of the tasks does not answer. The text is for the log, and not for callers.
    #[error("the tasks cannot be reached: {0}")]
    Unavailable(String),
    /// The database of the tasks cannot be used until somebody mends it: all users have access to its file, for example, or its tables
    /// are of another version. The text is for the log, and not for callers.
    #[error("the tasks cannot be used: {0}")]
    Unusable(String),
}

impl TaskError {
    /// Returns the failure for callers. The cause of [`Unavailable`](TaskError::Unavailable) and of
    /// [`Unusable`](TaskError::Unusable) is logged.
    pub fn into_failure(self) -> Failure {
        match self {
            TaskError::Refused(failure) => failure,
            TaskError::Conflict => Failure::new(FailureKind::Failed(Reason::Conflict), self.to_string()),
            TaskError::TooMany(_) => Failure::new(FailureKind::Busy, self.to_string()),
            TaskError::Unavailable(cause) => {
                tracing::error!(cause, "the tasks cannot be reached");
                let message = "the tasks cannot be reached at the moment";
                let failure = Failure::new(FailureKind::Failed(Reason::Unavailable), message);
                failure.with_retry_after(Duration::from_secs(1))
            }
            TaskError::Unusable(cause) => {
                tracing::error!(cause, "the tasks cannot be used");
                Failure::new(FailureKind::Internal, "the tasks cannot be used; the log has the cause")
            }
        }
    }
}
