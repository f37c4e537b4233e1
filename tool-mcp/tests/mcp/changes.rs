//! Clients are told that lists have changed.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_mcp::Changes;

use crate::support::{MODERN, PATIENCE, Served, modern_body, send};

pub(crate) const ALL: [&str; 3] = [
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
];

/// A stream of events, message by message.
pub(crate) struct Events(std::io::Lines<BufReader<TcpStream>>);

impl Events {
    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Events(BufReader::new(stream).lines())
    }

    /// The same, once the server has begun to answer: what it says from now on comes here.
    pub(crate) fn opened(stream: TcpStream) -> Self {
        let mut events = Events::of(stream);
        let status = events.0.next().unwrap().unwrap();
        assert!(status.contains(" 200 "), "{status}");
        while !events.0.next().unwrap().unwrap().is_empty() {}
        events
    }

    /// The next message; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Value> {
        // What keeps the stream alive is no message.
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
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

fn listen(served: &Served, notifications: Value) -> Events {
    let body = modern_body("subscriptions/listen", json!({"notifications": notifications})).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    let mut events = Events::of(send(served.addr, &headers, &body));
    assert_eq!(events.methods(1), ["notifications/subscriptions/acknowledged"]);
    events
}

#[test]
fn who_listens_is_told_of_what_it_wants_to_know_once_for_many_changes() {
    let changes = Changes::new();
    let served = Served::start_as(|server| server.changes(&changes));
    let discovered = served.modern("server/discover", json!({})).json();
    let lists = json!({"listChanged": true});
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"logging": {}, "completions": {}, "prompts": lists, "resources": lists, "tools": lists})
    );

    let everything =
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let mut all = listen(&served, everything);
    let mut tools = listen(&served, json!({"toolsListChanged": true}));
    for _ in 0..50 {
        changes.notify();
    }
    assert_eq!(all.methods(3), ALL);
    assert_eq!(tools.methods(1), ALL[..1]);
    changes.notify();
    // Of fifty changes one was told, and now there is another one.
    assert_eq!(all.methods(3), ALL);
    assert_eq!(tools.methods(1), ALL[..1]);

    // Whoever listens does not keep the server from ending, and is told so.
    served.stop().ended();
    let end = tools.next().unwrap();
    assert_eq!((&end["id"], &end["result"]["resultType"]), (&json!(1), &json!("complete")), "{end}");
    assert!(tools.next().is_none());
}

#[test]
fn an_older_client_is_told_on_its_stream() {
    let changes = Changes::new();
    let served = Served::start_as(|server| server.changes(&changes));
    let session = served.session();
    assert_eq!(session.opening["result"]["capabilities"]["tools"], json!({"listChanged": true}));
    let mut events = Events::of(session.stream());
    // Nobody says when the server has noted that the client is there: until then there is a change again and again.
    let told = AtomicBool::new(false);
    let methods = thread::scope(|scope| {
        scope.spawn(|| {
            while !told.load(Ordering::Relaxed) {
                changes.notify();
                thread::sleep(Duration::from_millis(20));
            }
        });
        // Whatever comes of it, the changes end.
        let methods = catch_unwind(AssertUnwindSafe(|| events.methods(3)));
        told.store(true, Ordering::Relaxed);
        methods.unwrap_or_else(|panic| resume_unwind(panic))
    });
    assert_eq!(methods, ALL);
}

#[test]
fn without_changes_there_is_nothing_to_listen_to() {
    let served = Served::start();
    let answer = served.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(answer.json()["error"]["code"], -32601);
}
