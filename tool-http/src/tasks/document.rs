//! A task as JSON.

use std::time::Duration;

use axum::body;
use serde_json::{Map, Value, json};
use tool_core::tasks::Task;
use tool_core::{Registry, ToolDefinition};

use crate::response;

/// Returns the JSON of a task. If it has ended, `result` is the body that its call would have had, and `resultStatus` its
/// status.
pub(super) async fn of(tools: &Registry, task: &Task) -> Map<String, Value> {
    let mut document = task.to_json();
    if let Some(reply) = tools.task_reply(task).await {
        let response = response::call_response(&reply);
        document.insert("resultStatus".to_owned(), response.status().as_u16().into());
        let text = body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
        document.insert("result".to_owned(), serde_json::from_slice(&text).unwrap_or_default());
    }
    document
}

/// Returns how a tool runs as a task, or `None` if it does not: for its description.
pub(crate) fn task_options(tools: &Registry, tool: &ToolDefinition) -> Option<Value> {
    let options = tool.task().filter(|_| tools.task_engine().is_some())?;
    let mut description = json!({
        "support": options.support,
        "retries": options.retries,
        "ttlMs": milliseconds(options.ttl),
        "pollIntervalMs": milliseconds(options.poll),
    });
    if let Some(timeout) = options.attempt_timeout {
        description["attemptTimeoutMs"] = milliseconds(timeout).into();
    }
    Some(description)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
