//! The routes of tasks: calls that a client does not wait for.

mod document;
mod events;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Map, Value};
use tool_core::tasks::{Task, TaskEngine, TaskError, TaskId, TaskState, TaskSupport};
use tool_core::{CallId, Registry, ToolDefinition, TraceParent};

use crate::api::Api;
use crate::error::{ApiError, forbid_storing};
use crate::json::json as json_response;
use crate::query;
use crate::representation::Representation;
use crate::request_context::{RequestContext, trace_parent};
use crate::response;
use crate::route::Route;

pub(crate) use document::task_options;

const LIST: &str = "/tasks";
const ONE: &str = "/tasks/{id}";
const EVENTS: &str = "/tasks/{id}/events";
const ANSWERS: &str = "/tasks/{id}/answers";

/// The tasks on a page without `limit`.
const PAGE: usize = 100;

/// Returns the routes of tasks. They answer 404 if the registry of the caller has no task engine.
pub(crate) fn routes() -> Router<Api> {
    Router::new()
        .route(LIST, get(Route::new(LIST, list)))
        .route(ONE, get(Route::new(ONE, read)).delete(Route::new(ONE, cancel)))
        .route(EVENTS, get(Route::new(EVENTS, follow)))
        .route(ANSWERS, post(Route::new(ANSWERS, answer)))
}

/// A call that runs as a task.
pub(crate) struct TaskRequest {
    key: Option<String>,
    trace: Option<TraceParent>,
    /// Whether the client prefers a response before the task has run.
    prefers_async: bool,
    /// Whether the request waits for the task, which only makes sure that the call is made once.
    waits: bool,
}

impl TaskRequest {
    /// Returns how this call runs as a task: if the tool must, or if it may and the client prefers it or gives an idempotency key.
    pub(crate) fn of(tools: &Registry, name: &str, headers: &HeaderMap, key: Option<&str>) -> Option<Self> {
        let options =
            tools.get(name).and_then(ToolDefinition::task).filter(|_| tools.task_engine().is_some())?;
        let prefers_async = prefers_async(headers);
        let waits = options.support == TaskSupport::Optional && !prefers_async;
        let (key, trace) = (key.map(str::to_owned), trace_parent(headers));
        (!waits || key.is_some()).then_some(TaskRequest { key, trace, prefers_async, waits })
    }

    /// Creates the task, and responds before it has run or with its result. With an idempotency key, a later request gets the
    /// same result, and one that would wait for a task that runs is refused. A task that asks is left to the client.
    ///
    /// # Errors
    ///
    /// Returns an error if the key belongs to a call with other arguments or that still runs, or if the tasks cannot be reached.
    pub(crate) async fn respond(
        self,
        tools: &Registry,
        name: &str,
        arguments: &[u8],
    ) -> Result<Response, ApiError> {
        let engine = tools.task_engine().ok_or(ApiError::Internal)?;
        let mut new = match tools.prepare_task(name, arguments) {
            Ok(new) => new,
            Err(error) => return Ok(response::failure_response(&error.into_failure(), CallId::new())),
        };
        let id = new.id;
        (new.key, new.trace) = (self.key, self.trace);
        let mut task = match engine.create(new).await {
            Ok(task) => task,
            Err(TaskError::Conflict) => return Err(ApiError::IdempotencyKeyReused),
            Err(error) => return Ok(response::failure_response(&error.into_failure(), CallId::new())),
        };
        if self.waits && task.id != id && !task.state.has_ended() {
            return Err(ApiError::IdempotencyKeyInUse);
        }
        while self.waits && task.state == TaskState::Working {
            engine.changed(&task.id, task.version).await;
            let newer = engine.get(tools.principal(), &task.id).await.map_err(failed)?;
            task = newer.ok_or(ApiError::TaskNotFound)?;
        }
        if self.waits
            && let Some(reply) = tools.task_reply(&task).await
        {
            return Ok(response::call_response(&reply));
        }
        let mut response = task_response(tools, &task).await;
        let headers = response.headers_mut();
        // Relative to `/tools/{name}/call`, so that it is valid under any prefix.
        headers.insert(header::LOCATION, header_value(format!("../../tasks/{}", task.id))?);
        if self.prefers_async {
            headers.insert("preference-applied", HeaderValue::from_static("respond-async"));
        }
        Ok(response)
    }
}

/// Returns `true` if the headers contain `Prefer: respond-async` (RFC 7240, section 4.1).
fn prefers_async(headers: &HeaderMap) -> bool {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(',')).filter_map(|it| it.split(';').next());
    preferences.any(|preference| preference.trim().eq_ignore_ascii_case("respond-async"))
}

/// Responds with a task that was created or changed.
async fn task_response(tools: &Registry, task: &Task) -> Response {
    let mut response = json_response(StatusCode::ACCEPTED, &document::of(tools, task).await);
    mark(&mut response, task);
    response
}

/// Lists the tasks of the caller, newest first.
async fn list(mut context: RequestContext) -> Result<Response, ApiError> {
    let Tasks { tools, engine } = Tasks::of_caller(&mut context).await?;
    let [cursor, limit] = query::parse_parameters(&context.head.uri, ["cursor", "limit"])?;
    let after = cursor.map(|id| id.parse().map_err(|_| ApiError::TaskNotFound)).transpose()?;
    let limit = limit.map_or(Ok(PAGE), |limit| query::limit(&limit))?;
    // One more tells whether there is another page.
    let mut tasks = engine.list(tools.principal(), after.as_ref(), limit + 1).await.map_err(failed)?;
    let has_more = tasks.len() > limit;
    tasks.truncate(limit);
    let summaries: Vec<_> = tasks.iter().map(Task::to_summary).collect();
    let mut response = context.respond(&Representation::json(&summaries)?);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Some(last) = tasks.last().filter(|_| has_more) {
        let link = format!("<?limit={limit}&cursor={}>; rel=\"next\"", last.id);
        headers.insert(header::LINK, header_value(link)?);
    }
    Ok(response)
}

