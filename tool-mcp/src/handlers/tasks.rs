//! Tasks: calls that are answered by a task, `tasks/get`, `tasks/update` and `tasks/cancel`.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, TASKS_EXTENSION_ID};
use serde_json::{Map, Value, json};
use tool_core::tasks::{TaskEngine, TaskError, TaskId, TaskSupport};
use tool_core::{Failure, ToolDefinition, adapter};

use crate::catalog::view::CatalogView;
use crate::elicitation::{CallIdentity, Round};
use crate::handlers::{CallOutcome, Handler};
use crate::protocol::{
    Acknowledged, RequestContext, RpcResponse, RpcResult, invalid_params, method_not_found,
};
use crate::render::call_result::CallResult;
use crate::render::task::{TaskMeta, TaskResult, question_of};

/// The engine of the caller's tools, and one of its tasks.
struct CallerTask {
    view: CatalogView,
    engine: Arc<dyn TaskEngine>,
    id: TaskId,
}

impl Handler {
    /// Answers a call with a task, or with the questions that come before it. Returns `None` if the call is made instead.
    ///
    /// The server decides which calls become tasks: those of every tool that can, if the client declares the extension.
    pub(super) async fn create_task(
        &self,
        view: &CatalogView,
        name: &str,
        arguments: &[u8],
        round: Round<'_>,
        cx: &RequestContext,
    ) -> RpcResult<Option<RpcResponse>> {
        let registry = &view.registry;
        let options = registry.get(name).and_then(ToolDefinition::task).filter(|_| cx.era.is_modern());
        let (Some(options), Some(engine)) = (options, registry.task_engine()) else { return Ok(None) };
        // The call is refused by the same words as that of any other tool.
        if registry.check_access(name).is_err() {
            return Ok(None);
        }
        if !cx.capabilities.tasks {
            return match options.support {
                TaskSupport::Optional => Ok(None),
                TaskSupport::Required => Err(undeclared()),
            };
        }
        let key = cx.idempotency_key()?.map(str::to_owned);
        let mut new = match registry.prepare_task(name, arguments) {
            Ok(new) => new,
            Err(error) => return self.not_created(&error.into_failure(), cx),
        };
        (new.key, new.trace) = (key, cx.trace);
        let call =
            CallIdentity { method: "tools/call", name, arguments, principal: registry.principal().id() };
        let ask = async |options: &_| adapter::ask_before_task(registry, name, arguments, options).await;
        let asking = self.run(call, round, view.options.clone(), cx, ask, |answers| answers.as_ref().err());
        new.answers = match asking.await? {
            CallOutcome::Done(Ok(answers)) => answers,
            CallOutcome::Done(Err(failure)) => return self.not_created(&failure, cx),
            CallOutcome::InputRequired(input_required) => {
                return Ok(Some(RpcResponse::of(input_required, cx)));
            }
        };
        let task = match engine.create(new).await {
            Ok(task) => task,
            Err(error) => return self.not_created(&error.into_failure(), cx),
        };
        let mut result = TaskResult::new(&task, TaskMeta::Result(self.meta(cx)));
        result.result_type = Some("task");
        Ok(Some(RpcResponse::success(&result, cx)))
    }

    /// Answers a call that fails before its task exists.
    fn not_created(&self, failure: &Failure, cx: &RequestContext) -> RpcResult<Option<RpcResponse>> {
        Ok(Some(self.called(CallResult::of_failure(failure, None)?, cx)))
    }

    /// Answers a request about one task.
    pub(crate) async fn task_request(
        &self,
        method: &str,
        params: &Map<String, Value>,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        match method {
            "tasks/get" => self.task(params, cx).await,
            "tasks/update" => self.update_task(params, cx).await,
            _ => self.cancel_task(params, cx).await,
        }
    }

    /// Answers `tasks/get`.
    async fn task(&self, params: &Map<String, Value>, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let CallerTask { view, engine, id } = self.caller_task(params, cx).await?;
        let task = engine.get(view.registry.principal(), &id).await.map_err(unavailable)?;
        let task = task.ok_or_else(not_found)?;
        let reply = view.registry.task_reply(&task).await;
        let mut result = TaskResult::new(&task, TaskMeta::Result(self.meta(cx))).with_questions(&task);
        if let Some(reply) = &reply {
            let outcome = CallResult::of(reply, &cx.era, &view.catalog.settings.scheme);
            result = result.with_outcome(&task, reply, outcome.map(|result| self.finished(result, cx)));
        }
        result.result_type = Some("complete");
        Ok(RpcResponse::success(&result, cx))
    }

    /// Answers `tasks/update`: the client answers questions of a task. Answers to others are ignored.
    async fn update_task(&self, params: &Map<String, Value>, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let CallerTask { view, engine, id } = self.caller_task(params, cx).await?;
        let Some(Value::Object(responses)) = params.get("inputResponses") else {
            return Err(invalid_params("`inputResponses` must be an object"));
        };
        let owner = view.registry.principal();
        let task = engine.get(owner, &id).await.map_err(unavailable)?.ok_or_else(not_found)?;
        let answers = responses.iter();
        let answers: Map<String, Value> = answers
            .filter_map(|(key, answer)| Some((question_of(&task, key)?.0.clone(), answer.clone())))
            .collect();
        if !answers.is_empty() && !engine.answer(owner, &id, answers).await.map_err(unavailable)? {
            return Err(not_found());
        }
        Ok(self.acknowledged(cx))
    }

    /// Answers `tasks/cancel`.
    async fn cancel_task(&self, params: &Map<String, Value>, cx: &RequestContext) -> RpcResult<RpcResponse> {
        let CallerTask { view, engine, id } = self.caller_task(params, cx).await?;
        if !engine.cancel(view.registry.principal(), &id).await.map_err(unavailable)? {
            return Err(not_found());
        }
        Ok(self.acknowledged(cx))
    }

    async fn caller_task(&self, params: &Map<String, Value>, cx: &RequestContext) -> RpcResult<CallerTask> {
        let view = self.view(cx).await?;
        let Some(engine) = view.registry.task_engine().cloned() else {
            return Err(method_not_found(cx.operation.method));
        };
        if !cx.capabilities.tasks {
            return Err(undeclared());
        }
        let Some(id) = params.get("taskId").and_then(Value::as_str) else {
            return Err(invalid_params("`taskId` must be a string"));
        };
        let id = id.parse().map_err(|_| not_found())?;
        Ok(CallerTask { view, engine, id })
    }

    fn acknowledged(&self, cx: &RequestContext) -> RpcResponse {
        RpcResponse::success(&Acknowledged::new(self.meta(cx)), cx)
    }
}

/// Returns the error of a client that does not declare the extension.
pub(super) fn undeclared() -> ErrorData {
    let message = format!(
        "this needs a client that declares the extension `{TASKS_EXTENSION_ID}` in the capabilities of the request"
    );
    let data = json!({"requiredCapabilities": {"extensions": {TASKS_EXTENSION_ID: {}}}});
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message, Some(data))
}

/// Returns the error of an unknown task. It is the same for one that has expired, and for that of another caller.
fn not_found() -> ErrorData {
    invalid_params("there is no such task: it does not exist, or has expired")
}

fn unavailable(error: TaskError) -> ErrorData {
    let failure = error.into_failure();
    ErrorData::internal_error(failure.message().to_owned(), Some(json!({"retryable": failure.retryable()})))
}
