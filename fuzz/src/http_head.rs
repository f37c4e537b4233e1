//! The heads of requests.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::time::Duration;

use crate::json_rpc::Frame;
use crate::server::{MODERN, Received, checked, with_defaults, with_fixture};
use crate::tools::SECRET;

/// How long to wait for an answer that may never end.
const SHORT: Duration = Duration::from_millis(1);

/// The value of a header that stands for an open session.
const SESSION: &[u8] = b"$SESSION";

/// The names by which the server admits requests.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Sends one request with a head that is as the input says.
///
/// The first line is the method, and each line up to the first empty one a header: `name: value` adds one, and `-name`
/// leaves out one of the usual ones, which an added one replaces. `$SESSION` stands for an open session. The rest is the
/// body; if it is empty, a call of a tool that wants an argument in a header.
///
/// - The status is one of few. Whoever is refused gets a JSON-RPC error, with the `id` of the message if it has one.
/// - Whoever is not refused has named a host and an origin of this machine, accepts the answer, and has sent JSON.
/// - A request without a session is answered only if its head repeats what it has to repeat.
/// - A request in a session is answered only if it names the session.
/// - The server answers a good call afterwards.
pub fn http_head(input: &[u8]) {
    if String::from_utf8_lossy(input).contains(SECRET) {
        return;
    }
    with_fixture(async |fixture| {
        let client = fixture.client(false);
        let is_in_session = input.windows(SESSION.len()).any(|part| part == SESSION);
        let session = if is_in_session { client.open_session().await } else { "none".to_owned() };
        let (method, headers, body) = parse(input, &session);
        let answer = client.send(method.clone(), headers.clone(), body.clone()).await;
        let mut received = Received::read(answer, SHORT).await;
        if method == Method::POST {
            received.read_all().await;
        }
        check(&method, &headers, &body, &session, &received);
        if is_in_session {
            client.close_session(&session).await;
        }
        client.assert_serves().await;
    });
}

fn parse(input: &[u8], session: &str) -> (Method, HeaderMap, Vec<u8>) {
    let mut headers = with_defaults(&[]);
    let mut added = HeaderMap::new();
    let mut rest = input;
    let mut method = None;
    while let Some((line, after)) = next_line(rest) {
        rest = after;
        if method.is_none() {
            method = Some(Method::from_bytes(line).unwrap_or(Method::POST));
        } else if line.is_empty() {
            break;
        } else if let Some(name) = line.strip_prefix(b"-") {
            HeaderName::from_bytes(name).ok().map(|name| headers.remove(name));
        } else if let Some(colon) = line.iter().position(|byte| *byte == b':') {
            let name = HeaderName::from_bytes(&line[..colon]);
            let value = line[colon + 1..].trim_ascii();
            let value = if value == SESSION { session.as_bytes() } else { value };
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value)) {
                added.append(name, value);
            }
        }
    }
    added.keys().for_each(|name| drop(headers.remove(name)));
    headers.extend(added);
    let body = if rest.is_empty() { default_body() } else { rest.to_vec() };
    (method.unwrap_or(Method::POST), headers, body)
}

fn next_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.is_empty() {
        return None;
    }
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    Some((&text[..end], text.get(end + 1..).unwrap_or_default()))
}

fn default_body() -> Vec<u8> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "region", "arguments": {"region": "north"}, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string().into_bytes()
}

