//! Limits of connections over HTTP: their number, and the time of heads, bodies and reads.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::{Context, Registry, State, tool};
use tool_mcp::{Changes, Server};

use crate::changes::{EventStream, LIST_CHANGED};
use crate::support::{Answer, MODERN, TIMEOUT, TestServer, exchange, initialize, modern_body, request, send};

/// A limit that ends a test soon.
const SHORT: Duration = Duration::from_millis(200);

/// A limit that no test reaches.
const LONG: Duration = Duration::from_secs(3600);

/// The size of a report, which is larger than what a connection takes at once.
const REPORT_BYTES: usize = 256 * 1024;

pub(crate) struct Reports {
    made: AtomicUsize,
    pub(crate) dropped: Semaphore,
    pub(crate) release: Semaphore,
}

impl Default for Reports {
    fn default() -> Self {
        let none = || Semaphore::new(0);
        Reports { made: AtomicUsize::new(0), dropped: none(), release: none() }
    }
}

/// Reports for ever.
#[tool(operation = Read)]
async fn report_for_ever(#[inject] reports: State<Reports>, #[inject] cx: Context) -> String {
    struct Dropped(State<Reports>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.dropped.add_permits(1);
        }
    }
    let _dropped = Dropped(reports.clone());
    for n in 1_u64.. {
        cx.progress(n, None, &"x".repeat(REPORT_BYTES));
        reports.made.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    unreachable!("there are not that many reports before the client is sent away")
}

/// Reports, and waits until it may end.
#[tool(operation = Read)]
async fn report_and_wait(#[inject] reports: State<Reports>, #[inject] cx: Context) -> String {
    cx.progress(1, 2, "waiting");
    reports.release.acquire().await.unwrap().forget();
    "released".to_owned()
}

/// Returns a large text.
#[tool(operation = Read)]
fn large_text(
    /** How many bytes it has. */
    bytes: usize,
) -> String {
    "x".repeat(bytes)
}

pub(crate) struct Fixture {
    pub(crate) server: TestServer,
    pub(crate) reports: Arc<Reports>,
}

impl Fixture {
    pub(crate) fn start(configure: impl FnOnce(Server) -> Server) -> Self {
        let reports = Arc::<Reports>::default();
        let registry = Registry::builder()
            .tools(tool_core::tools![report_for_ever, report_and_wait, large_text])
            .shared_state(Arc::clone(&reports))
            .output_limit(64 << 20)
            .build()
            .unwrap();
        Fixture { server: TestServer::with_registry(registry, configure), reports }
    }

    /// Begins a call without reading the answer.
    fn begin(&self, tool: &str, arguments: Value, token: bool) -> TcpStream {
        let mut body = modern_body("tools/call", json!({"name": tool, "arguments": arguments}));
        if token {
            body["params"]["_meta"]["progressToken"] = json!("t");
        }
        let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", tool)];
        send(self.server.addr, &headers, &body.to_string())
    }
}

/// Connects, and sends these bytes.
fn connect(server: &TestServer, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.addr).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

/// Reads until the server closes the connection.
fn read_to_close(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "the server does not close the connection");
    }
    bytes
}

#[test]
fn row_59_times_out_slow_heads_and_idle_connections() {
    let server = TestServer::start_with(|server| server.header_timeout(SHORT));
    for head in ["", "P", "POST /mcp HTTP/1.1\r\nHost: loc", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"] {
        let answer = read_to_close(connect(&server, head.as_bytes()));
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{head}");
    }
    let body = initialize().to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = read_to_close(connect(&server, head.as_bytes()));
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn row_60_times_out_slow_bodies() {
    for server in [
        TestServer::start_with(|server| server.body_timeout(SHORT).header_timeout(LONG)),
        TestServer::mounted(|server| server.body_timeout(SHORT)),
    ] {
        for length in ["content-length: 1000000", "transfer-encoding: chunked"] {
            let head = format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\ncontent-type: application/json\r\n\
                 {length}\r\n\r\n"
            );
            let stream = connect(&server, head.as_bytes());
            // One byte after the other, for ever: that something arrives does not help.
            let mut sending = stream.try_clone().unwrap();
            let byte: &[u8] = if length.ends_with("chunked") { b"1\r\n \r\n" } else { b" " };
            let trickle = thread::spawn(move || {
                while sending.write_all(byte).is_ok() {
                    thread::sleep(Duration::from_millis(10));
                }
            });
            let answer = String::from_utf8(read_to_close(stream)).unwrap();
            assert!(answer.starts_with("HTTP/1.1 408 "), "{length}: {answer}");
            assert!(answer.contains("\r\nconnection: close\r\n"), "{length}: {answer}");
            let message =
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body did not arrive in time"}}"#;
            assert!(answer.ends_with(message), "{length}: {answer}");
            trickle.join().unwrap();
        }
    }
}

#[test]
fn rejects_an_incomplete_body() {
    let server = TestServer::start();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\ncontent-type: application/json\r\n";
    for body in ["content-length: 99\r\n\r\n{", "transfer-encoding: chunked\r\n\r\n4\r\n{"] {
        let stream = connect(&server, format!("{head}{body}").as_bytes());
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let answer = Answer::read(stream);
        assert_eq!((answer.status, &answer.json()["error"]["message"]), (400, &json!("the body broke off")));
    }
}

