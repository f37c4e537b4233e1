//! Processes that are stopped, and pipes that are full or closed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::memory::{path, read};
use crate::process::{Gate, Process, Protocol, Server, application, message, until, with_results};

pub(crate) fn answers_after_a_stop() {
    for protocol in [Protocol::Http, Protocol::Mcp] {
        let server = Server::start(protocol, &mut application(&[]));
        let gate = Gate::new();
        thread::scope(|scope| {
            let before = scope.spawn(|| server.call("wait", &gate.arguments()));
            let running = gate.running();
            server.process.stop();
            // The system accepts its connection, and it waits.
            let mut stream = server.connect();
            let (head, body) = server.request("echo", &json!({"text": "while stopped"}));
            stream.write_all((head + &body).as_bytes()).unwrap();
            drop(running);
            server.process.signal("CONT");
            let during = crate::process::Response::read(&mut stream).unwrap();
            assert_eq!((during.status, during.value()), (200, json!("while stopped")));
            assert_eq!(before.join().unwrap().status, 200);
        });
        server.assert_answers();
        server.process.terminate();
    }
}

pub(crate) fn answers_others_while_a_client_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let server = with_results(folder.path(), &[]);
    // 20 MB, which no buffer of the system takes.
    let lines = 1_000_000;
    let preview = server.call("report", &json!({"lines": lines, "title": "long line"})).json();
    let path = path(&preview).unwrap();
    let mut stream = server.connect();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut client = Command::new("sh");
    client.args(["-c", "kill -STOP $$; exec wc -c"]).stdin(OwnedFd::from(stream)).stdout(Stdio::piped());
    let mut client = Process(client.spawn().unwrap());
    client.until_stopped();
    let before = server.process.peak_memory();
    for _ in 0..50 {
        server.assert_answers();
    }
    let grown = server.process.peak_memory() - before;
    assert!(grown < 8, "{grown} MiB more while a client does not read");
    client.signal("CONT");
    assert!(client.wait().success());
    let count = std::io::read_to_string(client.0.stdout.take().unwrap()).unwrap();
    let whole = read(&server, &path).len();
    assert!(
        whole == 21 * lines as usize && count.trim().parse::<usize>().unwrap() > whole,
        "{count} of {whole}"
    );
    server.process.terminate();
}

/// Starts a server on stdio.
fn on_stdio(log: Stdio) -> Process {
    let mut command = application(&[]);
    command.args(["serve", "mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
    Process(command.spawn().unwrap())
}

/// The number of calls whose answers fill a pipe, and the length of each text.
const CALLS: u32 = 500;
const TEXT: usize = 40_000;

pub(crate) fn answers_all_after_a_full_pipe() {
    let mut server = on_stdio(Stdio::null());
    let (mut input, output) = (server.0.stdin.take().unwrap(), server.0.stdout.take().unwrap());
    let text = "x".repeat(TEXT);
    let answered: BTreeSet<u64> = thread::scope(|scope| {
        let text = &text;
        let writing = scope.spawn(move || {
            for id in 0..CALLS {
                writeln!(input, "{}", message(id, "echo", &json!({"text": text}))).unwrap();
            }
            input
        });
        // The server waits, since nobody reads.
        until_idle(&server);
        let mut lines = BufReader::new(output).lines();
        let answers = lines.by_ref().take(CALLS as usize).map(|line| {
            let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
            assert_eq!(answer["result"]["content"][0]["text"].as_str().map(str::len), Some(TEXT));
            answer["id"].as_u64().unwrap()
        });
        let answered = answers.collect();
        drop(writing.join().unwrap());
        assert!(lines.next().is_none());
        answered
    });
    assert_eq!(answered.len(), CALLS as usize);
    assert!(server.wait().success());
}

pub(crate) fn ends_by_itself_when_its_client_is_gone() {
    let mut server = on_stdio(Stdio::null());
    drop(server.0.stdout.take());
    let mut input = server.0.stdin.take().unwrap();
    // The first answer finds the pipe closed.
    let _ = writeln!(input, "{}", message(1, "echo", &json!({"text": "hello"})));
    let status = server.wait();
    assert_eq!(status.signal(), None, "SIGPIPE ends it");
    drop(input);
}

pub(crate) fn answers_when_nobody_reads_its_log() {
    for protocol in [Protocol::Http, Protocol::Mcp] {
        let (server, log) = Server::start_unread(protocol, &mut application(&[]));
        drop(log);
        for _ in 0..3 {
            let failed = server.call("explode", &json!({}));
            assert!(failed.body.contains("internal error"), "{failed:?}");
            server.assert_answers();
        }
        server.process.terminate();
    }
}

/// How many clients make how many calls that are logged, which fills the pipe of the log.
const LOGGING_CLIENTS: usize = 8;
const LOGGED_CALLS: usize = 100;

pub(crate) fn goes_on_once_its_log_is_read() {
    let (server, mut log) = Server::start_unread(Protocol::Http, &mut application(&[]));
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..LOGGING_CLIENTS {
            scope.spawn(|| {
                for _ in 0..LOGGED_CALLS {
                    let failed = server.call("explode", &json!({}));
                    assert!(failed.body.contains("internal error"), "{failed:?}");
                    answered.fetch_add(1, Relaxed);
                }
            });
        }
        until_idle(&server.process);
        let before = answered.load(Relaxed);
        assert!(before < LOGGING_CLIENTS * LOGGED_CALLS, "the pipe of the log is not full");
        scope.spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        until("all calls are answered", || answered.load(Relaxed) == LOGGING_CLIENTS * LOGGED_CALLS);
        server.assert_answers();
        server.process.signal("TERM");
    });
}

/// Waits until a process uses no more time.
fn until_idle(process: &Process) {
    let mut ticks = None;
    until("the process waits", || {
        thread::sleep(Duration::from_millis(300));
        let now = Some(process.ticks());
        std::mem::replace(&mut ticks, now) == now
    });
}
