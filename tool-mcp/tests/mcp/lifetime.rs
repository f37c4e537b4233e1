//! Cancellation of calls, disconnects and shutdown.

use std::io::Read as _;
use std::net::Shutdown;

use serde_json::{Value, json};
use tool_mcp::Server;

use crate::support::{Answer, LEGACY, MODERN, Session, TestServer, modern_body, request, send};

fn send_modern(server: &TestServer, tool: &str) -> std::net::TcpStream {
    let body = modern_body("tools/call", json!({"name": tool})).to_string();
    send(
        server.addr,
        &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)],
        &body,
    )
}

fn send_legacy(server: &TestServer, session: &Session<'_>, id: u32, tool: &str) -> std::net::TcpStream {
    let body = request(id, "tools/call", json!({"name": tool})).to_string();
    send(server.addr, &[("mcp-session-id", &session.id), ("mcp-protocol-version", LEGACY)], &body)
}

#[test]
fn cancels_a_read_when_the_client_disconnects() {
    let server = TestServer::start();
    let stream = send_modern(&server, "read_for_ever");
    server.wait_for(&server.events.started);
    drop(stream);
    server.wait_for(&server.events.dropped);
    assert_eq!(server.call_modern("add", json!({"a": 1}))["result"]["isError"], false);
}

#[test]
fn finishes_a_write_when_the_client_disconnects() {
    let server = TestServer::start();
    let stream = send_modern(&server, "write_slowly");
    server.wait_for(&server.events.started);
    drop(stream);
    server.wait_for(&server.events.disconnected);
    server.events.release.add_permits(1);
    server.wait_for(&server.events.finished);
}

#[test]
fn answers_a_half_closed_client() {
    let server = TestServer::start();
    let session = server.session();
    let text = json!([{"type": "text", "text": "written"}]);
    for id in 0..30 {
        // The answer to the second one is a stream.
        let streams =
            [send_modern(&server, "write_slowly"), send_legacy(&server, &session, id, "write_slowly")];
        for stream in &streams {
            stream.shutdown(Shutdown::Write).unwrap();
            server.wait_for(&server.events.started);
        }
        server.events.release.add_permits(2);
        for stream in streams {
            assert_eq!(Answer::read(stream).message()["result"]["content"], text);
        }
    }
}

#[test]
fn cancels_a_read_of_a_disconnected_half_closed_client() {
    let server = TestServer::start();
    let mut stream = send_modern(&server, "read_for_ever");
    stream.shutdown(Shutdown::Write).unwrap();
    server.wait_for(&server.events.started);
    // The server checks whether the client is still connected.
    stream.read_exact(&mut [0]).unwrap();
    drop(stream);
    server.wait_for(&server.events.dropped);
}

#[test]
fn cancels_a_call_on_notification() {
    let server = TestServer::start();
    let session = server.session();
    let _stream = send_legacy(&server, &session, 7, "read_for_ever");
    server.wait_for(&server.events.started);
    let cancel = |id: Value| {
        let params = json!({"requestId": id, "reason": "enough"});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
    };
    // Neither an unknown id nor a repeated one is an error.
    for id in [json!(99), json!(7), json!(7)] {
        assert_eq!(session.post(&cancel(id)).status, 202);
    }
    server.wait_for(&server.events.dropped);
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false);
}

type Serve = fn(fn(Server) -> Server) -> TestServer;

/// `serve_http`, and a router that axum serves.
const SERVE: [Serve; 2] = [TestServer::start_with, TestServer::mounted];

#[test]
fn waits_for_answers_on_shutdown() {
    for serve in SERVE {
        let server = serve(|server| server);
        let session = server.session();
        let legacy = send_legacy(&server, &session, 7, "write_slowly");
        server.wait_for(&server.events.started);
        let modern = send_modern(&server, "write_slowly");
        server.wait_for(&server.events.started);

        let events = std::sync::Arc::clone(&server.events);
        let addr = server.addr;
        let stopping = server.stop();
        // The listener closes as soon as shutdown begins.
        while std::net::TcpStream::connect(addr).is_ok() {
            std::thread::yield_now();
        }
        assert!(!stopping.has_ended());
        events.release.add_permits(2);
        let text = json!([{"type": "text", "text": "written"}]);
        assert_eq!(Answer::read(modern).json()["result"]["content"], text);
        assert_eq!(Answer::read(legacy).message()["result"]["content"], text);
        stopping.wait();
    }
}

#[test]
fn limits_the_wait_on_shutdown() {
    for serve in SERVE {
        let server = serve(|server| server.shutdown_deadline(std::time::Duration::ZERO));
        let session = server.session();
        let _reading = send_modern(&server, "read_for_ever");
        let _legacy = send_legacy(&server, &session, 7, "read_for_ever");
        server.wait_for(&server.events.started);
        server.wait_for(&server.events.started);
        server.stop().wait();
    }
}

#[test]
fn shuts_down_with_an_unlimited_deadline() {
    for serve in SERVE {
        let server = serve(|server| server.shutdown_deadline(std::time::Duration::MAX));
        let _session = server.session();
        server.stop().wait();
    }
}

#[test]
fn shuts_down_with_an_open_legacy_stream() {
    for serve in SERVE {
        // Only the end of the stream can end the server.
        let server = serve(|server| server.shutdown_deadline(std::time::Duration::MAX));
        let session = server.session();
        let mut stream = session.stream();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        server.stop().wait();
    }
}

#[test]
fn shuts_down_an_unused_router() {
    TestServer::mounted(|server| server).stop().wait();
}

#[test]
fn nests_the_router_under_a_prefix() {
    let events = std::sync::Arc::default();
    let mcp = Server::new(crate::tools::registry(events)).into_axum_router().unwrap();
    let app: axum::Router = axum::Router::new().nest("/mcp", mcp);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    runtime.spawn(async { axum::serve(listener, app).await });
    let answer = crate::support::post(addr, &[], &crate::support::initialize().to_string());
    assert_eq!(answer.message()["result"]["protocolVersion"], LEGACY);
}
