//! A router with tasks, and its tools.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tool_core::authentication::Bearer;
use tool_core::tasks::TaskEngine;
use tool_core::{Context, Failure, Principal, Registry, RegistryBuilder, State, ToolError, tool, tools};
use tool_http::{Options, router_with};
use tool_tasks::SqliteEngine;

use crate::client::{Answer, send_to};

/// How long a test waits for anything before it fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The token of Ada, who may tear the house down.
pub(crate) const ADA: &str = "of-ada-0123456789";
/// The token of Bob, who owns no task.
const BOB: &str = "of-bob-0123456789";

/// Paints a wall, and waits before each coat until it is released.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 1, poll = "3s", attempt_timeout = "10m"))]
async fn paint_wall(
    #[inject] context: Context,
    #[inject] released: State<Semaphore>,
    coats: u64,
) -> Result<u64, ToolError> {
    for coat in 1..=coats {
        tokio::select! {
            () = context.cancelled() => return Ok(coat - 1),
            permit = released.acquire() => permit.unwrap().forget(),
        }
        context.progress(coat, coats, "painted");
    }
    if coats == 13 { Err(ToolError::conflict("the paint is used up")) } else { Ok(coats) }
}

/// Tears a house down.
#[tool(operation = Trigger, destructive = true, permission = "house", task(required))]
async fn tear_down() -> &'static str {
    "gone"
}

/// Rings a bell.
#[tool(operation = Trigger, destructive = false)]
async fn ring_bell(coats: Option<u64>) {
    let _ = coats;
}

/// Is forgotten at once.
#[tool(operation = Trigger, destructive = false, task(optional, ttl = "1ms"))]
async fn blink() {}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Color {
    color: String,
}

/// Asks for two colors at once.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn choose_colors(#[inject] context: Context) -> Result<String, Failure> {
    let ask = |of: &str| context.elicit::<Color>(format!("Which color has the {of}?")).key(of);
    let (wall, door) = tokio::join!(ask("wall"), ask("door"));
    Ok(format!("{} and {}", wall?.required()?.color, door?.required()?.color))
}

fn builder() -> RegistryBuilder {
    let tools = tools![paint_wall, ring_bell, blink, choose_colors];
    Registry::builder().tools(tools).state(Semaphore::new(0))
}

fn options() -> Options {
    let callers = Bearer::new().token(ADA, Principal::new("ada").grant("house")).unwrap();
    let callers = callers.token(BOB, Principal::new("bob")).unwrap();
    Options::new().allow_execute(true).authenticator(callers)
}

/// A router whose tools have no engine.
pub(crate) fn without_engine() -> Router {
    router_with(builder().build().unwrap(), options())
}

/// A router whose tools have this engine, and which runs nothing.
pub(crate) fn with_engine(engine: Arc<dyn TaskEngine>) -> Router {
    router_with(builder().tools(tools![tear_down]).tasks(engine).build().unwrap(), options())
}

/// A router with a worker.
pub(crate) struct Site {
    pub(crate) router: Router,
    /// The same tasks while execution is disabled.
    pub(crate) disabled: Router,
    released: Arc<Semaphore>,
    _worker: DropGuard,
    _folder: tempfile::TempDir,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(&folder).await;
        let released = Arc::new(Semaphore::new(0));
        let tools = tools![paint_wall, tear_down, ring_bell, blink, choose_colors];
        let registry = Registry::builder().tools(tools).shared_state(Arc::clone(&released)).tasks(engine);
        let registry = registry.build().unwrap();
        let stop = CancellationToken::new();
        let (worker, stopped) = (registry.clone(), stop.clone());
        tokio::spawn(async move { worker.run_tasks(stopped).await.unwrap() });
        Site {
            router: router_with(registry.clone(), options()),
            disabled: router_with(registry, options().allow_execute(false)),
            released,
            _worker: stop.drop_guard(),
            _folder: folder,
        }
    }

    /// Lets `paint_wall` go on for some coats.
    pub(crate) fn release(&self, coats: usize) {
        self.released.add_permits(coats);
    }

    /// Sends a request of Ada.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        send(&self.router, ADA, method, path, body, headers).await
    }

    /// Sends a request of Bob.
    pub(crate) async fn send_as_bob(&self, method: &str, path: &str, body: &str) -> Answer {
        send(&self.router, BOB, method, path, body, &[]).await
    }

    pub(crate) async fn call(&self, tool: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        self.send("POST", &format!("/tools/{tool}/call"), body, headers).await
    }

    /// Starts a task and returns its identifier.
    pub(crate) async fn start(&self, tool: &str, body: &str) -> String {
        let answer = self.call(tool, body, &[("prefer", "respond-async")]).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
        json_of(&answer)["taskId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn read(&self, id: &str) -> Answer {
        self.send("GET", &format!("/tasks/{id}"), "", &[]).await
    }

    /// Lists the tasks of Ada with this query.
    pub(crate) async fn list(&self, query: &str) -> Answer {
        self.send("GET", &format!("/tasks{query}"), "", &[]).await
    }

    /// Reads the task until `holds`, and returns it.
    pub(crate) async fn until(&self, id: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut task = Value::Null;
        let wait = async {
            loop {
                task = json_of(&self.read(id).await);
                if holds(&task) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = timeout(TIMEOUT, wait).await;
        assert!(in_time.is_ok(), "still {task}");
        task
    }

    pub(crate) async fn ended(&self, id: &str) -> Value {
        let ends = ["completed", "failed", "cancelled"];
        self.until(id, |task| ends.contains(&task["status"].as_str().unwrap_or_default())).await
    }
}

/// Opens an engine in this folder.
async fn engine(folder: &tempfile::TempDir) -> Arc<dyn TaskEngine> {
    Arc::new(SqliteEngine::open(folder.path().join("tasks.db")).await.unwrap())
}

pub(crate) async fn send(
    router: &Router,
    token: &str,
    method: &str,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    request = request.header("authorization", format!("Bearer {token}"));
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    timeout(TIMEOUT, send_to(router, request.body(Body::from(body.to_owned())).unwrap())).await.unwrap()
}

pub(crate) fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.body))
}
