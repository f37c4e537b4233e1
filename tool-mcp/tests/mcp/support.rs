//! A server in this process, and an HTTP client that sends raw requests.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::Registry;
use tool_core::provider::Provider;
use tool_mcp::{ServeError, Server};

use crate::tools::{self, Events};

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// How long a test waits for anything before it fails.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A server with the tools of the fixture, on a free port.
pub(crate) struct TestServer {
    pub(crate) addr: SocketAddr,
    pub(crate) events: Arc<Events>,
    pub(crate) registry: Registry,
    runtime: Runtime,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ServeError>>,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        TestServer::start_with(|server| server)
    }

    pub(crate) fn start_with(configure: impl FnOnce(Server) -> Server) -> Self {
        let events = Arc::new(Events::default());
        TestServer::with_events(tools::registry(Arc::clone(&events)), events, configure)
    }

    /// Serves another registry.
    pub(crate) fn with_registry(registry: Registry, configure: impl FnOnce(Server) -> Server) -> Self {
        TestServer::with_events(registry, Arc::default(), configure)
    }

    /// Serves the tools of a provider.
    pub(crate) fn with_provider(provider: Provider, configure: impl FnOnce(Server) -> Server) -> Self {
        let registry = Registry::builder().allow_empty().build().unwrap();
        TestServer::launch(Server::new(provider), registry, Arc::default(), configure)
    }

    fn with_events(
        registry: Registry,
        events: Arc<Events>,
        configure: impl FnOnce(Server) -> Server,
    ) -> Self {
        TestServer::launch(Server::new(registry.clone()), registry, events, configure)
    }

    fn launch(
        server: Server,
        registry: Registry,
        events: Arc<Events>,
        configure: impl FnOnce(Server) -> Server,
    ) -> Self {
        let server = server.name("fixture").title("Fixture").version("1.0.0");
        let runtime = Runtime::new().unwrap();
        let http = runtime.block_on(configure(server).serve_http("127.0.0.1:0")).unwrap();
        let addr = http.local_addr();
        let stop = CancellationToken::new();
        let running = runtime.spawn(http.run_until(stop.clone().cancelled_owned()));
        TestServer { addr, events, registry, runtime, stop, running }
    }

    /// Serves the fixture as a router nested in an axum application.
    pub(crate) fn mounted(configure: impl FnOnce(Server) -> Server) -> Self {
        let (events, stop, runtime) =
            (Arc::<Events>::default(), CancellationToken::new(), Runtime::new().unwrap());
        let registry = tools::registry(Arc::clone(&events));
        let server = configure(Server::new(registry.clone()).name("fixture").version("1.0.0"));
        let mcp = server.into_axum_router_until(stop.clone().cancelled_owned()).unwrap();
        let app = Router::new().route("/", get(async || "the application")).nest_service("/mcp", mcp);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let addr = listener.local_addr().unwrap();
        let serving = axum::serve(listener, app).with_graceful_shutdown(stop.clone().cancelled_owned());
        let running = runtime.spawn(async { serving.await.map_err(ServeError::Http) });
        TestServer { addr, events, registry, runtime, stop, running }
    }

    /// Waits until a tool adds a permit to `event`.
    pub(crate) fn wait_for(&self, event: &Semaphore) {
        let permit = self.runtime.block_on(async { tokio::time::timeout(TIMEOUT, event.acquire()).await });
        permit.expect("the event does not happen").unwrap().forget();
    }

    /// Starts the shutdown.
    pub(crate) fn stop(self) -> Stopping {
        self.stop.cancel();
        Stopping { runtime: self.runtime, running: self.running }
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        post(self.addr, headers, body)
    }

    /// Sends a request of 2026-07-28 with its mandatory headers.
    pub(crate) fn request_modern(&self, method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().or(params["uri"].as_str()).map(encode_header);
        let body = modern_body(method, params).to_string();
        let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
        headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
        self.post(&headers, &body)
    }

    pub(crate) fn call_modern(&self, name: &str, arguments: Value) -> Value {
        let answer = self.request_modern("tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Opens a session, as clients up to 2025-11-25 do.
    pub(crate) fn session(&self) -> Session<'_> {
        self.session_with(json!({}))
    }

    /// Opens a session with these client capabilities.
    pub(crate) fn session_with(&self, capabilities: Value) -> Session<'_> {
        let answer = self.post(&[], &initialize_with(capabilities).to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        let session = Session { server: self, id, initialize_answer: answer.message() };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(&initialized.to_string()).status, 202);
        session
    }
}

