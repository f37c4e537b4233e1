//! A client that asked for it hears how far its call has come, before the answer and never after it.

use std::io::{BufRead as _, BufReader};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::{Context, Registry, State, tool};
use tool_mcp::Changes;

use crate::changes::Events;
use crate::stdio::Spoken;
use crate::support::{Answer, LEGACY, MODERN, Served, Session, initialize, modern_body, request, send};

/// What the tools wait for, and tell.
struct Gate {
    go: Semaphore,
    over: Semaphore,
}

impl Default for Gate {
    fn default() -> Self {
        Gate { go: Semaphore::new(0), over: Semaphore::new(0) }
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
async fn linger(#[inject] context: Context, #[inject] gate: State<Gate>) -> bool {
    context.progress(1, None, "");
    tokio::spawn(async move {
        gate.go.acquire().await.unwrap().forget();
        context.progress(2, None, "too late");
        gate.over.add_permits(1);
    });
    true
}

/// Waits until what was left behind has reported.
#[tool(operation = Transform)]
async fn let_go(#[inject] gate: State<Gate>) -> bool {
    gate.go.add_permits(1);
    gate.over.acquire().await.unwrap().forget();
    true
}

/// Waits until it may go on.
#[tool(operation = Transform)]
async fn await_going(#[inject] context: Context, #[inject] gate: State<Gate>) -> bool {
    context.progress(1, None, "");
    gate.go.acquire().await.unwrap().forget();
    true
}

/// Lets go on who waits.
#[tool(operation = Transform)]
fn let_go_on(#[inject] gate: State<Gate>) -> bool {
    gate.go.add_permits(1);
    true
}

/// Writes on when its caller is gone, and reports.
#[tool(operation = Write, destructive = false)]
async fn write_on(#[inject] context: Context, #[inject] gate: State<Gate>) -> bool {
    context.progress(1, None, "");
    context.cancelled().await;
    context.progress(2, None, "too late");
    gate.over.add_permits(1);
    true
}

/// Waits until the writing is over.
#[tool(operation = Transform)]
async fn await_writing(#[inject] gate: State<Gate>) -> bool {
    gate.over.acquire().await.unwrap().forget();
    true
}

const FLOOD: u64 = 20_000;

/// Reports more than any connection holds.
#[tool(operation = Transform)]
async fn flood(#[inject] context: Context, #[inject] gate: State<Gate>) -> bool {
    let message = "w".repeat(4096);
    for n in 1..=FLOOD {
        context.progress(n, FLOOD, &message);
        tokio::task::yield_now().await;
    }
    gate.over.add_permits(1);
    true
}

fn registry_of(gate: Arc<Gate>) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).shared_state(gate).build().unwrap()
}

pub(crate) fn registry() -> Registry {
    registry_of(Arc::default())
}

/// A call whose client wants to hear of it.
fn asking(mut body: Value, token: &Value) -> String {
    body["params"]["_meta"]["progressToken"] = token.clone();
    body.to_string()
}

fn send_modern(served: &Served, tool: &str, token: &Value) -> TcpStream {
    let body = asking(modern_body("tools/call", json!({"name": tool})), token);
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)];
    send(served.addr, &headers, &body)
}

fn send_legacy(served: &Served, session: &Session<'_>, tool: &str, token: &Value) -> TcpStream {
    let body = asking(request(7, "tools/call", json!({"name": tool})), token);
    send(served.addr, &[("mcp-session-id", &session.id), ("mcp-protocol-version", LEGACY)], &body)
}

