//! The server: startup errors, connections and shutdown.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_core::adapter::{self, ListenAddr, Serve as _};
use tool_core::{Registry, tool};
use tool_http::{Options, ServeError, Server, ServerOptions};

use crate::client::{Answer, exchange, request, rest};
use crate::tools::{Progress, registry, registry_with};

const HOST: &[&str] = &["Host: localhost"];

pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) stop: oneshot::Sender<()>,
    pub(crate) ended: JoinHandle<()>,
}

impl Serving {
    pub(crate) async fn start(registry: Registry, options: impl Into<ServerOptions>) -> Self {
        let server = Server::new(registry).options(options).bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Serving { address, stop, ended }
    }

    pub(crate) async fn send(&self, text: &[u8]) -> Answer {
        exchange(self.address, text).await
    }

    /// Opens a connection and sends a request without waiting for the response.
    pub(crate) async fn begin(&self, text: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(text).await.unwrap();
        stream
    }
}

fn executing() -> Options {
    Options::new().allow_execute(true)
}

#[tokio::test]
async fn rejects_execution_on_a_public_address() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[2001:db8::1]:0"] {
        let error = Server::new(registry()).options(executing()).bind(address).await.unwrap_err();
        assert!(matches!(error, ServeError::ExecutionExposed(_)), "{address}: {error}");
    }
    let error = Server::new(registry()).options(executing()).bind("0.0.0.0:0").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool execution would be open to the network on `0.0.0.0:0`\n\
         help: listen on a loopback address such as 127.0.0.1, set an authenticator, or leave execution off"
    );
    for address in ["127.0.0.1:0", "127.0.0.2:0", "localhost:0"] {
        assert!(Server::new(registry()).options(executing()).bind(address).await.is_ok(), "{address}");
    }
    assert!(Server::new(registry()).bind("0.0.0.0:0").await.is_ok());
}

