//! Progress notifications of calls with a progress token.

use std::io::{BufRead as _, BufReader};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::{Context, Registry, State, tool};
use tool_mcp::Changes;

use crate::changes::EventStream;
use crate::stdio::StdioClient;
use crate::support::{Answer, LEGACY, MODERN, Session, TestServer, initialize, modern_body, request, send};

/// Signals between the tools and the tests.
struct Signals {
    release: Semaphore,
    finished: Semaphore,
}

impl Default for Signals {
    fn default() -> Self {
        Signals { release: Semaphore::new(0), finished: Semaphore::new(0) }
    }
}

/// Counts to three.
#[tool(operation = Transform)]
async fn count(#[inject] context: Context) -> u64 {
    for n in 1..=3 {
        context.progress(n, 3, if n == 3 { "" } else { "counting" });
        tokio::task::yield_now().await;
    }
    3
}

/// Looks.
#[tool(operation = Read)]
fn look(#[inject] context: Context) -> String {
    context.progress(1, None, "looking");
    "seen".to_owned()
}

/// Goes to and fro.
#[tool(operation = Transform)]
async fn waver(#[inject] context: Context) -> u64 {
    for n in [5, 3, 5, 5, 9, 0] {
        context.progress(n, 10, "wavering");
        tokio::task::yield_now().await;
    }
    9
}

/// Leaves something behind that works, and reports, when the call is over.
#[tool(operation = Transform)]
async fn linger(#[inject] context: Context, #[inject] signals: State<Signals>) -> bool {
    context.progress(1, None, "");
    tokio::spawn(async move {
        signals.release.acquire().await.unwrap().forget();
        context.progress(2, None, "too late");
        signals.finished.add_permits(1);
    });
    true
}

/// Waits until what was left behind has reported.
#[tool(operation = Transform)]
async fn let_go(#[inject] signals: State<Signals>) -> bool {
    signals.release.add_permits(1);
    signals.finished.acquire().await.unwrap().forget();
    true
}

/// Waits until it may go on.
#[tool(operation = Transform)]
async fn await_going(#[inject] context: Context, #[inject] signals: State<Signals>) -> bool {
    context.progress(1, None, "");
    signals.release.acquire().await.unwrap().forget();
    true
}

/// Lets go on who waits.
#[tool(operation = Transform)]
fn let_go_on(#[inject] signals: State<Signals>) -> bool {
    signals.release.add_permits(1);
    true
}

/// Writes on when its caller is gone, and reports.
#[tool(operation = Write, destructive = false)]
async fn write_on(#[inject] context: Context, #[inject] signals: State<Signals>) -> bool {
    context.progress(1, None, "");
    context.cancelled().await;
    context.progress(2, None, "too late");
    signals.finished.add_permits(1);
    true
}

/// Waits until the writing is over.
#[tool(operation = Transform)]
async fn await_writing(#[inject] signals: State<Signals>) -> bool {
    signals.finished.acquire().await.unwrap().forget();
    true
}

const FLOOD: u64 = 20_000;

/// Reports more than any connection holds.
#[tool(operation = Transform)]
async fn flood(#[inject] context: Context, #[inject] signals: State<Signals>) -> bool {
    let message = "w".repeat(4096);
    for n in 1..=FLOOD {
        context.progress(n, FLOOD, &message);
        tokio::task::yield_now().await;
    }
    signals.finished.add_permits(1);
    true
}

fn registry_of(signals: Arc<Signals>) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).shared_state(signals).build().unwrap()
}

pub(crate) fn registry() -> Registry {
    registry_of(Arc::default())
}

/// Adds a progress token to a request.
fn with_token(mut body: Value, token: &Value) -> String {
    body["params"]["_meta"]["progressToken"] = token.clone();
    body.to_string()
}

fn send_modern(server: &TestServer, tool: &str, token: &Value) -> TcpStream {
    let body = with_token(modern_body("tools/call", json!({"name": tool})), token);
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)];
    send(server.addr, &headers, &body)
}

fn send_legacy(server: &TestServer, session: &Session<'_>, tool: &str, token: &Value) -> TcpStream {
    let body = with_token(request(7, "tools/call", json!({"name": tool})), token);
    send(server.addr, &[("mcp-session-id", &session.id), ("mcp-protocol-version", LEGACY)], &body)
}

