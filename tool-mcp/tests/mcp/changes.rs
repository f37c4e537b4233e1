//! Notifications of changed lists.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_mcp::Changes;

use crate::support::{MODERN, TIMEOUT, TestServer, modern_body, send};

pub(crate) const LIST_CHANGED: [&str; 3] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
];

/// Reads the messages of an event stream.
pub(crate) struct EventStream(std::io::Lines<BufReader<TcpStream>>);

impl EventStream {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        EventStream(BufReader::new(stream).lines())
    }

    /// Waits until the response has begun: later messages arrive on this stream.
    pub(crate) fn opened(stream: TcpStream) -> Self {
        let mut events = EventStream::new(stream);
        let status = events.0.next().unwrap().unwrap();
        assert!(status.contains(" 200 "), "{status}");
        while !events.0.next().unwrap().unwrap().is_empty() {}
        events
    }

    /// The next message; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Value> {
        // Keep-alive events have no data.
        let started = Instant::now();
        while started.elapsed() < TIMEOUT {
            let line = self.0.next()?.unwrap();
            if let Some(data) = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
        panic!("there is no message");
    }

    pub(crate) fn methods(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.next().unwrap()["method"].as_str().unwrap().to_owned()).collect()
    }
}

fn listen(server: &TestServer, notifications: Value) -> EventStream {
    let body = modern_body("subscriptions/listen", json!({"notifications": notifications})).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    let mut events = EventStream::new(send(server.addr, &headers, &body));
    assert_eq!(events.methods(1), ["notifications/subscriptions/acknowledged"]);
    events
}

#[test]
fn coalesces_changes_for_each_subscription() {
    let changes = Changes::new();
    let server = TestServer::start_with(|server| server.changes(&changes));
    let discovered = server.request_modern("server/discover", json!({})).json();
    let lists = json!({"listChanged": true});
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"logging": {}, "completions": {}, "prompts": lists, "resources": lists, "tools": lists})
    );

    let every_list =
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let mut all = listen(&server, every_list);
    let mut tools = listen(&server, json!({"toolsListChanged": true}));
    for _ in 0..50 {
        changes.notify();
    }
    assert_eq!(all.methods(3), LIST_CHANGED);
    assert_eq!(tools.methods(1), LIST_CHANGED[..1]);
    changes.notify();
    // Fifty changes gave one notification; this change is another one.
    assert_eq!(all.methods(3), LIST_CHANGED);
    assert_eq!(tools.methods(1), LIST_CHANGED[..1]);

    // A subscription does not delay the shutdown, and gets its final result.
    server.stop().wait();
    let end = tools.next().unwrap();
    assert_eq!((&end["id"], &end["result"]["resultType"]), (&json!(1), &json!("complete")), "{end}");
    assert!(tools.next().is_none());
}

#[test]
fn notifies_legacy_clients_on_their_stream() {
    let changes = Changes::new();
    let server = TestServer::start_with(|server| server.changes(&changes));
    let session = server.session();
    assert_eq!(session.initialize_answer["result"]["capabilities"]["tools"], json!({"listChanged": true}));
    let mut events = EventStream::new(session.stream());
    // The test cannot see when the server registers the stream, so it repeats the change until then.
    let notified = AtomicBool::new(false);
    let methods = thread::scope(|scope| {
        scope.spawn(|| {
            while !notified.load(Ordering::Relaxed) {
                changes.notify();
                thread::sleep(Duration::from_millis(20));
            }
        });
        // Stops the changes even after a panic.
        let methods = catch_unwind(AssertUnwindSafe(|| events.methods(3)));
        notified.store(true, Ordering::Relaxed);
        methods.unwrap_or_else(|panic| resume_unwind(panic))
    });
    assert_eq!(methods, LIST_CHANGED);
}

#[test]
fn rejects_subscriptions_without_changes() {
    let server = TestServer::start();
    let answer =
        server.request_modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(answer.json()["error"]["code"], -32601);
}
