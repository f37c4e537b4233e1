//! Signals and processes that are killed, which need child processes.
//!
//! The child is this test binary, which runs only [`child`].

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tool_cli::App;
use tool_tasks::SqliteEngine;

use crate::registry;

/// The arguments of the child, as JSON.
const ARGUMENTS: &str = "TOOL_CLI_TEST_ARGUMENTS";

/// The file of the engine.
const DATABASE: &str = "TOOL_CLI_TEST_DATABASE";

/// The line after which all output belongs to the child.
const READY: &str = "-- ready";

/// Runs the command line of a process, where the parent asks for it.
#[test]
fn child() {
    let (Ok(arguments), Some(database)) = (env::var(ARGUMENTS), env::var_os(DATABASE)) else { return };
    let arguments: Vec<String> = serde_json::from_str(&arguments).unwrap();
    let mut stdout = std::io::stdout();
    writeln!(stdout, "\n{READY}").unwrap();
    stdout.flush().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = App::new("demo", registry::with(Arc::new(SqliteEngine::at(database))));
    let code = runtime.block_on(app.run_from(arguments));
    drop(runtime);
    std::process::exit(code.into());
}

struct Spawned {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    stderr: BufReader<std::process::ChildStderr>,
}

fn spawn(folder: &Path, arguments: &[&str]) -> Spawned {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "process::child", "--nocapture", "--test-threads", "1"])
        .env(ARGUMENTS, serde_json::to_string(&[&["demo"], arguments].concat()).unwrap())
        .env(DATABASE, folder.join("tasks.db"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while line.trim_end() != READY {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the child ended early");
    }
    Spawned { child, stdout, stderr }
}

impl Spawned {
    /// Returns the next line of stderr.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    #[cfg(unix)]
    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }

    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.stderr.read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stdout, stderr)
    }
}

/// A task that waits for this process.
struct HeldTask {
    listener: TcpListener,
    id: String,
}

impl HeldTask {
    fn detach(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (code, id, stderr) = spawn(folder, &["run", "hold", &format!("port={port}"), "--detach"]).end();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        HeldTask { listener, id: id.trim_end().to_owned() }
    }

    /// Waits until the function has begun, and returns its connection and the number of its attempt.
    fn begun(&self) -> (TcpStream, String) {
        let stream = self.listener.accept().unwrap().0;
        let mut attempt = String::new();
        BufReader::new(&stream).read_line(&mut attempt).unwrap();
        (stream, attempt.trim_end().to_owned())
    }
}

#[cfg(unix)]
#[test]
fn leaves_the_task_running_on_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let held = HeldTask::detach(folder.path());
    let worker = spawn(folder.path(), &["task", "work", "-q"]);
    let (mut stream, _) = held.begun();
    let mut waiting = spawn(folder.path(), &["task", "wait", &held.id]);
    assert_eq!(waiting.line(), "progress: 1/2 holding");
    waiting.signal("-INT");
    let (code, stdout, stderr) = waiting.end();
    assert_eq!((code, stdout.as_str()), (Some(130), ""));
    assert!(
        stderr.starts_with("error: the wait was interrupted; the task goes on: wait for it "),
        "{stderr}"
    );

    let again = spawn(folder.path(), &["task", "wait", &held.id, "-q"]);
    stream.write_all(b"done\n").unwrap();
    assert_eq!(again.end(), (Some(0), "done on attempt 1\n".to_owned(), String::new()));
    worker.signal("-TERM");
    assert_eq!(worker.end().0, Some(0));
}

#[cfg(unix)]
#[test]
fn takes_over_from_a_worker_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let held = HeldTask::detach(folder.path());
    let killed = spawn(folder.path(), &["task", "work", "-q"]);
    let (first, attempt) = held.begun();
    assert_eq!(attempt, "1");
    killed.signal("-KILL");
    assert_eq!(killed.end().0, None);
    drop(first);
    let worker = spawn(folder.path(), &["task", "work", "-q"]);
    let (mut second, attempt) = held.begun();
    assert_eq!(attempt, "2");
    second.write_all(b"done\n").unwrap();
    let waiting = spawn(folder.path(), &["task", "wait", &held.id, "-q"]);
    assert_eq!(waiting.end(), (Some(0), "done on attempt 2\n".to_owned(), String::new()));
    worker.signal("-INT");
    assert_eq!(worker.end().0, Some(0));
}

#[cfg(unix)]
#[test]
fn waits_for_running_tasks_until_a_second_signal() {
    for (aborts, expected) in [(false, Some(0)), (true, Some(130))] {
        let folder = tempfile::tempdir().unwrap();
        let held = HeldTask::detach(folder.path());
        let mut worker = spawn(folder.path(), &["task", "work"]);
        assert_eq!(worker.line(), "running tasks; interrupt to stop");
        let (mut stream, _) = held.begun();
        worker.signal("-INT");
        let waits = "waiting for the tasks that run now; interrupt again to abort them";
        assert_eq!(worker.line(), waits);
        if aborts {
            worker.signal("-TERM");
        } else {
            // A task that is created now is not begun.
            let (code, _, _) = spawn(folder.path(), &["run", "hold", "port=1", "--detach"]).end();
            assert_eq!(code, Some(0));
            stream.write_all(b"done\n").unwrap();
        }
        assert_eq!(worker.end().0, expected);
        let listed = spawn(folder.path(), &["task", "list", "--format", "json"]).end().1;
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
        let state = |position: usize| listed[position]["status"].as_str();
        let states = (state(0), state(1));
        assert_eq!(
            states,
            if aborts { (Some("working"), None) } else { (Some("working"), Some("completed")) }
        );
    }
}