/// Splits messages into the reports of a call, without their token, and the answer.
fn split_reports(mut messages: Vec<Value>, token: &Value) -> (Vec<Value>, Value) {
    let answer = messages.pop().expect("an answer");
    assert!(answer["result"].is_object(), "{answer}");
    let reports = messages.into_iter().map(|mut message| {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(
            message["params"].as_object_mut().unwrap().shift_remove("progressToken").as_ref(),
            Some(token)
        );
        message["params"].take()
    });
    (reports.collect(), answer)
}

fn steps(reports: &[Value]) -> Vec<f64> {
    reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect()
}

fn count_reports() -> Value {
    json!([
        {"progress": 1.0, "total": 3.0, "message": "counting"},
        {"progress": 2.0, "total": 3.0, "message": "counting"},
        {"progress": 3.0, "total": 3.0},
    ])
}

#[test]
fn reports_progress_over_http_in_both_eras() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    for token in [json!("a token"), json!(7), json!(0)] {
        let (reports, answer) =
            split_reports(Answer::read(send_modern(&server, "count", &token)).events(), &token);
        assert_eq!(Value::from(reports), count_reports());
        assert_eq!(answer["result"]["structuredContent"], json!({"result": 3}));
        let legacy = Answer::read(send_legacy(&server, &session, "count", &token));
        let (reports, answer) = split_reports(legacy.events(), &token);
        assert_eq!(Value::from(reports), count_reports());
        assert_eq!(answer["result"]["structuredContent"], json!({"result": 3}));
    }
}

#[test]
fn reports_no_progress_without_a_token() {
    let server = TestServer::with_registry(registry(), |server| server);
    let modern = server.request_modern("tools/call", json!({"name": "count"})).json();
    assert_eq!(modern["result"]["structuredContent"], json!({"result": 3}));
    let legacy = server.session().call("count", json!({}));
    assert_eq!(legacy["result"]["structuredContent"], json!({"result": 3}));
    // An invalid token counts as none.
    let invalid = Answer::read(send_modern(&server, "count", &json!({"a": 1})));
    assert_eq!(invalid.json()["result"]["structuredContent"], json!({"result": 3}));
}

#[test]
fn answers_in_json_without_reports() {
    let server = TestServer::start();
    let body =
        with_token(modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})), &json!(1));
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "add")];
    assert_eq!(server.post(&headers, &body).json()["result"]["isError"], false);
}

#[test]
fn reports_progress_over_stdio_in_both_eras() {
    let token = json!("a token");
    let mut modern = StdioClient::start_with("progress");
    modern.send(with_token(modern_body("tools/call", json!({"name": "count"})), &token));
    let (reports, _) = split_reports((0..4).map(|_| modern.receive()).collect(), &token);
    assert_eq!(Value::from(reports), count_reports());
    assert_eq!(modern.close(), (vec![], true));

    let mut legacy = StdioClient::start_with("progress");
    legacy.initialize(json!({}));
    legacy.send(with_token(request(1, "tools/call", json!({"name": "count"})), &token));
    let (reports, _) = split_reports((0..4).map(|_| legacy.receive()).collect(), &token);
    assert_eq!(Value::from(reports), count_reports());
    let quiet = legacy.exchange(request(2, "tools/call", json!({"name": "count"})));
    assert_eq!(quiet["id"], 2);
    assert_eq!(legacy.close(), (vec![], true));
}

#[test]
fn reports_progress_of_resource_reads() {
    let server = TestServer::with_registry(registry(), |server| server);
    let body = with_token(modern_body("resources/read", json!({"uri": "fixture://look"})), &json!(1));
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "resources/read"), ("mcp-name", "fixture://look")];
    let (reports, answer) = split_reports(server.post(&headers, &body).events(), &json!(1));
    assert_eq!(reports, [json!({"progress": 1.0, "message": "looking"})]);
    assert_eq!(answer["result"]["contents"][0]["text"], "seen");
}

#[test]
fn drops_decreasing_progress() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    let token = json!(1);
    for stream in [send_modern(&server, "waver", &token), send_legacy(&server, &session, "waver", &token)] {
        let (reports, _) = split_reports(Answer::read(stream).events(), &token);
        assert_eq!(steps(&reports), [5.0, 9.0]);
    }
}

