//! Closed pipes and signals, which need a child process.
//!
//! The child is this test binary, which runs only [`child`].

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use tool_cli::Server;

use crate::registry::app;

/// The arguments of the child, as JSON.
const ARGUMENTS: &str = "TOOL_CLI_TEST_ARGUMENTS";

/// The line after which all output belongs to the child.
const READY: &str = "-- ready";

/// Runs the command line of a process, where the parent asks for it.
#[test]
fn child() {
    let Ok(arguments) = env::var(ARGUMENTS) else { return };
    let arguments: Vec<String> = serde_json::from_str(&arguments).unwrap();
    let mut stdout = std::io::stdout();
    writeln!(stdout, "\n{READY}").unwrap();
    stdout.flush().unwrap();
    std::io::stdin().read_exact(&mut [0]).unwrap();

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = Server::new(async |options| {
        // Blocks like a server on stdio, until a byte arrives.
        tokio::task::spawn_blocking(|| std::io::stdin().read_exact(&mut [0]));
        options.listening(([127, 0, 0, 1], 1).into());
        options.shutdown().await;
        Ok(())
    });
    let stubborn = Server::new(async |options| {
        options.listening(([127, 0, 0, 1], 1).into());
        options.shutdown().await;
        options.listening(([127, 0, 0, 1], 2).into());
        std::future::pending().await
    });
    let code =
        runtime.block_on(app().server("stdio", server).server("stubborn", stubborn).run_from(arguments));
    drop(runtime);
    std::process::exit(code.into());
}

struct Spawned {
    child: Child,
    stdin: ChildStdin,
    /// Closed by taking it.
    stdout: Option<BufReader<ChildStdout>>,
}

/// Starts a child and waits for the output of its test harness.
fn spawn(arguments: &[&str]) -> Spawned {
    spawn_in(arguments, &[])
}

/// Like [`spawn`], with these environment variables.
fn spawn_in(arguments: &[&str], variables: &[(&str, &str)]) -> Spawned {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "process::child", "--nocapture", "--test-threads", "1"])
        .env(ARGUMENTS, serde_json::to_string(arguments).unwrap())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut line = String::new();
    while line.trim_end() != READY {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the child ended early");
    }
    Spawned { child, stdin, stdout: Some(stdout) }
}

impl Spawned {
    fn go(&mut self) {
        self.stdin.write_all(b"\n").unwrap();
    }

    fn read_all(&mut self) -> String {
        let mut text = String::new();
        self.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn end(mut self) -> (ExitStatus, String) {
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap(), stderr)
    }
}

#[test]
fn prints_the_result() {
    let mut spawned = spawn(&["demo", "run", "add", "a=1", "b=2"]);
    spawned.go();
    assert_eq!(spawned.read_all(), "3\n");
    let (status, stderr) = spawned.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn row_114_follows_color_variables() {
    for (variables, coloured) in [
        (&[][..], false),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[("TERM", "dumb")], false),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], true),
    ] {
        for command in ["list", "--help"] {
            let mut spawned = spawn_in(&["demo", command], variables);
            spawned.go();
            assert_eq!(spawned.read_all().contains('\u{1b}'), coloured, "{variables:?} {command}");
            assert_eq!(spawned.end().0.code(), Some(0));
        }
    }
}

#[test]
fn row_114_follows_the_columns_variable() {
    for (columns, widest) in [("20", 20), ("80", 80), ("400", 400)] {
        for arguments in [&["demo", "list"][..], &["demo", "list", "--operation", "transform"]] {
            let mut spawned = spawn_in(arguments, &[("COLUMNS", columns)]);
            spawned.go();
            let page = spawned.read_all();
            assert!(page.lines().all(|line| line.chars().count() <= widest), "{columns}\n{page}");
            assert_eq!(spawned.end().0.code(), Some(0));
        }
    }
    let mut spawned = spawn_in(&["demo", "info", "parts"], &[("COLUMNS", "20")]);
    spawned.go();
    let page = spawned.read_all();
    let copied = |line: &str| ["Source", "Digest", "Example"].iter().any(|name| line.starts_with(name));
    assert!(page.lines().all(|line| copied(line) || line.chars().count() <= 20), "{page}");
    assert!(page.contains("Operation\n  transform:\n"), "{page}");
    assert!(page.lines().any(|line| line.starts_with("Digest") && line.len() > 70), "{page}");
    assert_eq!(spawned.end().0.code(), Some(0));
    for columns in ["20", "400", "0", "x", "99999"] {
        let mut spawned = spawn_in(&["demo", "run", "parts", "--help"], &[("COLUMNS", columns)]);
        spawned.go();
        assert!(spawned.read_all().contains("--sky"), "{columns}");
        assert_eq!(spawned.end().0.code(), Some(0));
    }
    let mut spawned = spawn_in(&["demo", "list"], &[("COLUMNS", "400")]);
    spawned.go();
    // Short text stays on one line.
    assert_eq!(spawned.read_all().lines().filter(|line| line.starts_with("nothing ")).count(), 1);
    assert_eq!(spawned.end().0.code(), Some(0));
}

#[test]
fn row_113_ignores_a_closed_pipe() {
    for arguments in
        [&["demo", "list"][..], &["demo", "--help"], &["demo", "run", "add", "a=1", "--format", "json"]]
    {
        let mut spawned = spawn(arguments);
        drop(spawned.stdout.take());
        spawned.go();
        let (status, stderr) = spawned.end();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Starts a child, and sends it one of these signals after each of these lines of its stderr.
#[cfg(unix)]
fn signalled(arguments: &[&str], signals: &[&str], lines: &[&str]) -> Option<i32> {
    let mut spawned = spawn(arguments);
    spawned.go();
    let mut stderr = BufReader::new(spawned.child.stderr.take().unwrap());
    for (signal, expected) in signals.iter().zip(lines) {
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), *expected);
        let kill = Command::new("kill").args([*signal, &spawned.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
    }
    spawned.child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn shuts_down_a_server_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let code = signalled(&["demo", "serve", "stdio"], &[signal], &["listening on http://127.0.0.1:1"]);
        assert_eq!(code, Some(0), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn ends_at_once_on_a_second_signal() {
    let lines = ["listening on http://127.0.0.1:1", "listening on http://127.0.0.1:2"];
    for (first, second) in [("-INT", "-INT"), ("-INT", "-TERM"), ("-TERM", "-INT")] {
        let code = signalled(&["demo", "serve", "stubborn"], &[first, second], &lines);
        assert_eq!(code, Some(130), "{first} {second}");
    }
}

#[cfg(unix)]
#[test]
fn interrupts_blocking_calls() {
    assert_eq!(signalled(&["demo", "run", "stuck"], &["-INT"], &["begun"]), Some(130));
}

#[cfg(unix)]
#[test]
fn row_121_waits_for_modifying_calls_until_a_second_signal() {
    let runs_on = "`labour` modifies data and is allowed to finish; interrupt again to abort it";
    assert_eq!(signalled(&["demo", "run", "labour"], &["-INT", "-INT"], &["begun", runs_on]), Some(130));
}

#[test]
fn exits_on_timeout_of_blocking_calls() {
    // Long enough for the tool to start, even on a busy machine.
    let mut spawned = spawn(&["demo", "run", "stuck", "--timeout", "2s"]);
    spawned.go();
    let (status, stderr) = spawned.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(6), "begun\nerror: `stuck` did not end within 2s\n"));
}
