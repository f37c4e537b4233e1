//! A task as JSON.

use axum::body;
use serde_json::{Map, Value};
use tool_core::Registry;
use tool_core::tasks::Task;

use crate::response;

/// Returns the JSON of a task. If it has ended, `result` is the body that its call would have had, and `resultStatus` its
/// status.
pub(super) async fn of(tools: &Registry, task: &Task) -> Map<String, Value> {
    let mut document = summary(task);
    if !task.questions.is_empty() {
        let questions = task.questions.iter().map(|(key, question)| (key.clone(), question.request.clone()));
        document.insert("inputRequests".to_owned(), Value::Object(questions.collect()));
    }
    if let Some(reply) = tools.task_reply(task).await {
        let response = response::call_response(&reply);
        document.insert("resultStatus".to_owned(), response.status().as_u16().into());
        let text = body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
        document.insert("result".to_owned(), serde_json::from_slice(&text).unwrap_or_default());
    }
    document
}

/// Returns the JSON of a task in a list: without questions and result.
pub(super) fn summary(task: &Task) -> Map<String, Value> {
    let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut document = Map::new();
    let mut add = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
    add("taskId", task.id.to_string().into());
    add("tool", task.tool.as_str().into());
    add("status", task.state.as_str().into());
    add("createdAt", task.created_at().into());
    add("lastUpdatedAt", task.updated_at().into());
    add("ttlMs", milliseconds(task.ttl).into());
    add("pollIntervalMs", milliseconds(task.poll).into());
    add("attempt", task.attempt.into());
    if task.is_canceled && !task.state.has_ended() {
        add("isCanceled", true.into());
    }
    if let Some(message) = task.message() {
        add("statusMessage", message.into());
    }
    if let Some(progress) = &task.progress {
        add("progress", serde_json::to_value(progress).unwrap_or_default());
    }
    document
}