#[test]
fn row_81_reports_nothing_after_the_answer() {
    let token = json!(1);
    let changes = Changes::new();
    let server = TestServer::with_registry(registry(), |server| server.changes(&changes));
    let (reports, _) = split_reports(Answer::read(send_modern(&server, "linger", &token)).events(), &token);
    assert_eq!(steps(&reports), [1.0]);
    server.call_modern("let_go", json!({}));

    // A late report could only arrive on the stream for messages that the server initiates.
    let session = server.session();
    let mut server_stream = EventStream::new(session.stream());
    let legacy = Answer::read(send_legacy(&server, &session, "linger", &token));
    assert_eq!(steps(&split_reports(legacy.events(), &token).0), [1.0]);
    session.call("let_go", json!({}));
    changes.notify();
    assert_eq!(server_stream.methods(1), ["notifications/tools/list_changed"]);

    for init in [None, Some(initialize())] {
        let mut client = StdioClient::start_with("progress");
        let is_modern = init.is_none();
        init.map(|init| client.exchange(init));
        let call = |tool: &str| {
            let params = json!({"name": tool});
            if is_modern { modern_body("tools/call", params) } else { request(1, "tools/call", params) }
        };
        client.send(with_token(call("linger"), &token));
        let (reports, _) = split_reports(vec![client.receive(), client.receive()], &token);
        assert_eq!(steps(&reports), [1.0]);
        assert!(client.exchange(call("let_go"))["result"].is_object());
        assert_eq!(client.close(), (vec![], true));
    }
}

#[test]
fn row_81_reports_nothing_after_cancellation() {
    let token = json!(1);
    let cancelled = |id: u32| {
        let params = json!({"requestId": id});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    };
    let changes = Changes::new();
    let server = TestServer::with_registry(registry(), |server| server.changes(&changes));
    let session = server.session();
    let mut server_stream = EventStream::new(session.stream());
    let mut stream = EventStream::new(send_legacy(&server, &session, "write_on", &token));
    assert_eq!(stream.methods(1), ["notifications/progress"]);
    assert_eq!(session.post(&cancelled(7).to_string()).status, 202);
    session.call("await_writing", json!({}));
    assert_eq!(stream.next(), None);
    changes.notify();
    assert_eq!(server_stream.methods(1), ["notifications/tools/list_changed"]);

    let mut client = StdioClient::start_with("progress");
    client.initialize(json!({}));
    client.send(with_token(request(1, "tools/call", json!({"name": "write_on"})), &token));
    assert_eq!(client.receive()["params"]["progress"], 1.0);
    client.send(cancelled(1));
    assert_eq!(client.exchange(request(2, "tools/call", json!({"name": "await_writing"})))["id"], 2);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn cancels_the_call_when_the_client_disconnects() {
    let signals = Arc::new(Signals::default());
    let server = TestServer::with_registry(registry_of(Arc::clone(&signals)), |server| server);
    let mut stream = EventStream::new(send_modern(&server, "write_on", &json!(1)));
    assert_eq!(stream.methods(1), ["notifications/progress"]);
    drop(stream);
    server.wait_for(&signals.finished);
}

#[test]
fn cancels_the_call_of_a_disconnected_half_closed_client() {
    let signals = Arc::new(Signals::default());
    let server = TestServer::with_registry(registry_of(Arc::clone(&signals)), |server| server);
    let stream = send_modern(&server, "write_on", &json!(1));
    stream.shutdown(Shutdown::Write).unwrap();
    // The server sends comments between events to detect a disconnect.
    let mut lines = BufReader::new(stream).lines();
    let mut next = || lines.next().expect("the stream goes on").unwrap();
    while !next().contains("notifications/progress") {}
    while !next().starts_with(':') {}
    drop(lines);
    server.wait_for(&signals.finished);
}

#[test]
fn drops_reports_for_a_slow_client() {
    let token = json!(1);
    let signals = Arc::new(Signals::default());
    let server = TestServer::with_registry(registry_of(Arc::clone(&signals)), |server| server);
    let session = server.session();
    for stream in [send_modern(&server, "flood", &token), send_legacy(&server, &session, "flood", &token)] {
        // The client reads nothing until the tool has finished.
        server.wait_for(&signals.finished);
        let (reports, _) = split_reports(Answer::read(stream).events(), &token);
        let steps = steps(&reports);
        assert!(steps.is_sorted_by(|a, b| a < b));
        assert_eq!(steps.last(), Some(&20_000.0));
        assert!(steps.len() < 10_000, "{} reports were kept", steps.len());
    }
}
