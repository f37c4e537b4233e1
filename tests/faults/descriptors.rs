//! No file descriptor is left for a connection.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::process::{Protocol, Server, application, until};

/// How many descriptors the server may open.
const LIMIT: usize = 48;

/// What the server logs of it.
const LOGGED: &str = "cannot accept";

/// How long the server is watched, and the hundredths of a second of processor time that it may use: one that spins uses as many as
/// there are.
const WATCHED: Duration = Duration::from_secs(2);
const MOST_TICKS: u64 = 20;

pub(crate) fn waits_for_descriptors(protocol: Protocol) {
    let limit = format!("--nofile={LIMIT}:{LIMIT}");
    let server = Server::start(protocol, &mut application(&["prlimit", &limit]));
    let mut accepted = server.connect();
    let hello = json!({"text": "hello"});
    assert_eq!(server.call_on(&mut accepted, "echo", &hello).unwrap().status, 200);

    let unfinished = |_| {
        let mut stream = server.connect();
        stream.write_all(b"POST / HTTP/1.1\r\n").unwrap();
        stream
    };
    let connections: Vec<TcpStream> = (0..2 * LIMIT).map(unfinished).collect();
    until("no descriptor is left", || server.process.descriptors() >= LIMIT);
    until("the server logs it", || !server.logged(LOGGED).is_empty());
    let before = server.process.ticks();
    sleep(WATCHED);
    let used = server.process.ticks() - before;
    assert!(used < MOST_TICKS, "the server spins: {used} ticks");
    assert_eq!(server.logged(LOGGED).len(), 1, "{:?}", server.logged(LOGGED));

    // Who is connected is served.
    assert_eq!(server.call_on(&mut accepted, "echo", &hello).unwrap().status, 200);
    drop(connections);
    server.assert_answers();
    server.process.terminate();
}