/// The reports of a call, each without what is the same for all, and the answer, which is the last.
fn heard(mut messages: Vec<Value>, token: &Value) -> (Vec<Value>, Value) {
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

fn counted() -> Value {
    json!([
        {"progress": 1.0, "total": 3.0, "message": "counting"},
        {"progress": 2.0, "total": 3.0, "message": "counting"},
        {"progress": 3.0, "total": 3.0},
    ])
}

#[test]
fn both_eras_hear_over_http_how_far_a_call_has_come() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    for token in [json!("a token"), json!(7), json!(0)] {
        let (reports, answer) = heard(Answer::read(send_modern(&served, "count", &token)).events(), &token);
        assert_eq!(Value::from(reports), counted());
        assert_eq!(answer["result"]["structuredContent"], json!({"result": 3}));
        let legacy = Answer::read(send_legacy(&served, &session, "count", &token));
        let (reports, answer) = heard(legacy.events(), &token);
        assert_eq!(Value::from(reports), counted());
        assert_eq!(answer["result"]["structuredContent"], json!({"result": 3}));
    }
}

#[test]
fn who_does_not_ask_hears_nothing_but_the_answer() {
    let served = Served::serving(registry(), |server| server);
    let modern = served.modern("tools/call", json!({"name": "count"})).json();
    assert_eq!(modern["result"]["structuredContent"], json!({"result": 3}));
    let legacy = served.session().call("count", json!({}));
    assert_eq!(legacy["result"]["structuredContent"], json!({"result": 3}));
    // A token that is none is as none.
    let odd = Answer::read(send_modern(&served, "count", &json!({"a": 1})));
    assert_eq!(odd.json()["result"]["structuredContent"], json!({"result": 3}));
}

#[test]
fn a_call_that_reports_nothing_is_answered_as_if_nobody_had_asked() {
    let served = Served::start();
    let body = asking(modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})), &json!(1));
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "add")];
    assert_eq!(served.post(&headers, &body).json()["result"]["isError"], false);
}

#[test]
fn both_eras_hear_over_stdio_how_far_a_call_has_come() {
    let token = json!("a token");
    let mut modern = Spoken::with("progress");
    modern.say(asking(modern_body("tools/call", json!({"name": "count"})), &token));
    let (reports, _) = heard((0..4).map(|_| modern.hear()).collect(), &token);
    assert_eq!(Value::from(reports), counted());
    assert_eq!(modern.end(), (vec![], true));

    let mut legacy = Spoken::with("progress");
    legacy.open(json!({}));
    legacy.say(asking(request(1, "tools/call", json!({"name": "count"})), &token));
    let (reports, _) = heard((0..4).map(|_| legacy.hear()).collect(), &token);
    assert_eq!(Value::from(reports), counted());
    let silent = legacy.ask(request(2, "tools/call", json!({"name": "count"})));
    assert_eq!(silent["id"], 2);
    assert_eq!(legacy.end(), (vec![], true));
}

#[test]
fn reading_a_tool_reports_as_calling_it_does() {
    let served = Served::serving(registry(), |server| server);
    let body = asking(modern_body("resources/read", json!({"uri": "fixture://look"})), &json!(1));
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "resources/read"), ("mcp-name", "fixture://look")];
    let (reports, answer) = heard(served.post(&headers, &body).events(), &json!(1));
    assert_eq!(reports, [json!({"progress": 1.0, "message": "looking"})]);
    assert_eq!(answer["result"]["contents"][0]["text"], "seen");
}

#[test]
fn progress_never_goes_back() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    let token = json!(1);
    for stream in [send_modern(&served, "waver", &token), send_legacy(&served, &session, "waver", &token)] {
        let (reports, _) = heard(Answer::read(stream).events(), &token);
        assert_eq!(steps(&reports), [5.0, 9.0]);
    }
}