/// Serves as `serve NAME` of a command line does, sends a request, and returns the answer after the shutdown.
async fn served(server: Server, name: &str, allow_execute: bool, line: &str, body: &str) -> Answer {
    let (found, address) = tokio::sync::watch::channel(None);
    let (stop, stopped) = tokio::sync::watch::channel(());
    let mut options = adapter::ServeOptions::default()
        .on_listening(move |addr| {
            found.send_replace(Some(addr));
        })
        .with_shutdown(move || {
            let mut stopped = stopped.clone();
            Box::pin(async move { drop(stopped.changed().await) })
        });
    options.addr = Some(([127, 0, 0, 1], 0).into());
    options.allow_execute = allow_execute;
    options.name = name.to_owned();
    let serving = tokio::spawn(server.serve(options));
    let address = address.clone().wait_for(Option::is_some).await.unwrap().unwrap();
    let answer = exchange(address, &request(line, HOST, body)).await;
    stop.send_replace(());
    serving.await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn serves_as_a_command_line_says() {
    let command = Server::new(registry()).command();
    assert_eq!(command.addr, ListenAddr::Default(([127, 0, 0, 1], 8080).into()));
    assert!(command.allow_execute && !command.mcp_stdio);
    let (line, body) = ("POST /tools/add/call", r#"{"a":1,"b":2}"#);
    for (server, allow_execute, status) in [
        (Server::new(registry()), false, 403),
        (Server::new(registry()), true, 200),
        (Server::new(registry()).options(executing()), false, 200),
    ] {
        assert_eq!(served(server, "demo", allow_execute, line, body).await.status, status, "{allow_execute}");
    }
    let error = Server::new(registry()).serve(adapter::ServeOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "an address is needed");
}

#[tokio::test]
async fn has_the_name_of_the_application_as_its_title() {
    let named = || Server::new(registry()).options(Options::new().title("Numbers"));
    for (server, name, title) in [
        (Server::new(registry()), "demo", "demo"),
        (named(), "demo", "Numbers"),
        (Server::new(registry()), "", "Tools"),
    ] {
        let answer = served(server, name, false, "GET /openapi.json", "").await;
        let document: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(document["info"]["title"], title);
    }
}

/// Has an example that is none.
#[tool(operation = Read, open_world = false)]
fn faulty(#[arg(example = 300)] n: u8) -> u8 {
    n
}

#[tokio::test]
async fn rejects_an_invalid_registry() {
    let taken = Server::new(registry()).bind("127.0.0.1:0").await.unwrap();
    let error = Server::new(registry()).bind(taken.local_addr()).await.unwrap_err();
    assert!(matches!(error, ServeError::Bind(_)), "{error}");

    let faulty = Registry::builder().linked().select(|tool| tool.name() == "faulty").build().unwrap();
    let error = Server::new(faulty).bind("127.0.0.1:0").await.unwrap_err();
    assert!(matches!(error, ServeError::Registry(_)), "{error}");
    assert!(error.to_string().contains("the example of input `n` is invalid"), "{error}");
}

#[tokio::test]
async fn serves_calls_over_a_socket() {
    let serving = Serving::start(registry(), executing()).await;
    let answer = serving.send(&request("POST /tools/add/call", HOST, r#"{"a":1,"b":2}"#)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.masked(),
        r#"{"content":[{"type":"text","text":"{\"result\":3}"}],"structuredContent":{"result":3},"isError":false,"_meta":{"callId":"…"}}"#
    );
    // An empty body needs no media type.
    assert_eq!(serving.send(&request("POST /tools/city/call", HOST, "")).await.status, 200);
    let chunked = "POST /tools/city/call HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(serving.send(format!("{chunked}0\r\n\r\n").as_bytes()).await.status, 200);
    assert_eq!(serving.send(format!("{chunked}2\r\n{{}}\r\n0\r\n\r\n").as_bytes()).await.status, 415);
}

#[tokio::test]
async fn keeps_connections_alive() {
    let serving = Serving::start(registry(), executing()).await;
    let get = "GET /tools/no.thing/inputs HTTP/1.1\r\nHost: localhost\r\n";
    let answers =
        rest(serving.begin(format!("{get}\r\n{get}Connection: close\r\n\r\n").as_bytes()).await).await;
    assert_eq!(answers.status, 200);
    assert!(answers.body.contains("HTTP/1.1 200 OK") && answers.body.ends_with("[]"), "{}", answers.body);
}

#[tokio::test]
async fn row_53_a_body_over_the_limit_is_413() {
    let serving = Serving::start(registry(), executing()).await;
    let limit = 1024 * 1024;
    let fitting = format!(r#"{{"text":"{}"}}"#, "x".repeat(limit - r#"{"text":""}"#.len()));
    assert_eq!(serving.send(&request("POST /tools/echo/call", HOST, &fitting)).await.status, 200);

    let too_large = format!("{fitting} ");
    let answer = serving.send(&request("POST /tools/echo/call", HOST, &too_large)).await;
    assert_eq!((answer.status, &*answer.body), (413, r#"{"error":"the body is larger than 1048576 bytes"}"#));

    let head = "POST /tools/echo/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let chunk = "10000\r\n".to_owned() + &" ".repeat(0x10000) + "\r\n";
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", chunk.repeat(17));
    let answer = serving.send(chunked.as_bytes()).await;
    // What was not read is not the next request.
    assert_eq!((answer.status, answer.header("connection")), (413, "close"));

    // A client that waits for `100 Continue` never sends the body.
    let request_head = format!("{head}Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(serving.send(request_head.as_bytes()).await.status, 413);
}

#[tokio::test]
async fn row_62_answers_a_half_closed_client() {
    let serving = Serving::start(registry(), executing()).await;
    for text in [request("GET /tools", HOST, ""), request("POST /tools/add/call", HOST, r#"{"a":1}"#)] {
        for _ in 0..30 {
            let mut stream = serving.begin(&text).await;
            stream.shutdown().await.unwrap();
            assert_eq!(rest(stream).await.status, 200);
        }
    }
}

#[tokio::test]
async fn row_62_keeps_waiting_for_a_half_closed_client() {
    for (tool, version) in [("wait_reading", "1.1"), ("wait_reading", "1.0"), ("wait_writing", "1.1")] {
        let progress = Progress::default();
        let serving = Serving::start(registry_with(progress.clone()), executing()).await;
        let text = format!("POST /tools/{tool}/call HTTP/{version}\r\nHost: localhost\r\n\r\n");
        let mut stream = serving.begin(text.as_bytes()).await;
        stream.shutdown().await.unwrap();
        progress.started().await;
        // The probe for a disconnected client is a part of the response.
        let mut answer = vec![stream.read_u8().await.unwrap()];
        progress.release();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/{version} 200 OK\r\n")), "{answer}");
        assert!(answer.ends_with("}") && progress.finished(), "{answer}");
    }
}

#[tokio::test]
async fn row_62_cancels_reads_of_a_disconnected_half_closed_client() {
    let progress = Progress::default();
    let serving = Serving::start(registry_with(progress.clone()), executing()).await;
    let mut stream = serving.begin(&request("POST /tools/wait_reading/call", HOST, "{}")).await;
    stream.shutdown().await.unwrap();
    progress.started().await;
    assert_eq!(stream.read_u8().await.unwrap(), b'H');
    drop(stream);
    progress.dropped().await;
    assert!(!progress.finished());
}

#[tokio::test]
async fn rejects_an_incomplete_body() {
    let serving = Serving::start(registry(), executing()).await;
    let head = "POST /tools/add/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    for body in ["Content-Length: 99\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n4\r\n{"] {
        let mut stream = serving.begin(format!("{head}{body}").as_bytes()).await;
        stream.shutdown().await.unwrap();
        assert_eq!(rest(stream).await.status, 400, "{body}");
    }
}

#[tokio::test]
async fn row_64_rejects_connections_over_the_limit_except_health() {
    // Idle connections must not time out during the test.
    let options =
        ServerOptions::from(executing()).max_connections(100).header_timeout(Duration::from_secs(3600));
    let serving = Serving::start(registry(), options).await;
    let health = || async {
        let answer = serving.send(&request("GET /health", HOST, "")).await;
        assert_eq!((answer.status, &*answer.body), (200, r#"{"status":"ok"}"#));
        assert_eq!(answer.header("cache-control"), "no-store");
    };
    health().await;
    // They are accepted in order and stay idle.
    let mut idle = Vec::new();
    for _ in 0..400 {
        idle.push(TcpStream::connect(serving.address).await.unwrap());
    }
    health().await;
    for (line, status) in [("GET /tools", 503), ("POST /tools/add/call", 503), ("HEAD /health", 200)] {
        let answer = serving.send(&request(line, HOST, "")).await;
        assert_eq!((answer.status, answer.header("connection")), (status, "close"), "{line}");
        let wait = if status == 503 { "1" } else { "" };
        assert_eq!(answer.header("retry-after"), wait, "{line}");
    }
    let answer = serving.send(&request("GET /tools", HOST, "")).await;
    assert_eq!(answer.body, r#"{"error":"too many connections"}"#);
    // Other hosts are rejected here, too.
    assert_eq!(serving.send(&request("GET /health", &["Host: evil.example"], "")).await.status, 403);
    // Rejected connections make room for others.
    let mut turned_away = idle.split_off(150);
    turned_away.truncate(150);
    for mut stream in turned_away {
        let _ = stream.read_u8().await.unwrap_err();
    }
    drop(idle);
    while serving.send(&request("GET /tools", HOST, "")).await.status != 200 {}
}

#[tokio::test]
async fn row_63_cancels_reads_but_not_writes_on_disconnect() {
    let progress = Progress::default();
    let serving = Serving::start(registry_with(progress.clone()), executing()).await;

    let stream = serving.begin(&request("POST /tools/wait_reading/call", HOST, "")).await;
    progress.started().await;
    drop(stream);
    progress.dropped().await;
    assert!(!progress.finished());

    let stream = serving.begin(&request("POST /tools/wait_writing/call", HOST, "")).await;
    progress.started().await;
    drop(stream);
    progress.release();
    progress.dropped().await;
    assert!(progress.finished());
}

impl Serving {
    /// Requests a shutdown and waits until the server accepts no connections.
    async fn end(self) -> JoinHandle<()> {
        self.stop.send(()).unwrap();
        while let Ok(mut stream) = TcpStream::connect(self.address).await {
            // The system may accept it just before the listener closes.
            let _ = stream.read_u8().await;
        }
        self.ended
    }
}

#[tokio::test]
async fn times_out_requests_but_finishes_writes() {
    let progress = Progress::default();
    let options = ServerOptions::from(executing()).request_timeout(Duration::from_millis(100));
    let serving = Serving::start(registry_with(progress.clone()), options).await;
    for (tool, goes_on) in [("wait_reading", false), ("wait_writing", true)] {
        let answer = serving.send(&request(&format!("POST /tools/{tool}/call"), HOST, "")).await;
        assert_eq!(
            (answer.status, &*answer.body),
            (504, r#"{"error":"the request was not answered in time"}"#)
        );
        progress.started().await;
        if goes_on {
            progress.release();
        }
        progress.dropped().await;
        assert_eq!(progress.finished(), goes_on, "{tool}");
    }
    assert_eq!(serving.send(&request("GET /tools", HOST, "")).await.status, 200);
}

#[tokio::test]
async fn waits_for_responses_on_shutdown() {
    let progress = Progress::default();
    let serving = Serving::start(registry_with(progress.clone()), executing()).await;
    let reading = serving.begin(&request("POST /tools/wait_reading/call", HOST, "")).await;
    progress.started().await;
    // An idle connection does not delay the shutdown.
    let idle = TcpStream::connect(serving.address).await.unwrap();
    let ended = serving.end().await;
    assert!(!ended.is_finished());
    progress.release();
    assert_eq!(rest(reading).await.status, 200);
    ended.await.unwrap();
    drop(idle);
}

#[tokio::test]
async fn waits_for_writes_on_shutdown() {
    let progress = Progress::default();
    let serving = Serving::start(registry_with(progress.clone()), executing()).await;
    let writing = serving.begin(&request("POST /tools/wait_writing/call", HOST, "")).await;
    progress.started().await;
    // The client no longer waits for the response.
    drop(writing);
    let mut ended = serving.end().await;
    for _ in 0..10_000 {
        tokio::select! {
            biased;
            _ = &mut ended => panic!("it ended before the call"),
            () = tokio::task::yield_now() => {}
        }
    }
    progress.release();
    ended.await.unwrap();
    assert!(progress.finished());
}

#[tokio::test]
async fn limits_the_wait_on_shutdown() {
    let progress = Progress::default();
    let options = ServerOptions::from(executing()).drain_timeout(Duration::from_millis(100));
    let serving = Serving::start(registry_with(progress.clone()), options).await;
    let reading = serving.begin(&request("POST /tools/wait_reading/call", HOST, "")).await;
    progress.started().await;
    serving.stop.send(()).unwrap();
    serving.ended.await.unwrap();
    // The call was dropped, and the client gets no other response.
    progress.dropped().await;
    assert!(!progress.finished());
    drop(reading);
}
