//! `serve` as a program: the test starts itself as a child process and sends signals.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tool_http::{Options, serve};

use crate::client::{exchange, request};
use crate::tools::registry;

const CHILD: &str = "TOOL_HTTP_TEST_SERVES";

struct Program(Child);

impl Program {
    /// Starts the server and reads its address from the first line.
    fn start() -> (Self, SocketAddr) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "program::serves_until_a_signal", "--nocapture"])
            .env(CHILD, "1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let program = Program(child);
        let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line:?}"));
        (program, address.trim_end().parse().unwrap())
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended already if the test passed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn serves_until_a_signal() {
    if std::env::var_os(CHILD).is_some() {
        serve(registry(), "127.0.0.1:0", Options::new().allow_execute(true)).await.unwrap();
        return;
    }
    for signal in ["-TERM", "-INT"] {
        let (mut program, address) = Program::start();
        let answer = exchange(address, &request("POST /tools/no.thing/call", &["Host: localhost"], "")).await;
        assert_eq!(answer.status, 200);
        program.signal(signal);
        assert!(program.0.wait().unwrap().success());
    }
}

#[tokio::test]
async fn ends_at_once_on_a_second_signal() {
    let (mut program, address) = Program::start();
    let mut waiting = TcpStream::connect(address).await.unwrap();
    waiting.write_all(&request("POST /tools/wait_reading/call", &["Host: localhost"], "")).await.unwrap();
    // Connections are accepted in order: once the second is served, the first is, too.
    let answer = exchange(address, &request("GET /tools", &["Host: localhost"], "")).await;
    assert_eq!(answer.status, 200);
    program.signal("-TERM");
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let first = Instant::now();
    program.signal("-TERM");
    assert!(program.0.wait().unwrap().success());
    assert!(first.elapsed() < Duration::from_secs(9), "it waited for the drain timeout of 10 seconds");
}
