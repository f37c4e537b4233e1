//! A client of the router, and what it receives.

use std::cell::Cell;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::json_rpc::error_code;
use crate::tools::{self, SECRET, TOOLS};

/// The version that needs no session.
pub(crate) const MODERN: &str = "2026-07-28";

/// The version of the sessions.
pub(crate) const LEGACY: &str = "2025-11-25";

/// Under libFuzzer a good call follows one of so many inputs.
const CHECKED: u32 = 64;

/// How long every tool has ended after. The clock is paused: it advances when nothing else is to do.
const LONGEST: Duration = Duration::from_secs(10);

/// Two servers that answer every input of a thread, on a runtime whose clock is paused.
pub(crate) struct Fixture {
    pub(crate) runtime: Runtime,
    plain: Router,
    paged: Router,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime without input and output");
        let _entered = runtime.enter();
        let router = |is_paged| tools::server(is_paged).into_axum_router().expect("the server is valid");
        let (plain, paged) = (router(false), router(true));
        drop(_entered);
        Fixture { runtime, plain, paged }
    }

    /// Returns a client of one of the servers.
    pub(crate) fn client(&self, is_paged: bool) -> Client {
        Client(if is_paged { self.paged.clone() } else { self.plain.clone() })
    }
}

/// A client of a router.
#[derive(Clone)]
pub(crate) struct Client(Router);

impl Client {
    /// Sends a request, and returns its answer with a body that is still to be read.
    pub(crate) async fn send(&self, method: Method, headers: HeaderMap, body: Vec<u8>) -> Response<Body> {
        let mut request = Request::new(Body::from(body));
        (*request.method_mut(), *request.headers_mut()) = (method, headers);
        let answer = timeout(LONGEST, self.0.clone().oneshot(request)).await;
        let answer = answer.unwrap_or_else(|_| panic!("no answer"));
        answer.unwrap_or_else(|never| match never {})
    }

    /// Sends a message with these headers besides those that every request has.
    pub(crate) async fn post(&self, headers: &[(&'static str, &str)], body: String) -> Response<Body> {
        self.send(Method::POST, with_defaults(headers), body.into_bytes()).await
    }

    /// Opens a session with a client that can answer forms, and returns its identifier.
    pub(crate) async fn open_session(&self) -> String {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": {"elicitation": {}, "sampling": {}},
            "clientInfo": {"name": "fuzz", "version": "1"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let opened = self.post(&[], body.to_string()).await;
        let session = opened.headers().get("mcp-session-id").and_then(|id| id.to_str().ok());
        let session = session.expect("`initialize` opens a session").to_owned();
        let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = self.post(&[("mcp-session-id", &session)], body.to_string()).await;
        assert_eq!(answer.status(), StatusCode::ACCEPTED);
        session
    }

    pub(crate) async fn close_session(&self, session: &str) {
        let headers = with_defaults(&[("mcp-session-id", session)]);
        self.send(Method::DELETE, headers, Vec::new()).await;
    }

    /// Calls a tool, and checks that the answer is right: after every input of a corpus, and under libFuzzer now and then.
    pub(crate) async fn assert_serves(&self) {
        thread_local! {
            static INPUTS: Cell<u32> = const { Cell::new(0) };
        }
        let inputs = INPUTS.replace(INPUTS.get().wrapping_add(1));
        if cfg!(fuzzing) && !inputs.is_multiple_of(CHECKED) {
            return;
        }
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "add")];
        let answer = self.post(&headers, good_call(&json!("good"))).await;
        let answer = Received::read(answer, LONGEST).await;
        assert_eq!(answer.status, StatusCode::OK);
        let message: Value = serde_json::from_slice(&answer.content).expect("the answer is JSON");
        assert_good_answer(&message, &json!("good"));
    }
}

/// Returns a call that needs no session.
pub(crate) fn good_call(id: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// Checks the answer to a good call.
pub(crate) fn assert_good_answer(message: &Value, id: &Value) {
    assert_eq!(&message["id"], id, "{message}");
    assert_eq!(message["result"]["structuredContent"]["result"], 3, "a good call has failed: {message}");
}

/// Returns headers, and those of a well-behaved client that are not among them.
pub(crate) fn with_defaults(headers: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    map.insert(header::HOST, HeaderValue::from_static("localhost"));
    map.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    map.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            map.insert(*name, value);
        }
    }
    map
}

