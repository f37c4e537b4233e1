//! Immediate calls are answered in JSON, slow calls on a stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::logging::LogLevel;
use tool_core::{Context, Registry, State, tool};

use crate::stdio::StdioClient;
use crate::support::{Session, TestServer, initialize, modern_body, request, unknown_call};

/// Signals between the tools and the tests.
pub(crate) struct Signals {
    call_count: AtomicUsize,
    started: Semaphore,
    release: Semaphore,
}

impl Default for Signals {
    fn default() -> Self {
        Signals { call_count: AtomicUsize::new(0), started: Semaphore::new(0), release: Semaphore::new(0) }
    }
}

/// Waits for a moment.
#[tool(operation = Transform)]
async fn pause(#[inject] signals: State<Signals>) -> usize {
    tokio::task::yield_now().await;
    signals.call_count.fetch_add(1, Ordering::Relaxed)
}

/// Waits until it may go on.
#[tool(operation = Transform)]
async fn wait(#[inject] signals: State<Signals>) -> usize {
    signals.call_count.fetch_add(1, Ordering::Relaxed);
    signals.started.add_permits(1);
    signals.release.acquire().await.unwrap().forget();
    signals.call_count.load(Ordering::Relaxed)
}

/// Lets one go on that waits.
#[tool(operation = Transform)]
async fn let_go(#[inject] signals: State<Signals>) -> usize {
    signals.release.add_permits(1);
    signals.call_count.load(Ordering::Relaxed)
}

/// Says something, and is done.
#[tool(operation = Transform)]
async fn say(#[inject] context: Context) -> bool {
    context.progress(1, 2, "said");
    context.log(LogLevel::Info, "said");
    true
}

fn registry_of(signals: Arc<Signals>) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).shared_state(signals).build().unwrap()
}

pub(crate) fn registry() -> Registry {
    registry_of(Arc::default())
}

fn server() -> (TestServer, Arc<Signals>) {
    let signals = Arc::<Signals>::default();
    (TestServer::with_registry(registry_of(Arc::clone(&signals)), |server| server), signals)
}

fn call(id: u32, tool: &str) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": {}}))
}

/// Sends a message, and returns `true` if the answer is JSON rather than a stream.
fn is_json(session: &Session<'_>, body: &Value) -> bool {
    let answer = session.post(&body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.header("content-type") == Some("application/json")
}

#[test]
fn answers_immediate_calls_in_json() {
    let server = TestServer::start();
    let greet = request(1, "tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}}));
    let list = request(2, "tools/list", json!({}));
    let session = server.session();
    assert!(is_json(&session, &list) && is_json(&session, &greet) && is_json(&session, &list));
    assert!(is_json(&server.session(), &greet));
}

#[test]
fn runs_a_slow_call_once() {
    let (server, signals) = server();
    let session = server.session();
    assert!(!is_json(&session, &call(1, "pause")));
    assert_eq!(signals.call_count.load(Ordering::Relaxed), 1);
    assert_eq!(session.call("pause", json!({}))["result"]["structuredContent"]["result"], 1);
    // Its id is in use until it is answered.
    let waiting = session.send(&call(7, "wait").to_string());
    server.wait_for(&signals.started);
    let rejected = session.post(&call(7, "wait").to_string());
    assert!(rejected.status == 400 && rejected.body.contains("is not answered yet"), "{}", rejected.body);
    session.call("let_go", json!({}));
    let answered = crate::support::Answer::read(waiting).message();
    assert_eq!((&answered["id"], &answered["result"]["structuredContent"]["result"]), (&json!(7), &json!(3)));
    assert!(!is_json(&session, &call(7, "pause")), "its id is free again");
}

#[test]
fn sends_notifications_before_the_answer() {
    let (server, _) = server();
    let session = server.session();
    let mut with_progress = call(1, "say");
    with_progress["params"]["_meta"] = json!({"progressToken": "a"});
    let messages = session.post(&with_progress.to_string()).events();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0]["params"]["message"], "said");
    assert_eq!(messages[1]["result"]["structuredContent"]["result"], true);
    assert!(is_json(&session, &call(2, "say")), "the message is on the stream of the session");
    let level = request(3, "logging/setLevel", json!({"level": "error"}));
    assert!(session.post(&level.to_string()).message()["result"].is_object());
    assert!(is_json(&session, &call(4, "say")));
}