/// A server that is shutting down.
pub(crate) struct Stopping {
    runtime: Runtime,
    running: JoinHandle<Result<(), ServeError>>,
}

impl Stopping {
    pub(crate) fn wait(self) {
        let ended = self.runtime.block_on(async { tokio::time::timeout(TIMEOUT, self.running).await });
        ended.expect("the server does not stop").unwrap().unwrap();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.running.is_finished()
    }
}

pub(crate) struct Session<'s> {
    server: &'s TestServer,
    pub(crate) id: String,
    /// The answer to `initialize`.
    pub(crate) initialize_answer: Value,
}

impl Session<'_> {
    pub(crate) fn post(&self, body: &str) -> Answer {
        self.server.post(&[("mcp-session-id", &self.id), ("mcp-protocol-version", LEGACY)], body)
    }

    /// Sends a message without waiting for the answer.
    pub(crate) fn send(&self, body: &str) -> TcpStream {
        send(self.server.addr, &[("mcp-session-id", &self.id), ("mcp-protocol-version", LEGACY)], body)
    }

    /// Deletes the session.
    pub(crate) fn delete(&self) {
        let mut stream = TcpStream::connect(self.server.addr).unwrap();
        let (host, id) = (self.server.addr, &self.id);
        let head = format!(
            "DELETE /mcp HTTP/1.1\r\nhost: {host}\r\nmcp-session-id: {id}\r\n\
             mcp-protocol-version: {LEGACY}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(Answer::read(stream).status, 204);
    }

    pub(crate) fn request(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&request(1, method, params).to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()
    }

    /// Opens the stream for messages that the server initiates.
    pub(crate) fn stream(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.server.addr).unwrap();
        let (host, id) = (self.server.addr, &self.id);
        let head = format!(
            "GET /mcp HTTP/1.1\r\nhost: {host}\r\naccept: text/event-stream\r\nmcp-session-id: {id}\r\n\
             mcp-protocol-version: {LEGACY}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn call(&self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }
}

/// Encodes a header value, in base64 unless it is plain ASCII.
fn encode_header(value: &str) -> String {
    use base64::Engine as _;
    let is_plain = value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && value.trim() == value;
    let base64 = || base64::engine::general_purpose::STANDARD.encode(value);
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", base64()) }
}

pub(crate) fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn initialize() -> Value {
    initialize_with(json!({}))
}

pub(crate) fn initialize_with(capabilities: Value) -> Value {
    let params = json!({
        "protocolVersion": LEGACY,
        "capabilities": capabilities,
        "clientInfo": {"name": "test", "version": "1.0.0"},
    });
    request(0, "initialize", params)
}

/// A call of a tool that does not exist.
pub(crate) fn unknown_call() -> Value {
    request(0, "tools/call", json!({"name": "nowhere"}))
}

pub(crate) fn modern_body(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(1, method, params)
}

/// Sends a POST to the endpoint without waiting for the answer.
pub(crate) fn send(addr: SocketAddr, headers: &[(&str, &str)], body: &str) -> TcpStream {
    send_to(addr, "POST /mcp", headers, body)
}

/// Sends a request, `METHOD PATH`, without waiting for the answer.
fn send_to(addr: SocketAddr, line: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut head = format!("{line} HTTP/1.1\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    let addr = addr.to_string();
    let defaults = [
        ("host", addr.as_str()),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ];
    let replaced = |name: &str| headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    for (name, value) in defaults.iter().filter(|(name, _)| !replaced(name)).chain(headers) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    stream
}

pub(crate) fn post(addr: SocketAddr, headers: &[(&str, &str)], body: &str) -> Answer {
    Answer::read(send(addr, headers, body))
}

/// Sends a request, `METHOD PATH`, and reads the answer.
pub(crate) fn exchange(addr: SocketAddr, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    Answer::read(send_to(addr, line, headers, body))
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer over HTTP");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Answer { status, head: head.to_owned(), body: body.to_owned() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = decode_chunked(body);
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.body);
        serde_json::from_str(&self.body).unwrap()
    }

    /// The messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{}", self.body);
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    /// The only message of an answer, in JSON or on a stream.
    pub(crate) fn message(&self) -> Value {
        if self.header("content-type") == Some("application/json") {
            return self.json();
        }
        let mut messages = self.events();
        assert_eq!(messages.len(), 1, "{}", self.body);
        messages.remove(0)
    }
}

