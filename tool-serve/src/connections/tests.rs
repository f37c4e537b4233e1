//! A client that is gone without a word: its machine lost power, or the network its route.

use std::future::pending;
use std::io::{Read as _, Write as _};
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::Frame;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::time::{Interval, interval, timeout};

use super::*;

/// Set in the process that has a network of its own.
const ISOLATED: &str = "TOOL_SERVE_ISOLATED";

const TEST: &str = "connections::tests::closes_the_connection_of_a_client_that_is_gone";

/// How long the test waits for anything before it fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A body of an event stream: a comment now and then, without an end.
struct Comments(Interval, Arc<Semaphore>);

impl Body for Comments {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_tick(cx).map(|_| Some(Ok(Frame::data(Bytes::from_static(b":\n\n")))))
    }
}

impl Drop for Comments {
    fn drop(&mut self) {
        self.1.add_permits(1);
    }
}

fn run(program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the command that runs this test in a network of its own, which it may switch off.
fn isolated(program: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net", program]);
    command
}

#[test]
fn closes_the_connection_of_a_client_that_is_gone() {
    if std::env::var_os(ISOLATED).is_some() {
        return lose_the_network();
    }
    let is_possible = isolated("ip").arg("link").output().is_ok_and(|output| output.status.success());
    if !is_possible && std::env::var_os("CI").is_none() {
        eprintln!("this user may not create a network namespace: a client that is gone is not tested");
        return;
    }
    let binary = std::env::current_exe().unwrap();
    let mut command = isolated(binary.to_str().unwrap());
    let output = command.args(["--exact", TEST, "--nocapture"]).env(ISOLATED, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Switches the network off while one client reads a stream, and another one waits for its answer.
fn lose_the_network() {
    run("ip", &["link", "set", "lo", "up"]);
    let limits = Limits { write_timeout: Duration::from_secs(1), ..Limits::default() };
    let dropped = Arc::new(Semaphore::new(0));
    let counted = Arc::clone(&dropped);
    let service = tower::service_fn(move |request: Request<TrackedBody>| {
        let dropped = Arc::clone(&counted);
        async move {
            let comments = Comments(interval(Duration::from_millis(100)), dropped);
            if request.uri() == "/answer" {
                pending::<()>().await;
            }
            Ok::<_, Infallible>(http::Response::new(comments))
        }
    });
    Runtime::new().unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut connections = Connections::new(&limits, service.clone(), service);
        let mut clients = Vec::new();
        for path in ["/stream", "/answer"] {
            let mut client = std::net::TcpStream::connect(address).unwrap();
            client.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).unwrap();
            connections.serve(listener.accept().await.unwrap().0);
            clients.push(client);
        }
        let mut reader = clients[0].try_clone().unwrap();
        let read = tokio::task::spawn_blocking(move || reader.read(&mut [0; 16]).unwrap()).await.unwrap();
        assert_eq!(read, 16);
        tokio::time::sleep(Duration::from_millis(100)).await;
        run("ip", &["link", "set", "lo", "down"]);
        for _ in &clients {
            timeout(TIMEOUT, connections.next_closed()).await.expect("a connection stays open for ever");
            let answer = timeout(TIMEOUT, dropped.acquire()).await;
            answer.expect("the answer of a client that is gone is not dropped").unwrap().forget();
        }
    });
}