#[test]
fn rejects_calls_in_a_deleted_session() {
    let server = TestServer::start();
    let session = server.session();
    let body = request(1, "tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    assert!(is_json(&session, &body));
    session.delete();
    assert_eq!(session.post(&body.to_string()).status, 404);
}

#[test]
fn applies_the_version_of_a_second_initialize() {
    let (server, _) = server();
    let session = server.session();
    let call = call(1, "let_go");
    assert!(is_json(&session, &call));
    assert!(session.post(&initialize().to_string()).message()["result"].is_object());
    assert!(is_json(&session, &call));

    let mut client = legacy_client();
    assert!(client.exchange(&call)["result"]["structuredContent"].is_object());
    let mut oldest = initialize();
    oldest["params"]["protocolVersion"] = "2024-11-05".into();
    assert_eq!(client.exchange(oldest)["result"]["protocolVersion"], "2024-11-05");
    for _ in 0..2 {
        let answer = client.exchange(&call);
        assert!(answer["result"]["structuredContent"].is_null(), "{answer}");
    }
}

fn legacy_client() -> StdioClient {
    let mut client = StdioClient::start_with("response mode");
    client.initialize(json!({}));
    client
}

/// Connects a client of 2026-07-28 over stdio.
fn modern_client() -> StdioClient {
    let mut client = StdioClient::start_with("response mode");
    let unknown = modern_body("tools/call", unknown_call()["params"].clone());
    assert_eq!(client.exchange(unknown)["error"]["code"], -32602);
    client
}

#[test]
fn answers_modern_clients_over_stdio() {
    let mut client = modern_client();
    let call = |id: u32, tool: &str| {
        let mut body = modern_body("tools/call", json!({"name": tool, "arguments": {}}));
        body["id"] = id.into();
        body
    };
    // One ends immediately, the other yields first.
    for (id, tool) in [(1, "let_go"), (2, "pause")] {
        let answer = client.exchange(call(id, tool));
        assert_eq!((&answer["id"], &answer["result"]["resultType"]), (&json!(id), &json!("complete")));
        assert_eq!(answer["result"]["structuredContent"]["result"], 0);
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fixture");
    }
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn runs_a_slow_call_once_over_stdio() {
    let mut client = legacy_client();
    assert_eq!(client.exchange(call(1, "pause"))["result"]["structuredContent"]["result"], 0);
    assert_eq!(client.exchange(call(1, "pause"))["result"]["structuredContent"]["result"], 1);
    client.send(call(2, "wait"));
    let rejected = client.exchange(call(2, "wait"));
    assert!(rejected["error"]["message"].as_str().unwrap().contains("is not answered yet"), "{rejected}");
    let mut answered = [client.exchange(call(3, "let_go")), client.receive()];
    answered.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!([&answered[0]["id"], &answered[1]["id"]], [2, 3]);
    // It counts the calls, and is counted once. The other one may begin before it.
    assert_eq!(answered[0]["result"]["structuredContent"]["result"], 3);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn answers_all_calls_before_the_end_of_input() {
    let mut client = legacy_client();
    for id in 1..=20 {
        client.send(call(id, if id % 2 == 0 { "pause" } else { "let_go" }));
    }
    let (answers, succeeded) = client.close();
    let mut ids: Vec<u64> = answers
        .iter()
        .map(|answer| serde_json::from_str::<Value>(answer).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!((ids, succeeded), ((1..=20).collect(), true));
}

#[test]
fn applies_log_levels_in_order_over_stdio() {
    let mut client = legacy_client();
    for (level, is_logged) in [("error", false), ("info", true), ("error", false), ("info", true)] {
        // The call follows without waiting for the answer.
        let set = request(1, "logging/setLevel", json!({"level": level}));
        client.send(format!("{set}\n{}", call(2, "say")));
        let mut messages = vec![client.receive(), client.receive()];
        if is_logged {
            messages.push(client.receive());
        }
        let count = messages.iter().filter(|message| message["method"] == "notifications/message").count();
        assert_eq!(count, usize::from(is_logged), "{level}: {messages:?}");
    }
    assert_eq!(client.close(), (vec![], true));
}
