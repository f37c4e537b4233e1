//! Calls as streams of events.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tool_core::logging::LogLevel;
use tool_core::{Context, Registry, State, ToolError, tool, tools};
use tool_http::{Options, router_with};

use crate::client::{Answer, send_to};
use crate::tools::{Progress, registry_with};

/// How long a test waits for anything before it fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Copies pages.
#[tool(operation = Trigger, destructive = false)]
fn copy_pages(#[inject] context: Context, pages: u64) -> Result<u64, ToolError> {
    context.log(LogLevel::Warning, "the ink is low");
    for page in 1..=pages {
        context.progress(page, pages, "copied");
    }
    if pages == 13 { Err(ToolError::conflict("the paper is jammed")) } else { Ok(pages) }
}

/// Does not say what it does.
#[tool(operation = Read)]
async fn think(#[inject] release: State<tokio::sync::Semaphore>) -> &'static str {
    release.acquire().await.unwrap().forget();
    "thought"
}

fn executing() -> Router {
    let registry = Registry::builder().tools(tools![copy_pages, think]).state(tokio::sync::Semaphore::new(0));
    router_with(registry.build().unwrap(), Options::new().allow_execute(true))
}

async fn call(router: &Router, tool: &str, accept: &str, body: &str) -> Answer {
    let request = Request::post(format!("/tools/{tool}/call"))
        .header("content-type", "application/json")
        .header("accept-encoding", "gzip")
        .header("accept", accept);
    send_to(router, request.body(Body::from(body.to_owned())).unwrap()).await
}

/// Returns the names and the data of events.
fn events(answer: &Answer) -> Vec<(String, Value)> {
    assert_eq!(answer.header("content-type"), "text/event-stream", "{}", answer.body);
    let events = answer.body.split_terminator("\n\n").map(|event| {
        let (name, data) = event.split_once('\n').unwrap();
        let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        (name.strip_prefix("event: ").unwrap().to_owned(), data)
    });
    events.collect()
}

#[tokio::test]
async fn sends_progress_messages_and_the_result() {
    let router = executing();
    let answer = call(&router, "copy_pages", "text/event-stream", r#"{"pages":2}"#).await;
    assert_eq!(answer.status, 200);
    assert_eq!((answer.header("cache-control"), answer.header("x-accel-buffering")), ("no-cache", "no"));
    assert_eq!(answer.header("content-encoding"), "", "each event is to arrive at once");
    let mut events = events(&answer);
    let (_, mut result) = events.pop().unwrap();
    assert_eq!(result["_meta"]["callId"].take().as_str().map(str::len), Some(16));
    let expected = json!({
        "status": 200, "content": [{"type": "text", "text": r#"{"result":2}"#}],
        "structuredContent": {"result": 2}, "isError": false, "_meta": {"callId": null},
    });
    assert_eq!(result, expected);
    let expected = [
        ("log".to_owned(), json!({"level": "warning", "tool": "copy_pages", "data": "the ink is low"})),
        ("progress".to_owned(), json!({"progress": 1, "total": 2, "message": "copied"})),
        ("progress".to_owned(), json!({"progress": 2, "total": 2, "message": "copied"})),
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn ends_with_the_failure_of_the_tool() {
    let router = executing();
    let answer = call(&router, "copy_pages", "text/*, text/event-stream;q=0.5", r#"{"pages":13}"#).await;
    assert_eq!(answer.status, 200);
    let (name, result) = events(&answer).pop().unwrap();
    assert_eq!((&*name, &result["status"], &result["isError"]), ("result", &json!(409), &json!(true)));
    assert_eq!(result["content"][0]["text"], "the paper is jammed");
}

#[tokio::test]
async fn refuses_before_the_first_event_as_without_events() {
    let router = executing();
    for (tool, body, status) in [("copy_pages", "{}", 422), ("copy_pages", "[1,]", 400), ("nope", "{}", 404)]
    {
        let with = call(&router, tool, "text/event-stream", body).await;
        let without = call(&router, tool, "application/json", body).await;
        assert_eq!((with.status, with.header("content-type")), (status, "application/json"), "{tool} {body}");
        assert_eq!(with.body, without.body);
    }
    // Nobody asked for events.
    for accept in ["*/*", "text/event-stream;q=0", "application/json, text/event-stream"] {
        let answer = call(&router, "copy_pages", accept, r#"{"pages":1}"#).await;
        assert_eq!(answer.header("content-type"), "application/json", "{accept}");
    }
}

#[tokio::test]
async fn answers_json_if_nothing_happens_and_the_client_accepts_it() {
    /// Ends at once.
    #[tool(operation = Read)]
    fn end_at_once(pages: u64) -> u64 {
        pages
    }

    let registry = Registry::builder().tools(tools![end_at_once]).build().unwrap();
    let quick = router_with(registry, Options::new().allow_execute(true));
    let either = "text/event-stream, application/json;q=0.9";
    for (router, tool, accept, media) in [
        (&quick, "end_at_once", either, "application/json"),
        (&quick, "end_at_once", "text/event-stream", "text/event-stream"),
        (&quick, "end_at_once", "text/event-stream, application/json;q=0", "text/event-stream"),
        (&executing(), "copy_pages", either, "text/event-stream"),
    ] {
        let answer = call(router, tool, accept, r#"{"pages":1}"#).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, media), "{tool} {accept}");
        assert!(answer.body.contains(r#""structuredContent":{"result":1}"#), "{}", answer.body);
    }
}

#[tokio::test(start_paused = true)]
async fn sends_comments_while_nothing_happens() {
    let release = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
    let registry = Registry::builder().tools(tools![think]).shared_state(std::sync::Arc::clone(&release));
    let router = router_with(registry.build().unwrap(), Options::new().allow_execute(true));
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(40)).await;
        release.add_permits(1);
    });
    let answer = call(&router, "think", "text/event-stream", "{}").await;
    assert!(answer.body.starts_with(":\n\n:\n\nevent: result\ndata: {\"status\":200,"), "{}", answer.body);
}

/// Begins a call over a socket, and returns the reader of the events.
async fn begin(progress: &Progress, tool: &str) -> BufReader<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = router_with(registry_with(progress.clone()), Options::new().allow_execute(true));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head =
        format!("POST /tools/{tool}/call HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    progress.started().await;
    BufReader::new(stream)
}

#[tokio::test]
async fn cancels_a_read_when_the_client_disconnects() {
    let progress = Progress::default();
    let reader = begin(&progress, "wait_reading").await;
    drop(reader);
    timeout(TIMEOUT, progress.dropped()).await.expect("the read is not canceled");
    assert!(!progress.finished());
}

#[tokio::test]
async fn finishes_a_write_when_the_client_disconnects() {
    let progress = Progress::default();
    let mut reader = begin(&progress, "wait_writing").await;
    let mut line = String::new();
    while !line.starts_with("event: progress") {
        line.clear();
        assert_ne!(timeout(TIMEOUT, reader.read_line(&mut line)).await.unwrap().unwrap(), 0);
    }
    drop(reader);
    progress.release();
    timeout(TIMEOUT, progress.dropped()).await.expect("the write does not end");
    assert!(progress.finished());
}
