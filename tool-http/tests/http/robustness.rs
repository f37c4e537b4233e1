//! Malformed and hostile requests as raw bytes, one test for each row of the table of faults.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tool_core::{DynamicTool, Operation, Output, Tool, ToolDefinition};
use tool_http::{Options, ServerOptions};

use crate::client::{request, rest};
use crate::server::Serving;
use crate::tools::{Progress, registry, registry_with};

const HOST: &[&str] = &["Host: localhost"];
const CALL: &str = "POST /tools/add/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n";

fn executing() -> Options {
    Options::new().allow_execute(true)
}

async fn serving() -> Serving {
    Serving::start(registry(), executing()).await
}

/// Asserts the status of each request and that the server keeps serving.
async fn answers(table: impl IntoIterator<Item = (String, u16)>) {
    let serving = serving().await;
    for (text, status) in table {
        let answer = serving.send(text.as_bytes()).await;
        assert_eq!(answer.status, status, "{}", &text[..text.len().min(200)]);
        let next = serving.send(&request("POST /tools/add/call", HOST, r#"{"a":1}"#)).await;
        assert_eq!(next.status, 200, "after {}", &text[..text.len().min(200)]);
    }
}

#[tokio::test]
async fn row_47_rejects_dns_rebinding() {
    let serving = serving().await;
    for line in [
        "GET /",
        "GET /tools",
        "HEAD /tools",
        "GET /tools/add",
        "GET /tools/add/inputs",
        "POST /tools/add/validate",
        "POST /tools/add/call",
        "GET /mcp/tools/list",
        "POST /mcp/tools/list",
        "GET /openapi.json",
        "GET /health",
        "OPTIONS /tools",
        "GET /nope",
    ] {
        for headers in [
            &["Host: evil.example", "Origin: http://evil.example"][..],
            &["Host: evil.example:80", "Origin: http://evil.example", "Sec-Fetch-Site: same-origin"],
            &["Host: evil.example"],
        ] {
            let answer = serving.send(&request(line, headers, "")).await;
            assert_eq!(answer.status, 403, "{line} {headers:?}");
            assert!(!answer.body.contains("add"), "{line} {headers:?}");
        }
    }
}

#[tokio::test]
async fn row_54_rejects_ambiguous_body_lengths() {
    answers([
        (format!("{CALL}Content-Length: 7\r\nContent-Length: 8\r\n\r\n{{\"a\":1}}"), 400),
        (format!("{CALL}Content-Length: -1\r\n\r\n"), 400),
        (format!("{CALL}Content-Length: +7\r\n\r\n{{\"a\":1}}"), 400),
        (format!("{CALL}Content-Length: 7, 8\r\n\r\n{{\"a\":1}}"), 400),
        (format!("{CALL}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"), 400),
        (format!("{CALL}Transfer-Encoding: gzip\r\n\r\n{{}}"), 400),
        (
            format!(
                "{CALL}Transfer-Encoding: chunked\r\n\r\n7;{}\r\n{{\"a\":1}}\r\n0\r\n\r\n",
                "x".repeat(100_000)
            ),
            400,
        ),
    ])
    .await;
    // With both headers, the chunks define the end (RFC 9112, section 6.3), and the connection is closed. The rest is
    // never parsed as another request.
    let both =
        CALL.replace("Connection: close\r\n", "") + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n";
    let smuggled =
        format!("{both}7\r\n{{\"a\":1}}\r\n0\r\n\r\nGET /tools/echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let answer = serving().await.send(smuggled.as_bytes()).await;
    assert!(matches!(answer.status, 200 | 400), "{}", answer.status);
    assert!(!answer.body.contains("Repeats a text"), "{}", answer.body);
}

#[tokio::test]
async fn row_55_limits_the_request_head() {
    let get = "GET /tools HTTP/1.1\r\nHost: localhost\r\n";
    answers([
        (format!("{get}{}\r\n", "X-A: b\r\n".repeat(200)), 431),
        (format!("{get}X-A: {}\r\n\r\n", "x".repeat(1_000_000)), 431),
        (format!("{get}X-A: a\0b\r\n\r\n"), 400),
        (format!("{get}X-A: a\rb\r\n\r\n"), 400),
        (format!("{get}X-A\r\n\r\n"), 400),
        (format!("{get}X A: b\r\n\r\n"), 400),
        (format!("{get} folded\r\n\r\n"), 400),
    ])
    .await;
}

#[tokio::test]
async fn row_56_limits_the_request_target() {
    answers([
        (format!("GET /tools?{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(70_000)), 414),
        (format!("GET /tools/{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(70_000)), 414),
    ])
    .await;
}

#[tokio::test]
async fn row_57_rejects_unusual_bytes_in_a_path() {
    let serving = serving().await;
    for (path, status) in [
        ("/tools/ad\u{f6}".as_bytes(), 404),
        (b"/tools/ad\xff", 400),
        (b"/tools/add\0", 400),
        (b"/tools/add\x7f", 400),
        (b"/tools/a\\..\\add", 404),
        (b"/tools/../tools/add", 404),
        (b"/tools/./add", 404),
        (b"/tools/%2e/add", 404),
        (b"/tools/%252e%252e%252ftools%252fadd", 404),
        (b"/tools%2Fadd", 404),
        (b"//tools/add", 404),
        (b"/tools//add", 404),
        (b"tools/add", 400),
        (b"*", 404),
    ] {
        let head = [b"GET ", path, b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"].concat();
        let answer = serving.send(&head).await;
        let path = path.escape_ascii();
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(!answer.body.contains("inputSchema"), "{path}: {}", answer.body);
        let next = serving.send(&request("POST /tools/add/call", HOST, r#"{"a":1}"#)).await;
        assert_eq!(next.status, 200, "after {path}");
    }
}

#[tokio::test]
async fn row_58_rejects_compressed_bodies() {
    let serving = serving().await;
    for coding in ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, gzip", "identity, gzip", "compress"] {
        let head = format!("{CALL}Content-Encoding: {coding}\r\nContent-Length: 4\r\n\r\n");
        let answer = serving.send(&[head.as_bytes(), b"\x1f\x8b\x08\x00"].concat()).await;
        assert_eq!((answer.status, answer.header("accept-encoding")), (415, "identity"), "{coding}");
    }
}

#[tokio::test]
async fn row_59_times_out_slow_heads() {
    let options = ServerOptions::from(executing()).header_timeout(Duration::from_millis(100));
    let serving = Serving::start(registry(), options).await;
    for text in ["", "G", "GET /tools HTTP/1.1\r\nHost: loc", "GET /tools HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut stream = serving.begin(text.as_bytes()).await;
        let mut left = Vec::new();
        // The server must close the connection, or this test does not end.
        let _ = stream.read_to_end(&mut left).await;
        assert!(!left.starts_with(b"HTTP/1.1 200"));
    }
    // Connections that are idle after a response time out, too.
    let mut stream = serving.begin(b"GET /tools HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn row_60_times_out_slow_bodies() {
    let serving = Serving::start(registry(), executing().body_timeout(Duration::from_millis(200))).await;
    let head = "POST /tools/add/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    // Sending single bytes does not extend the timeout.
    let mut stream = serving.begin(format!("{head}Content-Length: 1000000\r\n\r\n{{").as_bytes()).await;
    let (mut reading, mut writing) = stream.split();
    let trickle = async {
        loop {
            if writing.write_all(b" ").await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let mut answer = Vec::new();
    tokio::select! {
        () = trickle => {}
        _ = reading.read_to_end(&mut answer) => {}
    }
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 408 ")
            && answer.ends_with(r#"{"error":"the body did not arrive in time"}"#)
    );

    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n");
    assert_eq!(rest(serving.begin(chunked.as_bytes()).await).await.status, 408);
}

/// Returns a text of this many bytes.
fn large(bytes: usize) -> Vec<Arc<dyn Tool>> {
    let definition =
        ToolDefinition::builder("large", "Is large.").operation(Operation::Read).build().unwrap();
    let text = "x".repeat(bytes);
    vec![Arc::new(DynamicTool::new(definition, move |_, _: serde_json::Value| {
        let text = text.clone();
        async move { Ok(Output::text(text)) }
    }))]
}

#[tokio::test]
async fn row_61_times_out_slow_readers() {
    let bytes = 15_000_000;
    let options = ServerOptions::from(executing())
        .write_timeout(Duration::from_millis(200))
        .drain_timeout(Duration::from_secs(3600));
    let server = tool_http::Server::new(large(bytes)).options(options).bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let ended = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(&request("POST /tools/large/call", HOST, "{}")).await.unwrap();
    // The response has started.
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // The shutdown waits for open connections, so its end proves that this one was closed.
    stop.send(()).unwrap();
    ended.await.unwrap();
    let mut left = Vec::new();
    let _ = stream.read_to_end(&mut left).await;
    assert!(left.len() < bytes, "{}", left.len());
}

#[tokio::test]
async fn row_61_waits_for_slow_readers_within_the_timeout() {
    let bytes = 15_000_000;
    let serving = serving_of(large(bytes)).await;
    let mut stream = serving.begin(&request("POST /tools/large/call", HOST, "{}")).await;
    // More than the buffers of the connection hold.
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    let mut left = Vec::new();
    stream.read_to_end(&mut left).await.unwrap();
    assert!(left.len() > bytes, "{}", left.len());
}

#[tokio::test]
async fn row_63_records_dropped_calls() {
    let progress = Progress::default();
    let serving = Serving::start(registry_with(progress.clone()), executing()).await;
    for leaves in [true, false] {
        let stream = serving.begin(&request("POST /tools/wait_reading/call", HOST, "")).await;
        progress.started().await;
        if leaves {
            drop(stream);
            progress.dropped().await;
            assert!(!progress.finished());
        } else {
            progress.release();
            assert_eq!(rest(stream).await.status, 200);
            assert!(progress.finished());
        }
    }
}

#[tokio::test]
async fn row_65_rejects_http_2() {
    let serving = serving().await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let mut stream = serving.begin(preface).await;
    let mut answer = Vec::new();
    // The server must close the connection, or this test does not end.
    let _ = stream.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/1.1 200") && !answer.starts_with(b"\0\0"), "{answer:?}");
    // The server does not advertise it either.
    let upgrade = ["Host: localhost", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
    let answer = serving.send(&request("GET /tools", &upgrade, "")).await;
    assert_eq!((answer.status, answer.header("upgrade")), (200, ""));
}

#[tokio::test]
async fn row_67_ignores_ranges() {
    let serving = serving().await;
    for path in ["/tools", "/tools/add", "/openapi.json"] {
        let line = format!("GET {path}");
        let whole = serving.send(&request(&line, HOST, "")).await;
        for range in ["bytes=0-1", "bytes=-5", "bytes=9-1", "bytes=0-1,3-4", "lines=1-2"] {
            let range = format!("Range: {range}");
            let answer = serving.send(&request(&line, &["Host: localhost", &range], "")).await;
            assert_eq!((answer.status, &answer.body), (200, &whole.body), "{path} {range}");
            assert_eq!((answer.header("content-range"), answer.header("accept-ranges")), ("", ""));
        }
    }
}

#[tokio::test]
async fn row_68_rejects_trace_and_connect() {
    let serving = serving().await;
    for (line, allow) in [
        ("TRACE /tools", "GET,HEAD"),
        ("CONNECT localhost:80", "GET,HEAD,POST"),
        ("TRACE /tools/add/call", "POST"),
    ] {
        let answer = serving.send(&request(line, &["Host: localhost", "X-Secret: swordfish"], "")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, allow), "{line}");
        assert!(!answer.body.contains("swordfish"), "{line}");
    }
    let target = "GET evil.example HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(serving.send(target.as_bytes()).await.status, 403);
}

#[tokio::test]
async fn row_69_prevents_response_splitting() {
    let hostile = "a\r\nSet-Cookie: x=1\r\n\r\n<script>";
    let tool = |name: &str| -> Arc<dyn Tool> {
        let builder = ToolDefinition::builder(name, hostile).operation(Operation::Read);
        let definition = builder.title(hostile).tags([hostile]).build().unwrap();
        Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) }))
    };
    let serving = serving_of(vec![tool("a"), tool("b")]).await;
    let encoded = "a%0d%0aSet-Cookie%3A+x%3D1%0d%0a%0d%0a%3Cscript%3E";
    for (path, status) in [
        ("/tools".to_owned(), 200),
        ("/tools/a".to_owned(), 200),
        ("/openapi.json".to_owned(), 200),
        (format!("/tools?limit=1&tag={encoded}"), 200),
        (format!("/tools?limit=1&q={encoded}"), 200),
        (format!("/tools?cursor={encoded}&q=a"), 404),
        (format!("/tools/{encoded}"), 404),
        (format!("/tools?{encoded}=1"), 400),
    ] {
        let answer = serving.send(&request(&format!("GET {path}"), HOST, "")).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (status, ""), "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
    let page = serving.send(&request(&format!("GET /tools?limit=1&tag={encoded}"), HOST, "")).await;
    assert_eq!(
        page.header("link"),
        "<?limit=1&tag=a%0D%0ASet-Cookie%3A+x%3D1%0D%0A%0D%0A%3Cscript%3E&cursor=a>; rel=\"next\""
    );
}

async fn serving_of(tools: Vec<Arc<dyn Tool>>) -> Serving {
    let registry = tools.into_iter().fold(tool_core::Registry::builder(), tool_core::RegistryBuilder::tool);
    Serving::start(registry.build().unwrap(), executing()).await
}
