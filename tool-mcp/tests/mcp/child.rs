//! A server in a child process: this test binary again.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Starts this binary with one test, which serves over stdio if `variable` is set.
pub(crate) fn start_server(
    test: &str,
    variable: &str,
    value: impl AsRef<OsStr>,
) -> (Child, ChildStdin, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(variable, value)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    // The test harness writes two lines before the server starts.
    let preamble: Vec<_> = output.by_ref().take(2).map(Result::unwrap).collect();
    assert_eq!(preamble, ["", "running 1 test"]);
    let input = child.stdin.take().unwrap();
    (child, input, output)
}
