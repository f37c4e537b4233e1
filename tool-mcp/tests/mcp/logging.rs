//! Log messages of calls, at the level that the client requests.

use serde_json::{Value, json};
use tool_core::logging::LogLevel;
use tool_core::{Context, Registry, prompt, tool};

use crate::changes::EventStream;
use crate::stdio::StdioClient;
use crate::support::{MODERN, Session, TestServer, modern_body, request};

/// Says something at several levels, and how far it has come.
#[tool(operation = Transform)]
async fn speak(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Debug, "looking");
    context.progress(1, 2, "");
    context.log(LogLevel::Info, "found");
    tokio::task::yield_now().await;
    context.log(LogLevel::Error, json!({"page": 7, "torn": true}));
    context.progress(2, 2, "");
    "done"
}

/// Says what it is about, and asks.
#[prompt]
fn ask_aloud(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Notice, "asked");
    "Well?"
}

/// Says more than anybody wants to hear.
#[tool(operation = Transform)]
async fn babble(#[inject] context: Context) -> &'static str {
    for n in 0..1_000 {
        context.log(LogLevel::Info, n);
    }
    "done"
}

pub(crate) fn registry() -> Registry {
    Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .select_prompts(|prompt| prompt.source().module == module_path!())
        .build()
        .unwrap()
}

/// Adds a log level to a request.
fn with_level(mut body: Value, level: Option<&str>) -> Value {
    if let Some(level) = level {
        body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
    }
    body
}

fn message(level: &str, data: Value) -> Value {
    let params = json!({"level": level, "logger": "speak", "data": data});
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
}

/// The messages of `speak` from this level on.
fn expected_messages(least: LogLevel) -> Vec<Value> {
    let messages = [
        (LogLevel::Debug, json!("looking")),
        (LogLevel::Info, json!("found")),
        (LogLevel::Error, json!({"page": 7, "torn": true})),
    ];
    let selected = messages.into_iter().filter(|(level, _)| *level >= least);
    selected.map(|(level, data)| message(level.as_str(), data)).collect()
}

fn speak_modern(level: Option<&str>) -> String {
    with_level(modern_body("tools/call", json!({"name": "speak"})), level).to_string()
}

const HEADERS: [(&str, &str); 3] =
    [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "speak")];

#[test]
fn sends_messages_from_the_requested_level() {
    let server = TestServer::with_registry(registry(), |server| server);
    for level in LogLevel::ALL {
        let answer = server.post(&HEADERS, &speak_modern(Some(level.as_str())));
        let expected = expected_messages(level);
        if expected.is_empty() {
            assert_eq!(answer.json()["result"]["content"][0]["text"], "done");
            continue;
        }
        let mut received = answer.events();
        let answer = received.pop().unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        assert_eq!(received, expected, "{level}");
    }
}

#[test]
fn sends_no_messages_without_a_valid_level() {
    let server = TestServer::with_registry(registry(), |server| server);
    for body in [speak_modern(None), speak_modern(Some("loud"))] {
        // A JSON answer, and no event stream.
        assert_eq!(server.post(&HEADERS, &body).json()["result"]["content"][0]["text"], "done");
    }
}

#[test]
fn keeps_the_order_of_messages_and_progress() {
    let server = TestServer::with_registry(registry(), |server| server);
    let mut body = with_level(modern_body("tools/call", json!({"name": "speak"})), Some("debug"));
    body["params"]["_meta"]["progressToken"] = json!("p");
    let received = server.post(&HEADERS, &body.to_string()).events();
    let kinds: Vec<&str> = received.iter().filter_map(|message| message["method"].as_str()).collect();
    let (log, progress) = ("notifications/message", "notifications/progress");
    assert_eq!(kinds, [log, progress, log, log, progress]);
    assert!(received[5]["result"].is_object());
}