fn check(method: &Method, headers: &HeaderMap, body: &[u8], session: &str, received: &Received) {
    let status = received.status;
    let messages = received.messages();
    let responses: Vec<_> = messages.iter().filter_map(checked).collect();
    let is_expected = matches!(status.as_u16(), 200 | 202 | 204 | 400 | 403 | 404 | 405 | 406 | 415);
    assert!(is_expected, "unexpected status {status}");
    let frame = Frame::parse(body);
    if !status.is_success() {
        assert_eq!(responses.len(), 1, "refused without an error: {messages:?}");
        assert!(messages[0].get("error").is_some(), "refused with a result: {messages:?}");
        if let (Some(id), Some(frame)) = (&responses[0], &frame) {
            assert_eq!(Some(id), frame.id().as_ref(), "the error has another `id`");
        }
        return;
    }
    check_admitted(headers);
    let accepted = joined(headers, header::ACCEPT);
    let accepts = |kinds: [&str; 3]| kinds.iter().any(|kind| accepted.contains(kind));
    assert!(
        method == Method::DELETE || accepts(["text/event-stream", "text/*", "*/*"]),
        "Accept: {accepted}"
    );
    let named = headers.get("mcp-session-id").map(HeaderValue::as_bytes);
    if method != Method::POST {
        assert!(matches!(*method, Method::GET | Method::DELETE), "{method} is answered");
        assert_eq!(named, Some(session.as_bytes()), "answered in no session");
        assert_eq!(
            status == StatusCode::NO_CONTENT,
            method == Method::DELETE,
            "status {status} for {method}"
        );
        return;
    }
    assert!(accepts(["application/json", "application/*", "*/*"]), "Accept: {accepted}");
    let kind = joined(headers, header::CONTENT_TYPE);
    assert!(kind.starts_with("application/json"), "Content-Type: {kind}");
    let version = headers.get("mcp-protocol-version").map(HeaderValue::as_bytes);
    let is_modern = version == Some(MODERN.as_bytes());
    assert!(std::str::from_utf8(body).is_ok(), "answers what is not UTF-8");
    let frame = frame.expect("what is answered is an object");
    let Some(called) = frame.method() else {
        assert!(!is_modern, "a response is taken where no session is");
        return;
    };
    if is_modern && called != "initialize" {
        assert_eq!(single(headers, "mcp-method"), Some(called.clone()), "the method is not repeated");
        if status == StatusCode::OK {
            check_repeated(headers, &called, body);
        }
    } else if called != "initialize" && called != "server/discover" && !is_modern {
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let meta = &message["params"]["_meta"];
        let is_complete = meta.get("io.modelcontextprotocol/protocolVersion").is_some()
            && meta.get("io.modelcontextprotocol/clientCapabilities").is_some();
        assert!(is_complete || named == Some(session.as_bytes()), "answered in no session");
    }
}

/// Checks that a request was sent to this machine, from it or from no browser.
fn check_admitted(headers: &HeaderMap) {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).expect("a host");
    assert!(HOSTS.contains(&name_of(host).as_str()), "admits the host {host}");
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().expect("a text").trim();
        let host = origin.split_once("://").map_or("", |(_, host)| host).split(['/', '?', '#']).next();
        assert!(HOSTS.contains(&name_of(host.unwrap_or_default()).as_str()), "admits the origin {origin}");
    }
}

/// Returns the name in an authority without its user and port.
fn name_of(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next(),
        None => host.split(':').next(),
    };
    name.unwrap_or_default().to_ascii_lowercase()
}

/// Checks that the head repeats what the body of a request is about.
fn check_repeated(headers: &HeaderMap, method: &str, body: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(body) else { return };
    let params = &message["params"];
    let subject = match method {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" => params["uri"].as_str(),
        _ => None,
    };
    if let Some(subject) = subject {
        assert_eq!(single(headers, "mcp-name").as_deref(), Some(subject), "the name is not repeated");
    }
    if method == "tools/call" && subject == Some("region") {
        let region = params["arguments"]["region"].as_str();
        assert_eq!(single(headers, "mcp-param-region").as_deref(), region, "the argument is not repeated");
    }
}

/// Returns the only value of a header, decoded.
fn single(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let value = value.to_str().ok()?;
    let encoded = value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(BASE64.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// Returns all values of a header, in lower case.
fn joined(headers: &HeaderMap, name: HeaderName) -> String {
    let values: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    values.join(",").trim().to_ascii_lowercase()
}
