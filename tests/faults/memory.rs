//! Memory that is exhausted.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::process::{Gate, Protocol, Response, Server, application, until, with_results};

/// How many clients send a body at once, and its length in bytes.
const CLIENTS: usize = 200;
const BODY: usize = 4_000_000;

/// The memory that the server may use, in mebibytes. All bodies are 763.
const MOST_MEMORY: u64 = 256;

/// The signal of a process that aborts.
const SIGABRT: i32 = 6;

/// Sends a body up to its last byte, waits for the other clients, and then sends it.
fn send_with_others(server: &Server, (head, body): &(String, String), others: &Barrier) -> Response {
    let mut stream = server.connect();
    let (most, last) = body.as_bytes().split_at(body.len() - 1);
    // A server that has refused it need not read it.
    let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(most));
    others.wait();
    let _ = sent.and_then(|()| stream.write_all(last));
    Response::read(&mut stream).expect("a response")
}

pub(crate) fn bounds_the_memory_of_bodies(protocol: Protocol) {
    let server = Server::start(protocol, &mut application(&[]));
    let request = server.request("measure", &json!({"text": "x".repeat(BODY)}));
    let others = Barrier::new(CLIENTS);
    let responses: Vec<Response> = thread::scope(|scope| {
        let send = |_| scope.spawn(|| send_with_others(&server, &request, &others));
        let clients: Vec<_> = (0..CLIENTS).map(send).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let (answered, refused): (Vec<_>, Vec<_>) = responses.iter().partition(|response| response.status == 200);
    assert!(answered.iter().all(|response| response.value() == json!(BODY)));
    for Response { status, head, body } in &refused {
        assert_eq!(*status, 503, "{body}");
        assert!(head.contains("\r\nretry-after: 1\r\n"), "{head}");
    }
    let peak = server.process.peak_memory();
    assert!(peak < MOST_MEMORY, "{peak} MiB; {} answered, {} refused", answered.len(), refused.len());
    assert!(!answered.is_empty() && !refused.is_empty(), "{} answered", answered.len());
    // What was refused is accepted later.
    let last = server.call("measure", &json!({"text": "x".repeat(BODY)}));
    assert_eq!((last.status, last.value()), (200, json!(BODY)));
    server.process.terminate();
}

pub(crate) fn keeps_results_when_memory_is_exhausted() {
    let folder = tempfile::tempdir().unwrap();
    let limited = || with_results(folder.path(), &["prlimit", "--as=2147483648"]);
    let mut server = limited();
    let kept = stored(&server, "before");
    // What another client waits for is lost with the process, and its connection is closed.
    let gate = Gate::new();
    let lost = thread::scope(|scope| {
        let other = scope.spawn(|| server.call_on(&mut server.connect(), "wait", &gate.arguments()));
        let running = gate.running();
        let allocated = server.call_on(&mut server.connect(), "allocate", &json!({"mebibytes": 8192}));
        assert!(allocated.is_err(), "{allocated:?}");
        let lost = other.join().unwrap();
        drop(running);
        lost
    });
    assert!(lost.is_err(), "{lost:?}");
    assert_eq!(server.process.wait().signal(), Some(SIGABRT));

    // As a supervisor does.
    let server = limited();
    assert_eq!(read(&server, &kept), report("before"));
    let next = stored(&server, "after");
    assert_eq!(read(&server, &next), report("after"));
    server.process.terminate();
}

/// The length of a report in lines, more than is shown of it.
const LINES: u32 = 10_000;

/// Returns what the tool `report` returns.
pub(crate) fn report(title: &str) -> String {
    (0..LINES).map(|line| format!("{title} {line:>10}\n")).collect()
}

/// Calls `report`, and returns the preview of its result.
pub(crate) fn preview(server: &Server, title: &str) -> Value {
    let response = server.call("report", &json!({"lines": LINES, "title": title}));
    assert_eq!(response.status, 200, "{}", response.body);
    response.json()
}

/// Calls `report`, and returns the path of its result.
pub(crate) fn stored(server: &Server, title: &str) -> String {
    let preview = preview(server, title);
    path(&preview).unwrap_or_else(|| panic!("it is not stored: {preview}"))
}

/// Returns the path of the result in a preview, if it is stored.
pub(crate) fn path(preview: &Value) -> Option<String> {
    let text = preview.to_string();
    let (_, digest) = text.split_once("results/")?;
    Some(format!("/results/{}", &digest[..64]))
}

/// Reads a stored result.
pub(crate) fn read(server: &Server, path: &str) -> String {
    let mut stream = server.connect();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address).unwrap();
    let response = Response::read(&mut stream).unwrap();
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.body
}

/// How many connections come first, and how many follow. Each makes ten calls, of which half fail.
const FIRST_CONNECTIONS: u32 = 50;
const MORE_CONNECTIONS: u32 = 250;

/// How much memory the calls that follow may add, in mebibytes: a leak of 4 KiB a call is found.
const MOST_GROWTH: u64 = 8;

pub(crate) fn needs_no_more_for_many_calls(protocol: Protocol) {
    let server = Server::start(protocol, &mut application(&[]));
    let calls = [json!({"text": "x".repeat(2_000)}), json!({"text": 1})];
    let connect_often = |connections| {
        for _ in 0..connections {
            let mut stream = server.connect();
            for arguments in calls.iter().cycle().take(10) {
                server.call_on(&mut stream, "echo", arguments).unwrap();
            }
        }
    };
    let idle = server.process.descriptors();
    connect_often(FIRST_CONNECTIONS);
    let memory = server.process.peak_memory();
    connect_often(MORE_CONNECTIONS);
    until("all connections are closed", || server.process.descriptors() <= idle);
    let grown = server.process.peak_memory() - memory;
    assert!(grown < MOST_GROWTH, "{grown} MiB more");
    server.process.terminate();
}
