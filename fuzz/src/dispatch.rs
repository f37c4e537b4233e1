//! Whole requests through the router.

use std::time::Duration;

use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::json_rpc::Frame;
use crate::server::{Client, LEGACY, MODERN, Received, checked, with_fixture};
use crate::tools::{HIDDEN, SECRET};

/// So many messages of one input are sent.
const MOST_MESSAGES: usize = 8;

/// How long to wait for an answer before the next message is sent.
const SHORT: Duration = Duration::from_millis(1);

type Headers = Vec<(&'static str, String)>;

/// Sends messages to the server.
///
/// The first byte chooses the era (bit 0) and the server (bit 1: pages and subscriptions). Each line after it is a
/// message. Without a session, it gets the `_meta` that it lacks, unless it begins with `!`, and the headers that repeat
/// parts of it. `$STATE` stands for the latest `requestState`.
///
/// - Each message is answered: with one response on a stream or in JSON, or with 202 and no body.
/// - The `id` of a response is that of its request, and the status is one of few.
/// - Lists have only what is there, and nothing tells of a tool that is hidden.
/// - The server answers a good call afterwards.
pub fn dispatch(input: &[u8]) {
    let Some((choice, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    if text.contains(SECRET) {
        return;
    }
    with_fixture(async |fixture| {
        let client = fixture.client(choice & 2 != 0);
        let session = if choice & 1 == 0 { None } else { Some(client.open_session().await) };
        send_all(&client, session.as_deref(), &text).await;
        if let Some(session) = session {
            client.close_session(&session).await;
        }
        client.assert_serves().await;
    });
}

async fn send_all(client: &Client, session: Option<&str>, text: &str) {
    let mut exchanges = Vec::new();
    let mut state = String::new();
    for line in text.lines().take(MOST_MESSAGES) {
        let line = line.replace("$STATE", &state);
        let (body, headers) = match session {
            Some(session) => in_session(line, session),
            None => modern(&line),
        };
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = client.post(&headers, body.clone()).await;
        let received = Received::read(answer, SHORT).await;
        if let Some(latest) = received.messages().iter().find_map(|it| it["result"]["requestState"].as_str())
        {
            latest.clone_into(&mut state);
        }
        exchanges.push((body, received));
    }
    for (body, mut received) in exchanges {
        received.read_all().await;
        check(&body, &received);
    }
}

fn in_session(line: String, session: &str) -> (String, Headers) {
    (line, vec![("mcp-session-id", session.to_owned()), ("mcp-protocol-version", LEGACY.to_owned())])
}

/// Returns a message and its headers in the era without sessions.
fn modern(line: &str) -> (String, Headers) {
    let mut headers = vec![("mcp-protocol-version", MODERN.to_owned())];
    let (line, is_raw) = line.strip_prefix('!').map_or((line, false), |raw| (raw, true));
    let Ok(mut message) = serde_json::from_str::<Value>(line) else { return (line.to_owned(), headers) };
    if let Some(method) = message["method"].as_str() {
        headers.push(("mcp-method", method.to_owned()));
    }
    let params = &message["params"];
    let subject = params["name"].as_str().or(params["uri"].as_str());
    headers.extend(subject.map(|subject| ("mcp-name", encoded(subject))));
    let region = params["arguments"]["region"].as_str();
    headers.extend(region.map(|region| ("mcp-param-region", encoded(region))));
    if is_raw || !message.is_object() || !(params.is_object() || params.is_null()) {
        return (line.to_owned(), headers);
    }
    let meta = &message["params"]["_meta"];
    if !meta.is_object() && !meta.is_null() {
        return (line.to_owned(), headers);
    }
    for (member, value) in
        [("protocolVersion", json!(MODERN)), ("clientCapabilities", json!({"elicitation": {}}))]
    {
        let member = format!("io.modelcontextprotocol/{member}");
        if message["params"]["_meta"].get(&member).is_none() {
            message["params"]["_meta"][member] = value;
        }
    }
    (message.to_string(), headers)
}

/// Returns a value as a header holds it.
fn encoded(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b'!'..=b'~')) && !value.starts_with("=?");
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", BASE64.encode(value)) }
}

/// Checks what has come for a message.
fn check(body: &str, received: &Received) {
    let status = received.status;
    let messages = received.messages();
    if status == StatusCode::ACCEPTED {
        assert!(messages.is_empty() && received.has_ended, "accepted, and answered: {messages:?}");
        let frame = Frame::parse(body.as_bytes()).expect("what is accepted is an object");
        assert!(frame.id().is_none() || !frame.has("method"), "a request was not answered");
        return;
    }
    let is_expected = matches!(status, StatusCode::OK | StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND);
    assert!(is_expected, "unexpected status {status}");
    let frame = Frame::parse(body.as_bytes());
    let id = frame.as_ref().and_then(Frame::id);
    let method = frame.as_ref().and_then(Frame::method).unwrap_or_default();
    let responses: Vec<_> = messages.iter().filter_map(checked).collect();
    if !received.has_ended {
        assert_eq!(method, "subscriptions/listen", "an answer does not end");
        assert!(responses.is_empty(), "a stream goes on after its response");
        return;
    }
    let is_canceled = responses.is_empty() && received.is_stream();
    assert!(responses.len() == 1 || is_canceled, "{} responses to a request: {messages:?}", responses.len());
    let called = serde_json::from_str::<Value>(body).unwrap_or_default();
    let is_hidden =
        method == "tools/call" && called.pointer("/params/name").is_some_and(|name| name == HIDDEN);
    for message in &messages {
        let Some(response) = checked(message) else { continue };
        if response.is_some() && frame.is_some() {
            assert_eq!(response, id, "the response has another `id` than the request");
        }
        assert!(!is_hidden || message.get("error").is_some(), "a hidden tool is called: {message}");
    }
}
