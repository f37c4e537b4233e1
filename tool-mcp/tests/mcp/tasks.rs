//! Tasks: the extension `io.modelcontextprotocol/tasks`.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::authentication::Bearer;
use tool_core::elicitation::Elicited;
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::tasks::{TaskOutcome, TaskProgress};
use tool_core::{Context, Failure, Principal, Registry, RegistryBuilder, tool};
use tool_mcp::Discovery;

use crate::changes::EventStream;
use crate::stdio::StdioClient;
use crate::support::{Answer, MODERN, TestServer, request, send, take_call_id};
use crate::task_engine::{MemoryEngine, task_id};

/// Exports a site.
#[tool(operation = Trigger, destructive = false, task(optional, ttl = "1h", poll = "500ms"))]
async fn export_pages(
    /** How many pages. */
    #[arg(range(min = 1))]
    pages: usize,
) -> Vec<usize> {
    (1..=pages).collect()
}

/// Fails.
#[tool(operation = Trigger, destructive = false, task(required))]
async fn fail_later() -> Result<(), Failure> {
    Err(tool_core::ToolError::failed("the disk is full").into())
}

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Confirmation {
    sure: bool,
}

/// Deletes a site once somebody is sure.
#[tool(operation = Trigger, destructive = true, task(optional))]
async fn delete_site(#[inject] context: Context) -> Result<&'static str, Failure> {
    match context.elicit::<Confirmation>("Are you sure?").await? {
        Elicited::Accepted(Confirmation { sure: true }) => Ok("deleted"),
        _ => Ok("kept"),
    }
}

/// The name of whoever deploys, asked before the task exists.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Deployer {
    name: String,
}

impl<Op> InjectAsync<Op> for Deployer {
    fn needs(_: &mut Needs) {}

    async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        source.context().elicit("Who deploys?").await?.required()
    }
}

/// Deploys a site once somebody is sure.
#[tool(operation = Trigger, destructive = false, task(required))]
async fn deploy_site(
    #[inject] Deployer { name }: Deployer,
    #[inject] context: Context,
) -> Result<String, Failure> {
    let Confirmation { sure } = context.elicit("Are you sure?").await?.required()?;
    Ok(format!("{name}: {sure}"))
}

/// Publishes a site.
#[tool(operation = Trigger, destructive = false, permission = "site.publish", task(required))]
async fn publish_site() {}

/// Sends a letter.
#[tool(operation = Trigger, destructive = false)]
fn send_letter() {}

/// Counts letters.
#[tool(operation = Read)]
fn count_letters() -> usize {
    3
}

pub(crate) fn registry(configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    configure(Registry::builder().linked().select(here).select_prompts(|_| false)).build().unwrap()
}

const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const ADA: &str = "Bearer swordfish-of-room-1";
const BOB: &str = "Bearer swordfish-of-room-2";

/// A server, and the engine of its tasks.
struct Fixture {
    server: TestServer,
    engine: Arc<MemoryEngine>,
    runtime: Runtime,
}

impl Fixture {
    fn start() -> Self {
        Fixture::start_with(|registry| registry, |server| server)
    }

    fn start_with(
        configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
        configure_server: impl FnOnce(tool_mcp::Server) -> tool_mcp::Server,
    ) -> Self {
        let engine = Arc::<MemoryEngine>::default();
        let registry = registry(|builder| configure(builder.tasks(Arc::clone(&engine) as _)));
        let server = TestServer::with_registry(registry, configure_server);
        Fixture { server, engine, runtime: Runtime::new().unwrap() }
    }

    /// A server whose callers are Ada and Bob.
    fn authenticated() -> Self {
        let bearer = Bearer::new().token("swordfish-of-room-1", Principal::new("ada"));
        let bearer =
            bearer.and_then(|bearer| bearer.token("swordfish-of-room-2", Principal::new("bob"))).unwrap();
        Fixture::start_with(|registry| registry, |server| server.authenticator(bearer))
    }

    /// Sends a request of a client that declares the extension.
    fn send(&self, method: &str, params: Value) -> Answer {
        self.send_as(&[], method, params)
    }