// Row 81 of the list of faults.
#[test]
fn nothing_is_reported_after_the_answer() {
    let token = json!(1);
    let changes = Changes::new();
    let served = Served::serving(registry(), |server| server.changes(&changes));
    let (reports, _) = heard(Answer::read(send_modern(&served, "linger", &token)).events(), &token);
    assert_eq!(steps(&reports), [1.0]);
    served.call_modern("let_go", json!({}));

    // What belongs to no request that is there goes to the stream on which the server speaks first.
    let session = served.session();
    let mut spoken_first = Events::of(session.stream());
    let legacy = Answer::read(send_legacy(&served, &session, "linger", &token));
    assert_eq!(steps(&heard(legacy.events(), &token).0), [1.0]);
    session.call("let_go", json!({}));
    changes.notify();
    assert_eq!(spoken_first.methods(1), ["notifications/tools/list_changed"]);

    for opening in [None, Some(initialize())] {
        let mut spoken = Spoken::with("progress");
        let is_modern = opening.is_none();
        opening.map(|opening| spoken.ask(opening));
        let call = |tool: &str| {
            let params = json!({"name": tool});
            if is_modern { modern_body("tools/call", params) } else { request(1, "tools/call", params) }
        };
        spoken.say(asking(call("linger"), &token));
        let (reports, _) = heard(vec![spoken.hear(), spoken.hear()], &token);
        assert_eq!(steps(&reports), [1.0]);
        assert!(spoken.ask(call("let_go"))["result"].is_object());
        assert_eq!(spoken.end(), (vec![], true));
    }
}

// Row 81 of the list of faults.
#[test]
fn nothing_is_reported_of_a_call_that_was_taken_back() {
    let token = json!(1);
    let cancelled = |id: u32| {
        let params = json!({"requestId": id});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    };
    let changes = Changes::new();
    let served = Served::serving(registry(), |server| server.changes(&changes));
    let session = served.session();
    let mut spoken_first = Events::of(session.stream());
    let mut stream = Events::of(send_legacy(&served, &session, "write_on", &token));
    assert_eq!(stream.methods(1), ["notifications/progress"]);
    assert_eq!(session.post(&cancelled(7).to_string()).status, 202);
    session.call("await_writing", json!({}));
    assert_eq!(stream.next(), None);
    changes.notify();
    assert_eq!(spoken_first.methods(1), ["notifications/tools/list_changed"]);

    let mut spoken = Spoken::with("progress");
    spoken.open(json!({}));
    spoken.say(asking(request(1, "tools/call", json!({"name": "write_on"})), &token));
    assert_eq!(spoken.hear()["params"]["progress"], 1.0);
    spoken.say(cancelled(1));
    assert_eq!(spoken.ask(request(2, "tools/call", json!({"name": "await_writing"})))["id"], 2);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_client_that_leaves_between_reports_cancels_the_call() {
    let gate = Arc::new(Gate::default());
    let served = Served::serving(registry_of(Arc::clone(&gate)), |server| server);
    let mut stream = Events::of(send_modern(&served, "write_on", &json!(1)));
    assert_eq!(stream.methods(1), ["notifications/progress"]);
    drop(stream);
    served.wait_for(&gate.over);
}

#[test]
fn a_client_that_leaves_a_stream_after_it_has_said_all_cancels_the_call() {
    let gate = Arc::new(Gate::default());
    let served = Served::serving(registry_of(Arc::clone(&gate)), |server| server);
    let stream = send_modern(&served, "write_on", &json!(1));
    stream.shutdown(Shutdown::Write).unwrap();
    // Between events the server looks whether anybody is still there, with a comment.
    let mut lines = BufReader::new(stream).lines();
    let mut next = || lines.next().expect("the stream goes on").unwrap();
    while !next().contains("notifications/progress") {}
    while !next().starts_with(':') {}
    drop(lines);
    served.wait_for(&gate.over);
}

#[test]
fn a_slow_client_holds_no_tool_up_and_hears_the_newest() {
    let token = json!(1);
    let gate = Arc::new(Gate::default());
    let served = Served::serving(registry_of(Arc::clone(&gate)), |server| server);
    let session = served.session();
    for stream in [send_modern(&served, "flood", &token), send_legacy(&served, &session, "flood", &token)] {
        // Nothing is read until the tool is done.
        served.wait_for(&gate.over);
        let (reports, _) = heard(Answer::read(stream).events(), &token);
        let steps = steps(&reports);
        assert!(steps.is_sorted_by(|a, b| a < b));
        assert_eq!(steps.last(), Some(&20_000.0));
        assert!(steps.len() < 10_000, "{} reports were kept", steps.len());
    }
}
