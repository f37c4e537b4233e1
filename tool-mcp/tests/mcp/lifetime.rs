//! What becomes of calls when the client takes them back or leaves, or the server ends.

use std::io::Read as _;
use std::net::Shutdown;

use serde_json::{Value, json};
use tool_mcp::Server;

use crate::support::{Answer, LEGACY, MODERN, Served, Session, modern_body, request, send};

fn send_modern(served: &Served, tool: &str) -> std::net::TcpStream {
    let body = modern_body("tools/call", json!({"name": tool})).to_string();
    send(
        served.addr,
        &[("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)],
        &body,
    )
}

fn send_legacy(served: &Served, session: &Session<'_>, id: u32, tool: &str) -> std::net::TcpStream {
    let body = request(id, "tools/call", json!({"name": tool})).to_string();
    send(served.addr, &[("mcp-session-id", &session.id), ("mcp-protocol-version", LEGACY)], &body)
}

#[test]
fn a_client_that_leaves_drops_a_reading_tool() {
    let served = Served::start();
    let stream = send_modern(&served, "read_for_ever");
    served.wait_for(&served.events.started);
    drop(stream);
    served.wait_for(&served.events.dropped);
    assert_eq!(served.call_modern("add", json!({"a": 1}))["result"]["isError"], false);
}

#[test]
fn a_client_that_leaves_does_not_halve_a_write() {
    let served = Served::start();
    let stream = send_modern(&served, "write_slowly");
    served.wait_for(&served.events.started);
    drop(stream);
    served.wait_for(&served.events.left);
    served.events.release.add_permits(1);
    served.wait_for(&served.events.written);
}

#[test]
fn a_client_that_has_said_all_is_answered() {
    let served = Served::start();
    let session = served.session();
    let text = json!([{"type": "text", "text": "written"}]);
    for id in 0..30 {
        // The answer to the second one is a stream.
        let streams =
            [send_modern(&served, "write_slowly"), send_legacy(&served, &session, id, "write_slowly")];
        for stream in &streams {
            stream.shutdown(Shutdown::Write).unwrap();
            served.wait_for(&served.events.started);
        }
        served.events.release.add_permits(2);
        for stream in streams {
            assert_eq!(Answer::read(stream).message()["result"]["content"], text);
        }
    }
}

#[test]
fn a_client_that_leaves_after_it_has_said_all_drops_a_reading_tool() {
    let served = Served::start();
    let mut stream = send_modern(&served, "read_for_ever");
    stream.shutdown(Shutdown::Write).unwrap();
    served.wait_for(&served.events.started);
    // The server looks whether anybody is still there.
    stream.read_exact(&mut [0]).unwrap();
    drop(stream);
    served.wait_for(&served.events.dropped);
}

#[test]
fn a_session_takes_a_call_back() {
    let served = Served::start();
    let session = served.session();
    let _stream = send_legacy(&served, &session, 7, "read_for_ever");
    served.wait_for(&served.events.started);
    let cancel = |id: Value| {
        let params = json!({"requestId": id, "reason": "enough"});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
    };
    // Unknown, and twice: neither is an error.
    for id in [json!(99), json!(7), json!(7)] {
        assert_eq!(session.post(&cancel(id)).status, 202);
    }
    served.wait_for(&served.events.dropped);
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false);
}

type Host = fn(fn(Server) -> Server) -> Served;

/// A server of its own, and a router that axum serves.
const HOSTS: [Host; 2] = [Served::start_as, Served::mounted];

#[test]
fn the_end_of_the_server_waits_for_answers() {
    for serve in HOSTS {
        let served = serve(|server| server);
        let session = served.session();
        let legacy = send_legacy(&served, &session, 7, "write_slowly");
        served.wait_for(&served.events.started);
        let modern = send_modern(&served, "write_slowly");
        served.wait_for(&served.events.started);

        let events = std::sync::Arc::clone(&served.events);
        let addr = served.addr;
        let stopping = served.stop();
        // The listener is gone as soon as the server begins to end.
        while std::net::TcpStream::connect(addr).is_ok() {
            std::thread::yield_now();
        }
        assert!(!stopping.has_ended());
        events.release.add_permits(2);
        let text = json!([{"type": "text", "text": "written"}]);
        assert_eq!(Answer::read(modern).json()["result"]["content"], text);
        assert_eq!(Answer::read(legacy).message()["result"]["content"], text);
        stopping.ended();
    }
}

#[test]
fn the_end_of_the_server_waits_no_longer_than_it_may() {
    for serve in HOSTS {
        let served = serve(|server| server.shutdown_deadline(std::time::Duration::ZERO));
        let session = served.session();
        let _reading = send_modern(&served, "read_for_ever");
        let _legacy = send_legacy(&served, &session, 7, "read_for_ever");
        served.wait_for(&served.events.started);
        served.wait_for(&served.events.started);
        served.stop().ended();
    }
}

#[test]
fn a_server_that_may_take_for_ever_ends_all_the_same() {
    for serve in HOSTS {
        let served = serve(|server| server.shutdown_deadline(std::time::Duration::MAX));
        let _session = served.session();
        served.stop().ended();
    }
}

#[test]
fn an_open_stream_of_an_older_client_does_not_hold_the_server() {
    for serve in HOSTS {
        // Only the end of the stream can end the server.
        let served = serve(|server| server.shutdown_deadline(std::time::Duration::MAX));
        let session = served.session();
        let mut stream = session.stream();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        served.stop().ended();
    }
}

#[test]
fn a_router_that_nobody_asked_anything_ends_too() {
    Served::mounted(|server| server).stop().ended();
}

#[test]
fn the_router_nests_under_any_prefix() {
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