/// An answer, as far as it was read.
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) content: Vec<u8>,
    /// Whether the body has ended.
    pub(crate) has_ended: bool,
    body: Option<Body>,
}

impl Received {
    /// Reads a body until it ends, or until nothing has come for some time.
    pub(crate) async fn read(answer: Response<Body>, patience: Duration) -> Self {
        let (head, body) = answer.into_parts();
        let (status, headers) = (head.status, head.headers);
        let mut received =
            Received { status, headers, content: Vec::new(), has_ended: false, body: Some(body) };
        received.read_on(patience).await;
        received
    }

    /// Reads the rest of the body, if there is any, in the same way.
    pub(crate) async fn read_on(&mut self, patience: Duration) {
        let Some(body) = &mut self.body else { return };
        let mut comments = 0;
        while comments < 2 {
            match next_frame(body, patience).await {
                Next::Nothing => return,
                Next::Comment => comments += 1,
                Next::Data(data) => self.content.extend_from_slice(&data),
                Next::End => {
                    (self.has_ended, self.body) = (true, None);
                    return;
                }
            }
        }
    }

    /// Reads until every tool has ended.
    pub(crate) async fn read_all(&mut self) {
        self.read_on(LONGEST).await;
    }

    fn is(&self, kind: &str) -> bool {
        self.headers.get(header::CONTENT_TYPE).is_some_and(|value| value == kind)
    }

    /// Returns whether this is a stream of events.
    pub(crate) fn is_stream(&self) -> bool {
        self.is("text/event-stream")
    }

    /// Returns the messages in the body, after a check of its form.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.content).expect("the body is UTF-8");
        assert!(!text.contains(SECRET), "tells of what is hidden: {text}");
        if text.is_empty() {
            return Vec::new();
        }
        if self.is_stream() {
            let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
            return data.filter(|data| !data.is_empty()).map(parsed).collect();
        }
        assert!(self.is("application/json"), "unexpected type of content: {:?}", self.headers);
        vec![parsed(text)]
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What comes next in a body.
pub(crate) enum Next {
    Nothing,
    /// A comment that keeps the connection alive.
    Comment,
    Data(Bytes),
    End,
}

/// Returns what comes next in a body, or [`Next::Nothing`] if nothing comes for some time.
pub(crate) async fn next_frame(body: &mut Body, patience: Duration) -> Next {
    match timeout(patience, body.frame()).await {
        Err(_) => Next::Nothing,
        Ok(None) => Next::End,
        Ok(Some(frame)) => {
            let frame = frame.unwrap_or_else(|error| panic!("the body breaks off: {error}"));
            let data = frame.into_data().unwrap_or_default();
            if data.starts_with(b":") { Next::Comment } else { Next::Data(data) }
        }
    }
}

/// Checks a message of the server, and returns the identifier of the request that it answers.
pub(crate) fn checked(message: &Value) -> Option<Option<Value>> {
    assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {message}");
    if message.get("method").is_some() {
        assert!(message["method"].is_string(), "a method without a name: {message}");
        return None;
    }
    let id = message.get("id").filter(|id| !id.is_null()).cloned();
    match message.get("result") {
        Some(result) => {
            assert!(message.get("error").is_none(), "a result and an error: {message}");
            assert!(id.is_some(), "a result for no request: {message}");
            check_listed(result);
        }
        None => {
            error_code(message);
        }
    }
    Some(id)
}

/// Checks that a list has only items that are there.
fn check_listed(result: &Value) {
    let names = |list: &str, member: &'static str| {
        let items = result.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        items.into_iter().map(move |item| item[member].as_str().unwrap_or_default().to_owned())
    };
    for name in names("tools", "name") {
        assert!(TOOLS.contains(&name.as_str()), "lists the tool `{name}`");
    }
    for name in names("prompts", "name") {
        assert_eq!(name, "letter", "lists a prompt that is not there");
    }
    let uris = names("resources", "uri").chain(names("resourceTemplates", "uriTemplate"));
    for uri in uris {
        let is_listed = ["docs://", "fixture://"].iter().any(|scheme| uri.starts_with(scheme));
        assert!(is_listed, "lists the resource `{uri}`");
    }
}

/// Runs a target with the servers of its thread.
pub(crate) fn with_fixture(run: impl AsyncFnOnce(&Fixture)) {
    thread_local! {
        static FIXTURE: Fixture = Fixture::new();
    }
    FIXTURE.with(|fixture| fixture.runtime.block_on(run(fixture)));
}
