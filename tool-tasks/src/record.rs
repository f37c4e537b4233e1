//! The records of tasks: their statements and their rows.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tool_core::tasks::{
    Owner, RunningTask, Task, TaskAnswer, TaskAttempt, TaskId, TaskOptions, TaskOutcome, TaskProgress,
    TaskQuestion, TaskState, TaskSupport,
};
use tool_core::{Principal, TraceParent};

use crate::database::{DatabaseError, Row, Stored};

macro_rules! columns {
    () => {
        "id, tool, state, cancel, attempt, created, updated, ttl_ms, poll_ms, version, progress, questions, outcome, \
         arguments_digest"
    };
}

macro_rules! select_task {
    ($condition:literal) => {
        concat!("SELECT ", columns!(), " FROM tool_task WHERE ", $condition)
    };
}

/// Finds the task of an owner.
pub(crate) const FIND_TASK: &str = select_task!("id = $1 AND owner = $2 AND expires > $3");

/// Finds the task with a key.
pub(crate) const FIND_KEY: &str = select_task!("owner = $1 AND tool = $2 AND key = $3");

/// Lists the newest tasks of an owner.
pub(crate) const LIST: &str =
    select_task!("owner = $1 AND expires > $2 ORDER BY created DESC, id DESC LIMIT $3");

/// Lists the tasks of an owner that are older than one.
pub(crate) const LIST_AFTER: &str = select_task!(
    "owner = $1 AND expires > $2 AND (created, id) < ($4, $5) ORDER BY created DESC, id DESC LIMIT $3"
);

/// Stores a task, unless there is one with its key, and returns it.
pub(crate) const INSERT: &str = concat!(
    "INSERT INTO tool_task (id, owner, principal, tool, arguments, arguments_digest, key, retries, attempt_timeout_ms, \
     state, attempt, begun, resuming, cancel, version, created, updated, expires, poll_ms, ttl_ms, trace, \
     answers) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'working', 0, 0, 0, 0, 1, $10, $10, $11, $12, $13, $14, $15) \
     ON CONFLICT DO NOTHING RETURNING ",
    columns!()
);

/// Finds a record by its id.
pub(crate) const FIND_RECORD: &str = "SELECT id, owner, principal, tool, arguments, key, retries, attempt_timeout_ms, state, attempt, \
     begun, resuming, worker, cancel, questions, answers, expires, trace FROM tool_task WHERE id = $1";

/// A record as a worker sees it.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: TaskId,
    pub(crate) owner: String,
    pub(crate) principal: String,
    pub(crate) tool: String,
    pub(crate) arguments: String,
    pub(crate) key: Option<String>,
    pub(crate) retries: i64,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) state: TaskState,
    pub(crate) attempt: i64,
    pub(crate) begun: i64,
    pub(crate) is_resuming: bool,
    pub(crate) worker: Option<String>,
    pub(crate) is_canceled: bool,
    pub(crate) questions: BTreeMap<String, TaskQuestion>,
    pub(crate) answers: BTreeMap<String, TaskAnswer>,
    pub(crate) expires: i64,
    pub(crate) trace: Option<TraceParent>,
}

impl Record {
    pub(crate) fn read(mut row: Row) -> Stored<Self> {
        let id = row.text();
        let problem = |what: &str| DatabaseError::Away(format!("the {what} of task {id} cannot be read"));
        Ok(Record {
            id: id.parse().map_err(|_| problem("id"))?,
            owner: row.text(),
            principal: row.text(),
            tool: row.text(),
            arguments: row.text(),
            key: row.text_or_null().and_then(|key| serde_json::from_str(&key).ok()),
            retries: row.int(),
            attempt_timeout: row.int_or_null().map(milliseconds),
            state: row.text().parse().map_err(|_| problem("state"))?,
            attempt: row.int(),
            begun: row.int(),
            is_resuming: row.int() != 0,
            worker: row.text_or_null(),
            is_canceled: row.int() != 0,
            questions: from_json(row.text_or_null()).map_err(|()| problem("questions"))?,
            answers: from_json(row.text_or_null()).map_err(|()| problem("answers"))?,
            expires: row.int(),
            trace: row.text_or_null().and_then(|trace| trace.parse().ok()),
        })
    }

    /// Returns `true` if the task may not begin again.
    pub(crate) fn is_spent(&self) -> bool {
        self.begun > self.retries
    }

    /// Returns the attempt that the record describes.
    pub(crate) fn attempt(&self) -> TaskAttempt {
        let owner: Option<Owner> = serde_json::from_str(&self.principal).ok();
        let owner = owner.map_or_else(Principal::anonymous, Principal::from);
        let key = self.key.clone().unwrap_or_else(|| self.id.to_string());
        let running = RunningTask::new(self.id, key, u32::try_from(self.attempt).unwrap_or(u32::MAX));
        let mut attempt = TaskAttempt::new(running, self.tool.clone(), self.arguments.clone(), owner);
        attempt.timeout = self.attempt_timeout;
        attempt.trace = self.trace;
        attempt.answers = self.answers.clone();
        attempt
    }
}

/// Returns the task of a row, and the digest of its arguments.
pub(crate) fn read_task(mut row: Row) -> Stored<(Task, String)> {
    let text = row.text();
    let problem = |what: &str| DatabaseError::Away(format!("the {what} of task {text} cannot be read"));
    let id = text.parse().map_err(|_| problem("id"))?;
    let mut task = Task::new(id, row.text(), SystemTime::UNIX_EPOCH, TaskOptions::new(TaskSupport::Optional));
    task.state = row.text().parse().map_err(|_| problem("state"))?;
    task.is_canceled = row.int() != 0;
    task.attempt = u32::try_from(row.int()).unwrap_or(u32::MAX);
    task.created = UNIX_EPOCH + milliseconds(row.int());
    task.updated = UNIX_EPOCH + milliseconds(row.int());
    task.ttl = milliseconds(row.int());
    task.poll = milliseconds(row.int());
    task.version = u64::try_from(row.int()).unwrap_or_default();
    task.progress =
        from_json::<Option<TaskProgress>>(row.text_or_null()).map_err(|()| problem("progress"))?;
    let questions: BTreeMap<String, TaskQuestion> =
        from_json(row.text_or_null()).map_err(|()| problem("questions"))?;
    if task.state == TaskState::InputRequired {
        task.questions = questions;
    }
    task.outcome = from_json::<Option<TaskOutcome>>(row.text_or_null()).map_err(|()| problem("outcome"))?;
    Ok((task, row.text()))
}

fn from_json<T: serde::de::DeserializeOwned + Default>(text: Option<String>) -> Result<T, ()> {
    text.map_or_else(|| Ok(T::default()), |text| serde_json::from_str(&text).map_err(|_| ()))
}

/// Returns the JSON text of a value. Maps of strings and our own types always have one.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

pub(crate) fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or_default())
}

/// Returns the duration in milliseconds, at most about 100 million years.
pub(crate) fn to_milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    to_milliseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}