#[test]
fn sends_messages_of_prompts() {
    let server = TestServer::with_registry(registry(), |server| server);
    let body = with_level(modern_body("prompts/get", json!({"name": "ask_aloud"})), Some("debug"));
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "prompts/get"), ("mcp-name", "ask_aloud")];
    let received = server.post(&headers, &body.to_string()).events();
    assert_eq!(received[0]["params"], json!({"level": "notice", "logger": "ask_aloud", "data": "asked"}));
    assert_eq!(received[1]["result"]["messages"][0]["content"]["text"], "Well?");
}

#[test]
fn sends_messages_over_stdio_in_both_eras() {
    let mut modern = StdioClient::start_with("logging");
    modern.send(speak_modern(Some("error")));
    assert_eq!(modern.receive(), expected_messages(LogLevel::Error)[0]);
    assert!(modern.receive()["result"].is_object());
    assert!(modern.exchange(speak_modern(None))["result"].is_object());
    assert_eq!(modern.close(), (vec![], true));

    let mut legacy = StdioClient::start_with("logging");
    let opened = legacy.initialize(json!({}));
    assert_eq!(opened["result"]["capabilities"]["logging"], json!({}));
    let speak = |id| request(id, "tools/call", json!({"name": "speak"}));
    // The default level is `info`.
    legacy.send(speak(1));
    assert_eq!([legacy.receive(), legacy.receive()], *expected_messages(LogLevel::Info));
    assert_eq!(legacy.receive()["id"], 1);
    assert_eq!(
        legacy.exchange(request(2, "logging/setLevel", json!({"level": "error"})))["result"],
        json!({})
    );
    legacy.send(speak(3));
    assert_eq!([legacy.receive()], *expected_messages(LogLevel::Error));
    assert_eq!(legacy.receive()["id"], 3);
    assert_eq!(legacy.close(), (vec![], true));
}

fn set_level(session: &Session<'_>, level: &str) -> Value {
    session.request("logging/setLevel", json!({"level": level}))
}

#[test]
fn keeps_a_level_for_each_session() {
    let server = TestServer::with_registry(registry(), |server| server);
    let (loud, quiet) = (server.session(), server.session());
    let [mut to_loud, mut to_quiet] = [&loud, &quiet].map(|session| EventStream::opened(session.stream()));
    assert_eq!(set_level(&loud, "debug")["result"], json!({}));
    assert_eq!(set_level(&quiet, "critical")["result"], json!({}));
    for session in [&quiet, &loud] {
        assert_eq!(session.call("speak", json!({}))["result"]["content"][0]["text"], "done");
    }
    set_level(&quiet, "error");
    quiet.call("speak", json!({}));
    let received: Vec<Value> = (0..3).map(|_| to_loud.next().unwrap()).collect();
    assert_eq!(received, expected_messages(LogLevel::Debug));
    assert_eq!([to_quiet.next().unwrap()], *expected_messages(LogLevel::Error));
}

#[test]
fn rejects_invalid_levels_and_modern_set_level() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    let rejected = set_level(&session, "loud");
    assert_eq!(rejected["error"]["code"], -32602);
    assert!(rejected["error"]["message"].as_str().unwrap().contains("`debug`, `info`"), "{rejected}");
    let modern = server.request_modern("logging/setLevel", json!({"level": "debug"}));
    assert_eq!((modern.status, modern.json()["error"]["code"].as_i64()), (404, Some(-32601)));
}

#[test]
fn keeps_only_the_newest_messages() {
    let server = TestServer::with_registry(registry(), |server| server);
    let body = with_level(modern_body("tools/call", json!({"name": "babble"})), Some("info")).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "babble")];
    let received = server.post(&headers, &body).events();
    // Messages are sent when the tool first awaits, so most of them are dropped.
    assert_eq!(received.len(), 256 + 1);
    assert_eq!(
        (&received[0]["params"]["data"], &received[255]["params"]["data"]),
        (&json!(744), &json!(999))
    );
}
