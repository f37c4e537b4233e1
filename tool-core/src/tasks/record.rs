//! A task as its owner sees it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::failure::Failure;
use crate::model::task::{TaskId, TaskOptions};
use crate::tasks::outcome::TaskOutcome;
use crate::tasks::state::TaskState;

/// A task, as [`TaskEngine::get`](crate::tasks::TaskEngine::get) returns it.
///
/// ```
/// use std::time::SystemTime;
/// use tool_core::tasks::{Task, TaskId, TaskOptions, TaskState, TaskSupport};
///
/// let options = TaskOptions::new(TaskSupport::Optional);
/// let task = Task::new(TaskId::from_bytes([7; 16]), "export_site", SystemTime::UNIX_EPOCH, options);
/// assert_eq!(task.state, TaskState::Working);
/// assert_eq!(task.created_at(), "1970-01-01T00:00:00Z");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task {
    /// The identifier.
    pub id: TaskId,
    /// The name of the tool.
    pub tool: String,
    /// The state.
    pub state: TaskState,
    /// Whether the task was asked to end.
    pub is_canceled: bool,
    /// How many attempts have begun.
    pub attempt: u32,
    /// When it was created.
    pub created: SystemTime,
    /// When it last changed.
    pub updated: SystemTime,
    /// How long it exists, from its creation.
    pub ttl: Duration,
    /// How long a client should wait before it asks again.
    pub poll: Duration,
    /// A number that grows with each change.
    pub version: u64,
    /// The last progress that the function reported.
    pub progress: Option<TaskProgress>,
    /// The open questions, by their keys.
    pub questions: BTreeMap<String, TaskQuestion>,
    /// How the call ended, if it has.
    pub outcome: Option<TaskOutcome>,
}

impl Task {
    /// Creates a task that waits for a worker.
    pub fn new(id: TaskId, tool: impl Into<String>, created: SystemTime, options: TaskOptions) -> Self {
        Task {
            id,
            tool: tool.into(),
            state: TaskState::Working,
            is_canceled: false,
            attempt: 0,
            created,
            updated: created,
            ttl: options.ttl,
            poll: options.poll,
            version: 0,
            progress: None,
            questions: BTreeMap::new(),
            outcome: None,
        }
    }

    /// Returns when the task was created, by RFC 3339 in UTC.
    pub fn created_at(&self) -> String {
        rfc_3339(self.created)
    }

    /// Returns when the task last changed, by RFC 3339 in UTC.
    pub fn updated_at(&self) -> String {
        rfc_3339(self.updated)
    }

    /// Returns the message for people: that of the failure, or of the last progress.
    pub fn message(&self) -> Option<&str> {
        match &self.outcome {
            Some(outcome) => outcome.result().err().map(Failure::message),
            None => {
                self.progress.as_ref().map(|progress| progress.message.as_str()).filter(|it| !it.is_empty())
            }
        }
    }
}

impl Task {
    /// Returns the task as a JSON object for a list: without its questions and its result.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use tool_core::tasks::{Task, TaskId, TaskOptions, TaskSupport};
    ///
    /// let options = TaskOptions::new(TaskSupport::Optional);
    /// let task = Task::new(TaskId::from_bytes([7; 16]), "export_site", SystemTime::UNIX_EPOCH, options);
    /// let summary = task.to_summary();
    /// assert_eq!((&summary["tool"], &summary["status"]), (&"export_site".into(), &"working".into()));
    /// ```
    pub fn to_summary(&self) -> Map<String, Value> {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut summary = Map::new();
        let mut add = |name: &str, value: Value| drop(summary.insert(name.to_owned(), value));
        add("taskId", self.id.to_string().into());
        add("tool", self.tool.as_str().into());
        add("status", self.state.as_str().into());
        add("createdAt", self.created_at().into());
        add("lastUpdatedAt", self.updated_at().into());
        add("ttlMs", milliseconds(self.ttl).into());
        add("pollIntervalMs", milliseconds(self.poll).into());
        add("attempt", self.attempt.into());
        if self.is_canceled && !self.state.has_ended() {
            add("isCanceled", true.into());
        }
        if let Some(message) = self.message() {
            add("statusMessage", message.into());
        }
        if let Some(progress) = &self.progress {
            add("progress", serde_json::to_value(progress).unwrap_or_default());
        }
        summary
    }

    /// Returns the task as a JSON object with its open questions. The adapter adds the result in the form that its calls have.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use tool_core::tasks::{Task, TaskId, TaskOptions, TaskSupport};
    ///
    /// let options = TaskOptions::new(TaskSupport::Optional);
    /// let task = Task::new(TaskId::from_bytes([7; 16]), "export_site", SystemTime::UNIX_EPOCH, options);
    /// assert!(!task.to_json().contains_key("inputRequests"));
    /// ```
    pub fn to_json(&self) -> Map<String, Value> {
        let mut json = self.to_summary();
        if !self.questions.is_empty() {
            let requests =
                self.questions.iter().map(|(key, question)| (key.clone(), question.request.clone()));
            json.insert("inputRequests".to_owned(), Value::Object(requests.collect()));
        }
        json
    }
}

fn rfc_3339(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::MAX).to_string()
}

/// The progress of a task.
///
/// ```
/// let progress: tool_core::tasks::TaskProgress = serde_json::from_str(r#"{"done": 3, "total": 10}"#)?;
/// assert_eq!((progress.done, progress.total), (3, Some(10)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskProgress {
    /// The work done.
    pub done: u64,
    /// The total, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// A message, which may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// An open question of a task.
///
/// ```
/// use serde_json::json;
/// use tool_core::tasks::TaskQuestion;
///
/// let stored = json!({"digest": "blake3:…", "request": {"method": "roots/list", "params": {}}});
/// let question: TaskQuestion = serde_json::from_value(stored)?;
/// assert_eq!(question.request["method"], "roots/list");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskQuestion {
    /// The digest of the question, which its answer must have as well.
    pub digest: String,
    /// The question as an MCP request: `{"method", "params"}`.
    pub request: Value,
}

/// An answer to a question of a task.
///
/// ```
/// use serde_json::json;
/// use tool_core::tasks::TaskAnswer;
///
/// let answer: TaskAnswer = serde_json::from_value(json!({"digest": "blake3:…", "answer": {"action": "decline"}}))?;
/// assert_eq!(answer.answer["action"], "decline");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskAnswer {
    /// The digest of the question.
    pub digest: String,
    /// The answer, as an MCP client gives it.
    pub answer: Value,
}