#[test]
fn row_61_times_out_slow_readers() {
    let bytes = 30_000_000;
    let fixture = Fixture::start(|server| server.write_timeout(SHORT).shutdown_deadline(LONG));
    let mut stream = fixture.begin("large_text", json!({"bytes": bytes}), false);
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // It waits for the answers that are being sent: that it ends means that this one is given up.
    fixture.server.stop().wait();
    let rest = read_to_close(stream).len();
    assert!(rest < bytes, "{rest}");
}

#[test]
fn row_61_cancels_the_call_of_a_client_that_stops_reading_events() {
    let fixture = Fixture::start(|server| server.write_timeout(SHORT));
    let stream = fixture.begin("report_for_ever", json!({}), true);
    fixture.server.wait_for(&fixture.reports.dropped);
    let read = read_to_close(stream);
    let text = String::from_utf8_lossy(&read);
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("notifications/progress"), "{text:.200}");
}

#[test]
fn row_61_bounds_what_waits_for_a_client_that_stops_reading_events() {
    let fixture = Fixture::start(|server| server.write_timeout(LONG));
    let stream = fixture.begin("report_for_ever", json!({}), true);
    let made = || fixture.reports.made.load(Ordering::Relaxed);
    let started = Instant::now();
    while made() < 400 && started.elapsed() < TIMEOUT {
        thread::sleep(Duration::from_millis(10));
    }
    assert!(made() >= 400, "a slow client does not stop a tool: {}", made());
    let mut events = EventStream::opened(stream);
    // The first reports were sent; of the others, the oldest were left out.
    let mut last = 0.0;
    let missing = loop {
        let progress = events.next().unwrap()["params"]["progress"].as_f64().unwrap();
        if progress > last + 1.0 {
            break progress - last - 1.0;
        }
        last = progress;
    };
    assert!(missing > 200.0, "{missing} of {} reports were left out", made());
}

#[test]
fn keeps_streams_open_beyond_the_limits() {
    let changes = Changes::new();
    let fixture = Fixture::start(|server| {
        server.header_timeout(SHORT).body_timeout(SHORT).write_timeout(SHORT).changes(&changes)
    });
    let session = fixture.server.session();
    let mut events = EventStream::opened(session.stream());
    let notifications = json!({"notifications": {"toolsListChanged": true}});
    let body = modern_body("subscriptions/listen", notifications).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    let mut subscription = EventStream::opened(send(fixture.server.addr, &headers, &body));
    assert_eq!(subscription.methods(1), ["notifications/subscriptions/acknowledged"]);
    let mut call = request(7, "tools/call", json!({"name": "report_and_wait", "arguments": {}}));
    call["params"]["_meta"]["progressToken"] = json!("t");
    let calls = [session.send(&call.to_string()), fixture.begin("report_and_wait", json!({}), true)];
    let mut calls = calls.map(EventStream::opened);
    for call in &mut calls {
        assert_eq!(call.methods(1), ["notifications/progress"]);
    }
    thread::sleep(5 * SHORT);
    changes.notify();
    let mut methods = events.methods(LIST_CHANGED.len());
    methods.sort_unstable();
    let mut expected = LIST_CHANGED;
    expected.sort_unstable();
    assert_eq!(methods, expected);
    assert_eq!(subscription.methods(1), ["notifications/tools/list_changed"]);
    fixture.reports.release.add_permits(2);
    for call in &mut calls {
        assert_eq!(call.next().unwrap()["result"]["content"][0]["text"], "released");
        assert_eq!(call.next(), None);
    }
}

#[test]
fn row_64_rejects_connections_over_the_limit() {
    // Whoever says nothing is not sent away by time alone.
    let changes = Changes::new();
    let server =
        TestServer::start_with(|server| server.max_connections(50).header_timeout(LONG).changes(&changes));
    let session = server.session();
    let mut events = EventStream::opened(session.stream());
    // They are accepted in their order, and none of them says anything.
    let mut idle: Vec<TcpStream> = (0..200).map(|_| connect(&server, b"")).collect();
    let ping = request(1, "ping", json!({})).to_string();
    for line in ["POST /mcp", "GET /mcp", "POST /other"] {
        let answer = exchange(server.addr, line, &[], &ping);
        assert_eq!((answer.status, answer.header("connection")), (503, Some("close")), "{line}");
        assert_eq!(answer.header("retry-after"), Some("1"), "{line}");
        let error = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "too many connections"}});
        assert_eq!(answer.json(), error, "{line}");
    }
    // Those that wait to be told make room for others.
    for mut stream in idle.split_off(60).into_iter().take(50) {
        assert_eq!(stream.read(&mut [0]).map_err(|error| error.kind()).unwrap_or(0), 0);
    }
    // The stream that was there before is served, and a request on a connection that is free again.
    changes.notify();
    assert!(LIST_CHANGED.contains(&&*events.methods(1)[0]));
    drop(idle);
    let started = Instant::now();
    while server.post(&[], &initialize().to_string()).status != 200 {
        assert!(started.elapsed() < TIMEOUT, "no connection is free again");
    }
}

#[test]
fn accepts_limits_that_are_never_reached() {
    let server = TestServer::start_with(|server| {
        server
            .header_timeout(Duration::MAX)
            .body_timeout(Duration::MAX)
            .write_timeout(Duration::MAX)
            .max_connections(usize::MAX)
    });
    assert_eq!(server.post(&[], &initialize().to_string()).status, 200);
    let error = exchange(server.addr, "DELETE /mcp", &[], "").json()["error"]["message"].clone();
    assert_eq!(error, "Session ID is required");
}
