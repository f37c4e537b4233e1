//! Unreadable answers: JSON that `Value` cannot hold, and messages over the size limit.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_core::FailureKind;
use tool_core::failure::Reason;
use tool_mcp::upstream::Upstream;

use crate::hostile::{self, render};
use crate::support::{Servers, servers, within};

/// Placeholders of JSON that `Value` cannot hold, and parts of the errors.
const UNREADABLE: [(&str, &str); 4] = [
    ("@lone", "hex escape"),
    ("@deep", "recursion limit exceeded"),
    ("@long", "number out of range"),
    ("@cut", "EOF while parsing"),
];

/// Serves MCP over HTTP, with answers as JSON or as events of an endless stream.
async fn serve_http(is_stream: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let router = Router::new().fallback(move |body: Bytes| async move { answer(&body, is_stream) });
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    addr
}

fn answer(request: &[u8], is_stream: bool) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(request) else { return "".into_response() };
    let text = &request["params"]["arguments"]["text"];
    let tool = |name: &str, description: &str| json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
    let mut result = match request["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        "tools/list" => {
            json!({"tools": [tool("echo", "Echoes."), tool("lone", "@lone"), tool("last", "Is last.")]})
        }
        _ => json!({"content": [{"type": "text", "text": text}]}),
    };
    for (name, value) in
        [("resultType", json!("complete")), ("ttlMs", json!(0)), ("cacheScope", json!("public"))]
    {
        result[name] = value;
    }
    let answer = render(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    if !is_stream {
        return ([(CONTENT_TYPE, "application/json")], answer).into_response();
    }
    let event = futures_util::stream::iter([Ok::<_, std::io::Error>(format!("data: {answer}\n\n"))]);
    let open = futures_util::StreamExt::chain(event, futures_util::stream::pending());
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(open)).into_response()
}

/// Servers of each transport and era.
async fn each_transport(configure: impl Fn(Upstream) -> Upstream) -> Vec<Servers> {
    let mut upstreams = vec![hostile::server("one", "modern"), hostile::server("one", "legacy")];
    for is_stream in [false, true] {
        upstreams.push(Upstream::url("one", format!("http://{}/mcp", serve_http(is_stream).await)));
    }
    upstreams.into_iter().map(|upstream| servers([configure(upstream)])).collect()
}

#[tokio::test]
async fn fails_a_call_with_an_unreadable_answer() {
    // The timeout is longer than the test waits.
    for servers in each_transport(|upstream| upstream.timeout(Duration::from_secs(600))).await {
        for (text, reason) in UNREADABLE {
            let failure = servers.call("one__echo", json!({"text": text})).await.unwrap_err();
            assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other), "{failure}");
            let expected = "server `one` answered `one__echo` with a message that cannot be read: ";
            let message = failure.message();
            assert!(message.starts_with(expected) && message.contains(reason), "{message}");
        }
        let output = servers.call("one__echo", json!({"text": "hello"})).await.unwrap();
        assert_eq!(output.value(), "hello", "the connection still works");
    }
}

#[tokio::test]
async fn skips_only_unreadable_tools() {
    for modes in ["modern unreadable", "legacy unreadable"] {
        let servers = servers([hostile::server("one", modes)]);
        assert_eq!(servers.names().await.len(), 20);
        let skipped = servers.status("one").skipped;
        for (name, (_, reason)) in ["lone", "deep", "long"].into_iter().zip(UNREADABLE) {
            let expected = format!("tool `one__{name}`: its definition cannot be read: ");
            let found = skipped.iter().find(|remark| remark.starts_with(&expected));
            assert!(found.is_some_and(|found| found.contains(reason)), "{name}: {skipped:?}");
        }
    }
    for is_stream in [false, true] {
        let servers = servers([Upstream::url("one", format!("http://{}/mcp", serve_http(is_stream).await))]);
        assert_eq!(servers.names().await, ["one__echo", "one__last"]);
        let skipped = servers.status("one").skipped;
        assert!(skipped[0].starts_with("tool `one__lone`: its definition cannot be read: "), "{skipped:?}");
    }
}

#[tokio::test]
async fn fails_only_the_call_with_an_oversized_answer() {
    for servers in each_transport(|upstream| upstream.message_limit(100_000)).await {
        let registry = servers.registry().await;
        let long = json!({"text": "x".repeat(100_000)});
        let failure = within(registry.call("one__echo", long)).await.unwrap_err();
        let expected = "server `one` answered `one__echo` with a message that cannot be read: it has more than 100000 bytes";
        assert_eq!(failure.message(), expected);
        let output = within(registry.call("one__echo", json!({"text": "hello"}))).await.unwrap();
        assert_eq!(output.value(), "hello", "the connection still works");
    }
}

/// Set in the child process that runs [`reads_a_vast_schema`].
#[cfg(target_os = "linux")]
const MEASURED: &str = "TOOL_MCP_TEST_MEASURED";

/// Not a test: the child process of the next test.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn reads_a_vast_schema() {
    if std::env::var_os(MEASURED).is_none() {
        return;
    }
    let servers = servers([hostile::server("one", "modern vast")]);
    assert_eq!(servers.names().await.len(), 20);
    let skipped = servers.status("one").skipped;
    assert!(
        skipped[0].starts_with("tool `one__vast`: its definition cannot be read: it has more than"),
        "{skipped:?}"
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak: {}", peak.trim());
}

#[cfg(target_os = "linux")]
#[test]
fn reads_a_12_mb_schema_in_bounded_memory() {
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new(program)
        .args(["--exact", "unreadable::reads_a_vast_schema", "--nocapture"])
        .env(MEASURED, "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let peak = text.lines().find_map(|line| line.split_once("peak: ")).unwrap().1;
    let kilobytes: u64 = peak.split(' ').next().unwrap().parse().unwrap();
    assert!(kilobytes < 128 * 1024, "{peak}");
}
