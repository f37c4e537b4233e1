//! Clients that end without a word, or ask for too much.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tool_mcp::Updates;

use crate::changes::EventStream;
use crate::limits::Fixture;
use crate::support::{LEGACY, MODERN, TIMEOUT, TestServer, exchange, initialize, modern_body, request, send};
use crate::updates::{self, updated_uri};

/// The request that a client in a process of its own sends, as JSON: address, headers and body.
const REQUEST: &str = "TOOL_MCP_CLIENT_REQUEST";

/// A client in a process of its own.
struct ClientProcess(Child);

impl ClientProcess {
    /// Starts a client, and waits until it has read the beginning of the answer.
    fn start(addr: SocketAddr, headers: &[(&str, &str)], body: &Value) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "clients::reads_until_it_is_killed", "--nocapture"])
            .env(REQUEST, json!([addr, headers, body.to_string()]).to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(
            lines.any(|line| line.unwrap().contains("notifications/progress")),
            "the client reads nothing"
        );
        ClientProcess(child)
    }

    /// Kills the client with SIGKILL.
    fn kill(mut self) {
        self.0.kill().unwrap();
        assert!(!self.0.wait().unwrap().success());
    }
}

/// The client, in a process of its own.
#[test]
fn reads_until_it_is_killed() {
    let Ok(text) = std::env::var(REQUEST) else { return };
    let (addr, headers, body): (SocketAddr, Vec<(String, String)>, String) =
        serde_json::from_str(&text).unwrap();
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let mut reader = BufReader::new(send(addr, &headers, &body));
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the answer ends");
    }
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn cancels_the_call_of_a_client_that_is_killed() {
    let fixture = Fixture::start(|server| server);
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "report_for_ever")];
    let mut body = modern_body("tools/call", json!({"name": "report_for_ever"}));
    body["params"]["_meta"]["progressToken"] = json!("t");
    let client = ClientProcess::start(fixture.server.addr, &headers, &body);
    client.kill();
    fixture.server.wait_for(&fixture.reports.dropped);
}

#[test]
fn resumes_the_call_of_a_client_that_is_killed() {
    let fixture = Fixture::start(|server| server);
    let session = fixture.server.session();
    let headers = [("mcp-session-id", &*session.id), ("mcp-protocol-version", LEGACY)];
    let params = json!({"name": "report_and_wait", "_meta": {"progressToken": "t"}});
    let client = ClientProcess::start(fixture.server.addr, &headers, &request(1, "tools/call", params));
    client.kill();
    fixture.reports.release.add_permits(1);
    // The stream of the first request in the session, from its beginning.
    let mut stream = TcpStream::connect(fixture.server.addr).unwrap();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\n\
         mcp-protocol-version: {LEGACY}\r\nlast-event-id: 0/0\r\n\r\n",
        session.id
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut events = EventStream::opened(stream);
    assert_eq!(events.next().unwrap()["method"], "notifications/progress");
    let answer = events.next().unwrap();
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "released"}]), "{answer}");
}

#[test]
fn limits_the_connections_of_subscriptions() {
    let handle = Updates::new();
    let server =
        TestServer::with_registry(updates::registry(), |server| server.updates(&handle).max_connections(30));
    let mut subscriptions: Vec<EventStream> =
        (0..30).map(|_| updates::listen(&server, &["fixture://report"], &[])).collect();
    let ping = request(1, "ping", json!({})).to_string();
    assert_eq!(exchange(server.addr, "POST /mcp", &[], &ping).status, 503);
    handle.notify("fixture://report");
    for events in &mut subscriptions {
        assert_eq!(updated_uri(events), "fixture://report");
    }
    drop(subscriptions);
    let started = Instant::now();
    while server.post(&[], &initialize().to_string()).status != 200 {
        assert!(started.elapsed() < TIMEOUT, "no connection is free again");
    }
}

#[test]
fn acknowledges_as_many_resources_as_it_watches() {
    let handle = Updates::new();
    let server = TestServer::with_registry(updates::registry(), |server| server.updates(&handle));
    let uris: Vec<String> = (0..5_000).map(|page| format!("fixture://book/{page}")).collect();
    let params = json!({"notifications": {"resourceSubscriptions": uris}});
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    let body = modern_body("subscriptions/listen", params).to_string();
    let mut events = EventStream::new(send(server.addr, &headers, &body));
    let acknowledged = events.next().unwrap();
    let watched = &acknowledged["params"]["notifications"]["resourceSubscriptions"];
    let watched = watched.as_array().unwrap();
    assert_eq!((watched.len(), watched.last().unwrap()), (1024, &json!(uris[1023])));
    handle.notify(&*uris[1024]);
    handle.notify(&*uris[1023]);
    assert_eq!(updated_uri(&mut events), uris[1023]);
}
