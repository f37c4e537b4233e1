//! Tasks as members of results and notifications.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use serde::Serialize;
use serde_json::Value;
use tool_core::Reply;
use tool_core::tasks::{Task, TaskQuestion, TaskState};

use crate::protocol::ResultMeta;
use crate::render::call_result::CallResult;

/// A task, flat as the extension has it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskResult<'t> {
    /// `task` in the answer to a call, `complete` in that to `tasks/get`, and nothing in a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_type: Option<&'static str>,
    task_id: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<&'t str>,
    created_at: String,
    last_updated_at: String,
    ttl_ms: u64,
    poll_interval_ms: u64,
    #[serde(flatten)]
    details: Option<ErrorDetails<'t>>,
    #[serde(rename = "_meta")]
    pub(crate) meta: TaskMeta<'t>,
}

/// What a task has beside its state.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ErrorDetails<'t> {
    InputRequests(BTreeMap<String, &'t Value>),
    Result(CallResult<'t>),
    Error(ErrorData),
}

/// The `_meta` of a task.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum TaskMeta<'t> {
    Result(ResultMeta<'t>),
    Notification {
        /// The request that the client listens with.
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: RequestId,
    },
}

impl<'t> TaskResult<'t> {
    /// Returns a task without its questions and its result.
    pub(crate) fn new(task: &'t Task, meta: TaskMeta<'t>) -> Self {
        TaskResult {
            result_type: None,
            task_id: task.id.to_string(),
            status: task.state.as_str(),
            status_message: task.message(),
            created_at: task.created_at(),
            last_updated_at: task.updated_at(),
            ttl_ms: milliseconds(task.ttl),
            poll_interval_ms: milliseconds(task.poll),
            details: None,
            meta,
        }
    }

    /// Adds the questions of a task that waits for answers.
    pub(crate) fn with_questions(mut self, task: &'t Task) -> Self {
        if task.state == TaskState::InputRequired {
            let questions = task.questions.iter();
            let requests = questions.map(|(key, question)| (request_key(task, key), &question.request));
            self.details = Some(ErrorDetails::InputRequests(requests.collect()));
        }
        self
    }

    /// Adds how the call of a task ended: the response that the call would have had.
    pub(crate) fn with_outcome(
        mut self,
        task: &Task,
        reply: &'t Reply,
        outcome: Result<CallResult<'t>, ErrorData>,
    ) -> Self {
        self.details = match (task.state, outcome) {
            (TaskState::Completed, Ok(result)) => Some(ErrorDetails::Result(result)),
            (TaskState::Failed, Ok(_)) => Some(ErrorDetails::Error(protocol_error(reply))),
            (TaskState::Completed | TaskState::Failed, Err(error)) => Some(ErrorDetails::Error(error)),
            _ => None,
        };
        self
    }
}

/// Returns the error of a call that was not made.
fn protocol_error(reply: &Reply) -> ErrorData {
    let Err(failure) = &reply.result else { return ErrorData::internal_error("internal error", None) };
    let code = failure.kind().codes().mcp_call.code(true).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    ErrorData::new(code, failure.message().to_owned(), None)
}

/// Returns the key of an open question for clients. A key must not be used for another request in the life of a task, while a
/// function that goes on may ask again under the key of an earlier question: the number of its attempt tells them apart.
fn request_key(task: &Task, key: &str) -> String {
    if task.attempt > 1 { format!("{key}#{}", task.attempt) } else { key.to_owned() }
}

/// Returns the question that a client answers under this key.
pub(crate) fn question_of<'t>(task: &'t Task, request: &str) -> Option<(&'t String, &'t TaskQuestion)> {
    task.questions.iter().find(|(key, _)| request_key(task, key) == request)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
