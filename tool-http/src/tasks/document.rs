//! A task as JSON.

use axum::body;
use serde_json::{Map, Value};
use tool_core::Registry;
use tool_core::tasks::Task;

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