    fn send_as(&self, headers: &[(&str, &str)], method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().or(params["taskId"].as_str()).map(str::to_owned);
        let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
        all.extend(name.as_deref().map(|name| ("mcp-name", name)));
        all.extend(headers);
        self.server.post(&all, &declaring(1, method, params).to_string())
    }

    /// Creates a task, and returns the result.
    fn create(&self, name: &str, arguments: Value) -> Value {
        self.send("tools/call", json!({"name": name, "arguments": arguments})).json()["result"].take()
    }

    /// Returns the result of `tasks/get`.
    fn get(&self, n: u8) -> Value {
        self.send("tasks/get", json!({"taskId": task_id(n)})).json()["result"].take()
    }

    fn run(&self) {
        self.runtime.block_on(self.engine.run(&self.server.registry));
    }
}

/// A request of a client that declares the extension.
fn declaring(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
    request(id, method, params)
}

fn signature() -> Value {
    let server = json!({"name": "fixture", "title": "Fixture", "version": "1.0.0"});
    json!({"io.modelcontextprotocol/serverInfo": server})
}

/// What all states of the first task of `export_pages` have.
fn state(result_type: &str, status: &str, seconds: u64) -> Value {
    json!({
        "resultType": result_type, "taskId": "00000000000000000000000000000001", "status": status,
        "createdAt": "1970-01-01T00:00:00Z", "lastUpdatedAt": format!("1970-01-01T00:00:0{seconds}Z"),
        "ttlMs": 3_600_000, "pollIntervalMs": 500, "_meta": signature(),
    })
}

/// Removes the identifier of the call from the result in a task.
fn take_inner_call_id(task: &mut Value) {
    let mut answer = json!({"result": task["result"].take()});
    take_call_id(&mut answer);
    task["result"] = answer["result"].take();
}

