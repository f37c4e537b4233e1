//! `notifications/tasks`: the tasks that a client listens to.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rmcp::model::ServerJsonRpcMessage;
use serde_json::{Map, Value, json};
use tokio::time::{sleep, timeout};
use tool_core::Registry;
use tool_core::tasks::{Task, TaskEngine, TaskId};

use crate::catalog::Catalog;
use crate::catalog::view::CatalogView;
use crate::changes::{DEBOUNCE, SEND_TIMEOUT};
use crate::handlers::Handler;
use crate::handlers::tasks::undeclared;
use crate::protocol::{Notification, RequestContext, RpcResult, invalid_params};
use crate::render::call_result::CallResult;
use crate::render::task::{TaskMeta, TaskResult};

/// The most tasks that a client may listen to with one request. Each of them is looked up again and again.
const MOST_TASKS: usize = 128;

/// How long to wait after the state of a task could not be read.
const RETRY: Duration = Duration::from_secs(1);

/// The tasks that a client listens to.
pub(super) struct ListenedTasks {
    registry: Registry,
    catalog: Arc<Catalog>,
    engine: Arc<dyn TaskEngine>,
    /// `None` if the client names none.
    ids: Option<Vec<TaskId>>,
}

impl ListenedTasks {
    /// Adds the tasks to the notification that acknowledges a subscription.
    pub(super) fn acknowledge(&self, acknowledged: &ServerJsonRpcMessage) -> Value {
        let mut message = serde_json::to_value(acknowledged).unwrap_or_default();
        if let Some(ids) = &self.ids {
            let ids: Vec<String> = ids.iter().map(TaskId::to_string).collect();
            message["params"]["notifications"]["taskIds"] = json!(ids);
        }
        message
    }
}

impl Handler {
    /// Returns the tasks of the caller among those that a client wants to listen to; `None` without an engine.
    ///
    /// # Errors
    ///
    /// When the client names tasks and does not declare the extension.
    pub(super) async fn listened_tasks(
        &self,
        params: &Map<String, Value>,
        cx: &RequestContext,
    ) -> RpcResult<Option<ListenedTasks>> {
        let CatalogView { registry, catalog, .. } = self.view(cx).await?;
        let Some(engine) = registry.task_engine().cloned() else { return Ok(None) };
        let ids = match params.get("notifications").and_then(|wanted| wanted.get("taskIds")) {
            None | Some(Value::Null) => None,
            Some(_) if !cx.capabilities.tasks => return Err(undeclared()),
            Some(ids) => {
                let ids: Vec<String> = serde_json::from_value(ids.clone())
                    .map_err(|_| invalid_params("`taskIds` must be a list of strings"))?;
                let mut found: Vec<TaskId> = Vec::new();
                for id in ids.iter().filter_map(|id| id.parse().ok()) {
                    // The client sees which ones are acknowledged, and can ask for the others.
                    let is_new = found.len() < MOST_TASKS && !found.contains(&id);
                    if is_new && matches!(engine.get(registry.principal(), &id).await, Ok(Some(_))) {
                        found.push(id);
                    }
                }
                Some(found)
            }
        };
        Ok(Some(ListenedTasks { registry, catalog, engine, ids }))
    }

    /// Notifies a client of the states of its tasks, until all have ended or the client leaves.
    pub(super) async fn send_tasks(&self, tasks: &ListenedTasks, cx: &RequestContext) {
        let ids = tasks.ids.iter().flatten();
        let mut following: FuturesUnordered<_> = ids.map(|id| self.follow(id, tasks, cx)).collect();
        while let Some(followed) = following.next().await {
            if let Err(reason) = followed {
                tracing::warn!(reason, "a subscription to tasks ends");
                return;
            }
        }
    }

    /// Notifies a client of the present state of a task and of each later one, up to its end.
    ///
    /// # Errors
    ///
    /// Returns why the client gets no more notifications.
    async fn follow(
        &self,
        id: &TaskId,
        tasks: &ListenedTasks,
        cx: &RequestContext,
    ) -> Result<(), &'static str> {
        let mut sent = None;
        loop {
            match tasks.engine.get(tasks.registry.principal(), id).await {
                Ok(Some(task)) => {
                    if sent.is_none_or(|version| task.version > version) {
                        self.send_task(&task, tasks, cx).await?;
                        sent = Some(task.version);
                    }
                    if task.state.has_ended() {
                        return Ok(());
                    }
                }
                // It has expired.
                Ok(None) => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "the state of a task cannot be read");
                    sleep(RETRY).await;
                }
            }
            tasks.engine.changed(id, sent.unwrap_or_default()).await;
            // Changes within a short time become one notification.
            sleep(DEBOUNCE).await;
        }
    }

    async fn send_task(
        &self,
        task: &Task,
        tasks: &ListenedTasks,
        cx: &RequestContext,
    ) -> Result<(), &'static str> {
        let reply = tasks.registry.task_reply(task).await;
        let meta = TaskMeta::Notification { subscription: cx.id.clone() };
        let mut params = TaskResult::new(task, meta).with_questions(task);
        if let Some(reply) = &reply {
            let outcome = CallResult::of(reply, &cx.era, &tasks.catalog.settings.scheme);
            params = params.with_outcome(task, reply, outcome.map(|result| self.finished(result, cx)));
        }
        let notification = Notification::new("notifications/tasks", params);
        match timeout(SEND_TIMEOUT, cx.outbox.send(&notification)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err("the client has left"),
            Err(_) => Err("the client does not read its notifications"),
        }
    }
}