fn decode_chunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text.push_str(&rest[..size]);
        body = rest[size..].strip_prefix("\r\n").unwrap();
    }
    text
}

/// Removes the members that only 2026-07-28 has from a result, and checks them.
pub(crate) fn take_modern(answer: &mut Value, server: &Value) {
    let result = answer["result"].as_object_mut().expect("a result");
    assert_eq!(result.shift_remove("resultType"), Some(json!("complete")));
    let meta = result["_meta"].as_object_mut().unwrap();
    assert_eq!(meta.shift_remove("io.modelcontextprotocol/serverInfo").as_ref(), Some(server));
    if meta.is_empty() {
        result.shift_remove("_meta");
    }
}

/// Sends a request in both eras, and checks that the answers agree. Returns the answer and, if 2026-07-28 has them,
/// its time to live and cache scope. The code of a missing resource may differ.
pub(crate) fn request_both(
    server: &TestServer,
    method: &str,
    params: &Value,
) -> (Value, Option<(u64, String)>) {
    let mut modern = server.request_modern(method, params.clone()).json();
    let mut legacy = server.session().request(method, params.clone());
    if modern.get("error").is_some() {
        if legacy["error"]["code"] == -32002 {
            legacy["error"]["code"] = json!(-32602);
        }
        assert_eq!(modern, legacy);
        return (modern, None);
    }
    take_modern(&mut modern, &json!({"name": "fixture", "title": "Fixture", "version": "1.0.0"}));
    let result = modern["result"].as_object_mut().unwrap();
    let cache = result.shift_remove("ttlMs").zip(result.shift_remove("cacheScope"));
    let cache = cache.map(|(ttl, scope)| (ttl.as_u64().unwrap(), scope.as_str().unwrap().to_owned()));
    assert_eq!(modern, legacy);
    (legacy, cache)
}

/// Removes the call identifier and the metadata of a failure from a result, and checks them.
pub(crate) fn take_call_id(answer: &mut Value) -> String {
    let meta = answer["result"]["_meta"].as_object_mut().expect("every result of a call has `_meta`");
    let id = meta.shift_remove("tool-core/callId").expect("every call has an identifier");
    let id = id.as_str().unwrap().to_owned();
    assert!(id.len() == 16 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
    let has_metadata = ["tool-core/kind", "tool-core/retryable"].map(|key| meta.shift_remove(key).is_some());
    meta.shift_remove("tool-core/reason");
    if meta.is_empty() {
        answer["result"].as_object_mut().unwrap().shift_remove("_meta");
    }
    assert_eq!(
        has_metadata,
        [answer["result"]["isError"] == true; 2],
        "a failure has a kind, and nothing else has: {answer}"
    );
    id
}