/// Responds with the state of a task, and with its result if it has ended.
async fn read(mut context: RequestContext) -> Result<Response, ApiError> {
    let tasks = Tasks::of_caller(&mut context).await?;
    let id = task_id(&mut context).await?;
    query::expect_empty(&context.head.uri)?;
    let task = tasks.get(&id).await?;
    let document = Representation::json(&document::of(&tasks.tools, &task).await)?;
    let etag = header_value(format!("W/\"{}\"", task.version))?;
    let mut response = context.respond(&document.with_etag(etag));
    mark(&mut response, &task);
    Ok(response)
}

/// Responds with an event for each change of a task, until it has ended.
async fn follow(mut context: RequestContext) -> Result<Response, ApiError> {
    let tasks = Tasks::of_caller(&mut context).await?;
    let id = task_id(&mut context).await?;
    query::expect_empty(&context.head.uri)?;
    let task = tasks.get(&id).await?;
    let last = context.head.headers.get("last-event-id");
    let last = last.and_then(|id| id.to_str().ok()?.parse().ok());
    Ok(events::response(tasks, task, last))
}

/// Answers questions of a task: the body is an object of answers by the keys of the questions.
async fn answer(mut context: RequestContext) -> Result<Response, ApiError> {
    let tasks = Tasks::that_may_change(&mut context).await?;
    let id = task_id(&mut context).await?;
    query::expect_empty(&context.head.uri)?;
    let body = context.arguments().await?;
    let answers: BTreeMap<String, Map<String, Value>> =
        serde_json::from_slice(&body).map_err(|error| ApiError::InvalidAnswers(error.to_string()))?;
    let answers = answers.into_iter().map(|(key, answer)| (key, answer.into()));
    let exists =
        tasks.engine.answer(tasks.tools.principal(), &id, answers.collect()).await.map_err(failed)?;
    tasks.accepted(exists, &id).await
}

/// Cancels a task.
async fn cancel(mut context: RequestContext) -> Result<Response, ApiError> {
    let tasks = Tasks::that_may_change(&mut context).await?;
    let id = task_id(&mut context).await?;
    query::expect_empty(&context.head.uri)?;
    let exists = tasks.engine.cancel(tasks.tools.principal(), &id).await.map_err(failed)?;
    tasks.accepted(exists, &id).await
}

/// The tasks of a caller.
struct Tasks {
    tools: Registry,
    engine: Arc<dyn TaskEngine>,
}

impl Tasks {
    async fn of_caller(context: &mut RequestContext) -> Result<Self, ApiError> {
        let caller = context.caller().await?;
        let tools = context.tools(caller).await?;
        let engine = tools.task_engine().map(Arc::clone).ok_or(ApiError::RouteNotFound)?;
        Ok(Tasks { tools, engine })
    }

    /// Returns the tasks of a caller who may make calls.
    async fn that_may_change(context: &mut RequestContext) -> Result<Self, ApiError> {
        if context.api.options().allow_execute {
            Tasks::of_caller(context).await
        } else {
            Err(ApiError::ExecutionDisabled)
        }
    }

    async fn get(&self, id: &TaskId) -> Result<Task, ApiError> {
        let task = self.engine.get(self.tools.principal(), id).await.map_err(failed)?;
        task.ok_or(ApiError::TaskNotFound)
    }

    /// Responds to a change that was accepted.
    async fn accepted(&self, exists: bool, id: &TaskId) -> Result<Response, ApiError> {
        if !exists {
            return Err(ApiError::TaskNotFound);
        }
        let task = self.get(id).await?;
        Ok(task_response(&self.tools, &task).await)
    }
}

/// Returns the identifier in the path. Any other text is a task that does not exist.
async fn task_id(context: &mut RequestContext) -> Result<TaskId, ApiError> {
    context.path_text("id").await.parse().map_err(|_| ApiError::TaskNotFound)
}

/// Sets the headers of a response about one task: who may cache it, and when to ask again.
fn mark(response: &mut Response, task: &Task) {
    let headers = response.headers_mut();
    if task.state.has_ended() {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    } else {
        forbid_storing(headers);
        let wait = task.poll.max(Duration::from_secs(1)).as_secs();
        headers.insert(header::RETRY_AFTER, wait.into());
    }
}

fn failed(error: TaskError) -> ApiError {
    let failure = error.into_failure();
    if failure.retryable() { ApiError::TasksUnavailable } else { ApiError::TasksUnusable }
}

fn header_value(text: String) -> Result<HeaderValue, ApiError> {
    HeaderValue::try_from(text).map_err(|_| ApiError::Internal)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    #[test]
    fn reads_the_preference() {
        for (values, expected) in [
            (&[][..], false),
            (&["respond-async"], true),
            (&["Respond-Async; wait=5, return=minimal"], true),
            (&["return=minimal", "respond-async"], true),
            (&["respond-asynchronously"], false),
        ] {
            let headers = values
                .iter()
                .map(|value| (HeaderName::from_static("prefer"), HeaderValue::from_static(value)));
            assert_eq!(prefers_async(&headers.collect()), expected, "{values:?}");
        }
    }
}
