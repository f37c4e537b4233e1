//! A clock that jumps, by the library of `faketime`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use crate::memory::{read, report, stored};
use crate::process::{Gate, Protocol, Server, application, message, until};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Returns the command of the application with a clock that is ahead of ours by the seconds in a file.
fn application_with_clock(file: &Path) -> Command {
    let mut command = application(&[]);
    command.env("LD_PRELOAD", "/usr/$LIB/faketime/libfaketimeMT.so.1").env("FAKETIME_TIMESTAMP_FILE", file);
    command.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}

/// Sets how far the clock of a server is ahead of ours, in seconds.
fn set(server: &Server, file: &Path, ahead: i64) {
    // It is read at any time, so it is replaced.
    let next = file.with_extension("next");
    fs::write(&next, format!("{ahead:+}\n")).unwrap();
    fs::rename(&next, file).unwrap();
    let clock = || server.call("clock", &json!({})).value().as_i64().unwrap();
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    until("the clock of the process is another one: is `faketime` installed?", || {
        (clock() - i64::try_from(now()).unwrap() - ahead).abs() < 60
    });
}

pub(crate) fn keeps_results_when_the_clock_jumps() {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("clock"), folder.path().join("results"));
    fs::write(&file, "+0\n").unwrap();
    let server = Server::start(Protocol::Http, application_with_clock(&file).env("FAULTS_FOLDER", &results));
    let first = stored(&server, "first");
    let gate = Gate::new();
    thread::scope(|scope| {
        // Its time limit is not reached, whatever the clock says.
        let call = scope.spawn(|| server.call("wait", &gate.arguments()));
        let running = gate.running();
        for (ahead, title) in [(DAY, "a day later"), (-HOUR, "an hour earlier"), (0, "now")] {
            set(&server, &file, ahead);
            assert_eq!(read(&server, &first), report("first"), "{title}");
            let next = stored(&server, title);
            assert_eq!(read(&server, &next), report(title));
        }
        drop(running);
        assert_eq!(call.join().unwrap().status, 200);
    });
    server.process.terminate();
}

/// Answers the question of a state, and returns the response.
fn answer(server: &Server, state: &Value) -> Value {
    let mut message = message(1, "greet", &json!({}));
    message["params"]["requestState"] = state.clone();
    message["params"]["inputResponses"] = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    server.send("greet", &message).json()
}

pub(crate) fn keeps_questions_when_the_clock_jumps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clock");
    fs::write(&file, "+0\n").unwrap();
    let server = Server::start(Protocol::Mcp, &mut application_with_clock(&file));
    let question = server.call("greet", &json!({})).json();
    let state = &question["result"]["requestState"];
    assert!(state.is_string(), "{question}");
    for ahead in [-HOUR, 0] {
        set(&server, &file, ahead);
        let greeted = answer(&server, state);
        assert_eq!(greeted["result"]["content"][0]["text"], "Hello, Ada!", "{ahead} s: {greeted}");
    }
    // It has expired, since another process may have to say so by the clock alone.
    set(&server, &file, DAY);
    let expired = answer(&server, state);
    assert_eq!(expired["error"]["code"], -32602, "{expired}");
    let again = server.call("greet", &json!({})).json();
    let greeted = answer(&server, &again["result"]["requestState"]);
    assert_eq!(greeted["result"]["content"][0]["text"], "Hello, Ada!", "{greeted}");
    server.process.terminate();
}