#[test]
fn answers_a_call_with_a_task_and_its_result_later() {
    let fixture = Fixture::start();
    assert_eq!(fixture.create("export_pages", json!({"pages": 2})), state("task", "working", 0));
    assert_eq!(fixture.get(1), state("complete", "working", 0));

    let progress = TaskProgress { done: 1, total: Some(2), message: "page 1".to_owned() };
    fixture.engine.report(task_id(1), progress);
    let mut expected = state("complete", "working", 1);
    expected["statusMessage"] = json!("page 1");
    assert_eq!(fixture.get(1), expected);

    fixture.run();
    let mut ended = fixture.get(1);
    take_inner_call_id(&mut ended);
    let mut expected = state("complete", "completed", 2);
    expected["result"] = json!({
        "resultType": "complete", "content": [{"type": "text", "text": r#"{"result":[1,2]}"#}],
        "structuredContent": {"result": [1, 2]}, "isError": false, "_meta": signature(),
    });
    assert_eq!(ended, expected);
}

#[test]
fn answers_as_over_http_on_stdio() {
    let mut client = StdioClient::start_with("tasks");
    let created = client.exchange(declaring(
        1,
        "tools/call",
        json!({"name": "export_pages", "arguments": {"pages": 2}}),
    ));
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    let ended = loop {
        let mut task =
            client.exchange(declaring(2, "tasks/get", json!({"taskId": created["result"]["taskId"]})));
        if task["result"]["status"] == "completed" {
            break task["result"].take();
        }
    };
    assert_eq!(ended["result"]["structuredContent"]["result"], json!([1, 2]));
    let unknown = client.exchange(declaring(3, "tasks/get", json!({"taskId": task_id(9)})));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

/// The result of a task is that of a call that is waited for, also if it is a preview of a large one.
#[test]
fn returns_exactly_the_result_of_a_call() {
    let store = ResultStore::memory().limits(ResultLimits::new().threshold(2_000));
    let fixture = Fixture::start_with(|registry| registry.storing(store), |server| server);
    for (n, pages) in [(1, 3), (2, 2_000)] {
        let mut waited = fixture.server.call_modern("export_pages", json!({"pages": pages}));
        take_call_id(&mut waited);
        fixture.create("export_pages", json!({"pages": pages}));
        fixture.run();
        let mut task = fixture.get(n);
        take_inner_call_id(&mut task);
        assert_eq!(task["result"], waited["result"], "{pages}");
        assert_eq!(waited["result"].to_string().contains("://result/"), pages > 3, "{waited}");
    }
}

#[test]
fn tells_failures_of_tools_from_errors_of_the_protocol() {
    let fixture = Fixture::start();
    fixture.create("fail_later", json!({}));
    fixture.run();
    let failed = fixture.get(1);
    assert_eq!(failed["status"], "completed", "{failed}");
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    assert_eq!(failed["statusMessage"], "the disk is full", "{failed}");

    fixture.create("export_pages", json!({"pages": 1}));
    fixture.engine.end(task_id(2), TaskOutcome::interrupted());
    let interrupted = fixture.get(2);
    let message = "the process that ran the task ended; the task may have taken effect, and is not run again";
    assert_eq!(interrupted["status"], "failed", "{interrupted}");
    assert_eq!(interrupted["error"], json!({"code": -32603, "message": message}), "{interrupted}");
    assert!(interrupted.get("result").is_none(), "{interrupted}");
}

#[test]
fn cancels_tasks() {
    let fixture = Fixture::start();
    fixture.create("export_pages", json!({"pages": 1}));
    for _ in 0..2 {
        let canceled = fixture.send("tasks/cancel", json!({"taskId": task_id(1)})).json();
        assert_eq!(canceled["result"], json!({"resultType": "complete", "_meta": signature()}));
    }
    let task = fixture.get(1);
    assert_eq!(task["status"], "cancelled", "{task}");
    assert!(task.get("result").is_none() && task.get("error").is_none(), "{task}");
}

#[test]
fn lets_the_client_answer_the_questions_of_a_task() {
    let fixture = Fixture::start();
    let created = fixture.create("delete_site", json!({}));
    assert!(created.get("inputRequests").is_none() && created["resultType"] == "task", "{created}");
    fixture.run();
    let waiting = fixture.get(1);
    assert_eq!(waiting["status"], "input_required", "{waiting}");
    let (key, question) = waiting["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Are you sure?");

    let update = |responses: Value| {
        let params = json!({"taskId": task_id(1), "inputResponses": responses});
        fixture.send("tasks/update", params).json()
    };
    let acknowledged = json!({"resultType": "complete", "_meta": signature()});
    assert_eq!(update(json!({"other": {"action": "accept"}}))["result"], acknowledged);
    assert_eq!(fixture.get(1)["status"], "input_required", "that was no answer to it");
    assert_eq!(update(json!([]))["error"]["code"], -32602);

    // The same question again is another request, which has another key.
    assert_eq!(
        update(json!({key: {"action": "accept", "content": {"sure": "maybe"}}}))["result"],
        acknowledged
    );
    fixture.run();
    let again = fixture.get(1);
    let next = again["inputRequests"].as_object().unwrap().keys().next().unwrap();
    assert_ne!(key, next, "{again}");
    assert_eq!(update(json!({key: {"action": "accept", "content": {"sure": true}}}))["result"], acknowledged);
    assert_eq!(fixture.get(1)["status"], "input_required", "that question has an answer");
    assert_eq!(
        update(json!({next: {"action": "accept", "content": {"sure": true}}}))["result"],
        acknowledged
    );
    fixture.run();
    assert_eq!(fixture.get(1)["result"]["content"][0]["text"], "deleted");
}

/// A parameter that is awaited asks in the call; the function asks in the task, and sees both answers.
#[test]
fn asks_before_the_task_exists() {
    let fixture = Fixture::start();
    let call = |more: Value| {
        let mut params = json!({"name": "deploy_site", "arguments": {}});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fixture.send("tools/call", params).json()["result"].take()
    };
    let response = call(json!({}));
    assert_eq!(response["resultType"], "input_required", "{response}");
    assert!(response.get("taskId").is_none() && fixture.engine.len() == 0, "{response}");
    let (key, question) = response["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(question["params"]["message"], "Who deploys?");

    let wrong = json!({"inputResponses": {key: {"action": "accept", "content": {"name": 5}}},
        "requestState": response["requestState"]});
    let again = call(wrong);
    assert_eq!((&again["resultType"], fixture.engine.len()), (&json!("input_required"), 0), "{again}");

    let ada = json!({"inputResponses": {key: {"action": "accept", "content": {"name": "Ada"}}},
        "requestState": again["requestState"]});
    let created = call(ada);
    assert_eq!(created["resultType"], "task", "{created}");
    assert!(created.get("requestState").is_none() && created.get("inputRequests").is_none(), "{created}");
    fixture.run();
    let waiting = fixture.get(1);
    let (key, question) = waiting["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(question["params"]["message"], "Are you sure?");
    let sure = json!({"taskId": task_id(1), "inputResponses": {key: {"action": "accept", "content": {"sure": true}}}});
    fixture.send("tasks/update", sure);
    fixture.run();
    assert_eq!(fixture.get(1)["result"]["content"][0]["text"], "Ada: true");
}

#[test]
fn creates_no_task_for_an_injection_that_fails() {
    let fixture = Fixture::start();
    let response = fixture.create("deploy_site", json!({}));
    let (key, _) = response["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let declined = json!({"name": "deploy_site", "arguments": {}, "requestState": response["requestState"],
        "inputResponses": {key: {"action": "decline"}}});
    let failed = fixture.send("tools/call", declined).json()["result"].take();
    assert_eq!((&failed["isError"], fixture.engine.len()), (&json!(true), 0), "{failed}");
    assert_eq!(failed["content"][0]["text"], "the user declined to answer");
}

/// Whoever looks at the task may answer, so that a client without forms gets a task, too.
#[test]
fn asks_in_the_task_what_the_client_cannot_answer() {
    let fixture = Fixture::start();
    let mut request = declaring(1, "tools/call", json!({"name": "deploy_site", "arguments": {}}));
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    request["params"]["_meta"][capabilities] = json!({"extensions": {EXTENSION: {}}});
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "deploy_site")];
    let created = fixture.server.post(&headers, &request.to_string()).json();
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    fixture.run();
    let waiting = fixture.get(1);
    assert_eq!(waiting["status"], "input_required", "{waiting}");
    let questions = waiting["inputRequests"].as_object().unwrap();
    assert!(questions.values().all(|it| it["params"]["message"] == "Who deploys?"), "{waiting}");
}

/// Foreign, expired and unknown tasks, and texts that are no identifier, differ in nothing.
#[test]
fn does_not_tell_which_tasks_others_have() {
    let fixture = Fixture::authenticated();
    let call = json!({"name": "export_pages", "arguments": {"pages": 1}});
    for _ in 0..2 {
        let answer = fixture.send_as(&[("authorization", ADA)], "tools/call", call.clone());
        assert_eq!(answer.json()["result"]["resultType"], "task");
    }
    fixture.engine.forget(task_id(2));
    let mine = fixture.send_as(&[("authorization", ADA)], "tasks/get", json!({"taskId": task_id(1)}));
    assert_eq!(mine.json()["result"]["status"], "working");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let ids = [json!(task_id(1)), json!(task_id(2)), json!(task_id(99)), json!("../1"), json!("")];
        let answers = ids.map(|id| {
            let params = json!({"taskId": id, "inputResponses": {}});
            let answer = fixture.send_as(&[("authorization", BOB)], method, params);
            (answer.status, answer.body)
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{method}: {answers:?}");
        assert!(answers[0].1.contains(r#""code":-32602"#), "{method}: {answers:?}");
    }
    let task = fixture.send_as(&[("authorization", ADA)], "tasks/get", json!({"taskId": task_id(1)}));
    assert_eq!(task.json()["result"]["status"], "working", "Bob has canceled the task of Ada");
}

#[test]
fn needs_the_declaration_of_the_client_on_each_request() {
    let fixture = Fixture::start();
    let waited = fixture.server.call_modern("export_pages", json!({"pages": 1}));
    assert_eq!(waited["result"]["resultType"], "complete", "{waited}");
    let refused = fixture.server.request_modern("tools/call", json!({"name": "fail_later"}));
    let data = json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
    let error = refused.json()["error"].take();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32021), &data), "{error}");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let body = crate::support::modern_body(method, json!({"taskId": "1", "inputResponses": {}}));
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", "1")];
        assert_eq!(fixture.server.post(&headers, &body.to_string()).json()["error"], error, "{method}");
    }
    assert_eq!(fixture.engine.len(), 0);
}

#[test]
fn announces_the_extension_with_an_engine_only() {
    let with_engine = Fixture::start();
    let discovered = with_engine.send("server/discover", json!({})).json();
    assert_eq!(discovered["result"]["capabilities"]["extensions"], json!({EXTENSION: {}}));
    for method in ["tasks/list", "tasks/result"] {
        let answer = with_engine.send(method, json!({"taskId": task_id(1)}));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!(-32601)), "{method}");
    }

    let server = TestServer::start();
    let discovered = server.request_modern("server/discover", json!({})).json();
    assert!(discovered["result"]["capabilities"].get("extensions").is_none(), "{discovered}");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", "1")];
        let answer = server.post(&headers, &declaring(1, method, json!({"taskId": "1"})).to_string());
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!(-32601)), "{method}");
    }
}

/// Clients up to 2025-11-25 wait for each call. Their `task` parameter is that of another protocol, and ignored.
#[test]
fn never_answers_legacy_clients_with_a_task() {
    let fixture = Fixture::start();
    let session = fixture.server.session_with(json!({"extensions": {EXTENSION: {}}, "tasks": {}}));
    let capabilities = &session.initialize_answer["result"]["capabilities"];
    assert!(
        capabilities.get("tasks").is_none() && capabilities.get("extensions").is_none(),
        "{capabilities}"
    );
    let params = json!({"name": "export_pages", "arguments": {"pages": 2}, "task": {"ttl": 60_000}});
    assert_eq!(session.request("tools/call", params)["result"]["content"][0]["text"], r#"{"result":[1,2]}"#);
    let failed = session.call("fail_later", json!({}));
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    let answer = session.request("tasks/get", json!({"taskId": task_id(1)}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(fixture.engine.len(), 0);
}

#[test]
fn creates_one_task_for_an_idempotency_key() {
    let fixture = Fixture::start();
    let call = |name: &str, arguments: Value, key: Value| {
        let meta = json!({"tool-core/idempotencyKey": key});
        fixture.send("tools/call", json!({"name": name, "arguments": arguments, "_meta": meta})).json()
    };
    let first = call("export_pages", json!({"pages": 1}), json!("monday"));
    assert_eq!(call("export_pages", json!({"pages": 1.0}), json!("monday"))["result"], first["result"]);
    let conflict = call("export_pages", json!({"pages": 2}), json!("monday"));
    assert_eq!(conflict["result"]["isError"], true, "{conflict}");
    assert_eq!(conflict["result"]["resultType"], "complete", "{conflict}");
    let text = conflict["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("use another key"), "{text}");
    for key in [json!(""), json!(7), json!("a\nb"), json!("k".repeat(256))] {
        assert_eq!(call("export_pages", json!({"pages": 1}), key)["error"]["code"], -32602);
    }
    // A call that is repeated would take effect again.
    assert_eq!(call("send_letter", json!({}), json!("monday"))["error"]["code"], -32602);
    assert_eq!(call("count_letters", json!({}), json!("monday"))["result"]["isError"], false);
    assert_eq!(fixture.engine.len(), 1);
}

#[test]
fn creates_no_task_for_a_call_that_cannot_be_made() {
    let fixture = Fixture::authenticated();
    for (name, arguments) in [
        ("export_pages", json!({"pages": 0})),
        ("export_pages", json!({"page": 1})),
        ("publish_site", json!({})),
        ("export_page", json!({})),
    ] {
        let mut answers = [true, false].map(|declares| {
            let headers = [
                ("authorization", ADA),
                ("mcp-protocol-version", MODERN),
                ("mcp-method", "tools/call"),
                ("mcp-name", name),
            ];
            let params = json!({"name": name, "arguments": arguments});
            let body = if declares {
                declaring(1, "tools/call", params)
            } else {
                crate::support::modern_body("tools/call", params)
            };
            fixture.server.post(&headers, &body.to_string()).json()
        });
        for answer in &mut answers {
            if let Some(meta) = answer.pointer_mut("/result/_meta") {
                meta.as_object_mut().unwrap().shift_remove("tool-core/callId");
            }
        }
        assert_eq!(answers[0], answers[1], "{name}");
    }
    assert_eq!(fixture.engine.len(), 0);
}

#[test]
fn repeats_the_identifier_in_a_header() {
    let fixture = Fixture::start();
    fixture.create("export_pages", json!({"pages": 1}));
    let body = declaring(1, "tasks/get", json!({"taskId": task_id(1)})).to_string();
    let id = task_id(1).to_string();
    for (name, status) in [(Some("other"), 400), (None, 200), (Some(&*id), 200)] {
        let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", "tasks/get")];
        headers.extend(name.map(|name| ("mcp-name", name)));
        let answer = fixture.server.post(&headers, &body);
        assert_eq!(answer.status, status, "{name:?}");
        assert_eq!(answer.body.contains("-32020"), status == 400, "{name:?}");
    }
}

#[test]
fn calls_tasks_in_two_steps() {
    let fixture = Fixture::start_with(|registry| registry, |server| server.discovery(Discovery::TwoStep));
    let server = fixture.send("tools/call", json!({"name": "list_available_tools"})).json();
    let server = server.pointer("/result/structuredContent/tools/0/server").unwrap().clone();
    let arguments = json!({"server": server, "tool_name": "export_pages", "arguments": {"pages": 2}});
    assert_eq!(fixture.create("call_tool", arguments), state("task", "working", 0));
    fixture.run();
    assert_eq!(fixture.get(1)["result"]["structuredContent"]["result"], json!([1, 2]));
}

fn listen(fixture: &Fixture, ids: Value) -> EventStream {
    let params = json!({"notifications": {"taskIds": ids}});
    let body = declaring(7, "subscriptions/listen", params).to_string();
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen"), ("authorization", ADA)];
    EventStream::new(send(fixture.server.addr, &headers, &body))
}

#[test]
fn notifies_a_client_of_its_tasks_until_they_end() {
    let fixture = Fixture::authenticated();
    for caller in [ADA, BOB] {
        let call = json!({"name": "export_pages", "arguments": {"pages": 2}});
        fixture.send_as(&[("authorization", caller)], "tools/call", call);
    }
    let mut events = listen(&fixture, json!([task_id(1), task_id(2), "nothing", task_id(1)]));
    let acknowledged = events.next().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [task_id(1)]}));

    let working = events.next().unwrap();
    let mut expected = state("", "working", 0);
    expected.as_object_mut().unwrap().shift_remove("resultType");
    expected["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": 7});
    assert_eq!(working, json!({"jsonrpc": "2.0", "method": "notifications/tasks", "params": expected}));

    fixture.run();
    let mut ended = events.next().unwrap()["params"].take();
    let got = fixture.send_as(&[("authorization", ADA)], "tasks/get", json!({"taskId": task_id(1)}));
    let mut got = got.json()["result"].take();
    assert_eq!(got["status"], "completed", "{got}");
    got.as_object_mut().unwrap().shift_remove("resultType");
    assert_eq!((ended["_meta"].take(), got["_meta"].take()), (expected["_meta"].take(), signature()));
    assert_eq!(ended, got, "a notification is what `tasks/get` returns");
    let last = events.next().unwrap();
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(7), &json!("complete")), "{last}");
    assert!(events.next().is_none());
}

#[test]
fn limits_the_tasks_that_a_client_listens_to() {
    let fixture = Fixture::authenticated();
    for _ in 0..130 {
        let call = json!({"name": "export_pages", "arguments": {"pages": 1}});
        fixture.send_as(&[("authorization", ADA)], "tools/call", call);
    }
    let ids: Vec<_> = (1..=130).map(task_id).collect();
    let acknowledged = listen(&fixture, json!(ids)).next().unwrap();
    assert_eq!(acknowledged["params"]["notifications"]["taskIds"], json!(ids[..128]));
    let params = json!({"notifications": {"taskIds": "all"}});
    let refused = fixture.send_as(&[("authorization", ADA)], "subscriptions/listen", params).json();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn listens_to_tasks_of_clients_that_declare_the_extension() {
    let fixture = Fixture::start();
    let params = json!({"notifications": {"taskIds": []}});
    let refused = fixture.server.request_modern("subscriptions/listen", params).json();
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}
