//! Trace context, request extensions and completions, and the limits on the size of requests and results.

use std::sync::{Condvar, Mutex};

use axum::Extension as Layer;
use serde_json::{Value, json};
use tool_core::{Context, Extension, Registry, tool, tools};
use tool_mcp::Server;

use crate::stdio::StdioClient;
use crate::support::{MODERN, TIMEOUT, TestServer, initialize, modern_body, post, request};

/// Tells the place of the call in a trace.
#[tool(operation = Transform)]
fn trace(#[inject] context: Context) -> String {
    context.traceparent().map_or_else(|| "none".to_owned(), |trace| trace.to_string())
}

/// The same, as a resource.
#[tool(operation = Explain)]
fn trace_read(#[inject] context: Context) -> String {
    context.traceparent().map_or_else(|| "none".to_owned(), |trace| trace.to_string())
}

/// Added to a request by the application.
#[derive(Clone)]
struct Tenant(&'static str);

/// Tells whose it is.
#[tool(operation = Transform)]
fn tenant(#[inject] tenant: Option<Extension<Tenant>>) -> String {
    tenant.map_or("none", |tenant| tenant.0.0).to_owned()
}

/// How many completions run, and whether they may finish.
static COMPLETING: (Mutex<(usize, bool)>, Condvar) = (Mutex::new((0, false)), Condvar::new());

/// Blocks until the test releases it.
fn complete_slowly(_: &str) -> Vec<String> {
    let (state, changed) = &COMPLETING;
    let mut state = state.lock().unwrap();
    state.0 += 1;
    changed.notify_all();
    drop(changed.wait_while(state, |(_, released)| !*released).unwrap());
    vec!["found".to_owned()]
}

/// Reads what is looked up.
#[tool(operation = Read)]
fn find_slowly(
    /// What.
    #[arg(locator, complete = complete_slowly)]
    what: String,
) -> String {
    what
}

/// More than anybody wants.
#[tool(operation = Transform)]
fn flood(
    /// How many bytes.
    bytes: usize,
) -> String {
    "x".repeat(bytes)
}

pub(crate) fn registry() -> Registry {
    Registry::builder().tools(tools![trace, trace_read, tenant, find_slowly, flood]).build().unwrap()
}

const MESSAGE_TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const HEADER_TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn takes_the_trace_from_the_message_or_header() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    let mut client = StdioClient::start_with("context");
    client.initialize(json!({}));
    for (message_trace, header_trace, expected) in [
        (None, None, "none"),
        (Some(MESSAGE_TRACE), None, MESSAGE_TRACE),
        (None, Some(HEADER_TRACE), HEADER_TRACE),
        (Some(MESSAGE_TRACE), Some(HEADER_TRACE), MESSAGE_TRACE),
        (Some("no trace"), Some(HEADER_TRACE), HEADER_TRACE),
        (Some("no trace"), None, "none"),
        (None, Some("00-00000000000000000000000000000000-0000000000000000-01"), "none"),
    ] {
        let with_trace = |mut body: Value| {
            if let Some(trace) = message_trace {
                body["params"]["_meta"]["traceparent"] = json!(trace);
            }
            body
        };
        let call = with_trace(modern_body("tools/call", json!({"name": "trace"})));
        let mut headers =
            vec![("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "trace")];
        headers.extend(header_trace.map(|trace| ("traceparent", trace)));
        assert_eq!(
            text(&server.post(&headers, &call.to_string()).json()),
            expected,
            "{message_trace:?} {header_trace:?}"
        );
        let call = with_trace(request(1, "tools/call", json!({"name": "trace"})));
        let mut headers = vec![("mcp-session-id", session.id.as_str())];
        headers.extend(header_trace.map(|trace| ("traceparent", trace)));
        assert_eq!(
            text(&server.post(&headers, &call.to_string()).message()),
            expected,
            "{message_trace:?} {header_trace:?}"
        );
        if header_trace.is_none() {
            assert_eq!(text(&client.exchange(call)), expected, "{message_trace:?}");
        }
    }
    let mut read = modern_body("resources/read", json!({"uri": "fixture://trace_read"}));
    read["params"]["_meta"]["traceparent"] = json!(MESSAGE_TRACE);
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "resources/read"),
        ("mcp-name", "fixture://trace_read"),
    ];
    let answer = server.post(&headers, &read.to_string()).json();
    assert_eq!(answer["result"]["contents"][0]["text"], MESSAGE_TRACE);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn passes_request_extensions_to_tools() {
    let mcp = Server::new(registry()).into_axum_router().unwrap();
    let app: axum::Router = axum::Router::new()
        .nest_service("/mcp", mcp.layer(Layer(Tenant("museum"))))
        // The inner layer wins.
        .layer(Layer(Tenant("somebody else")));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    runtime.spawn(async { axum::serve(listener, app).await });
    let body = modern_body("tools/call", json!({"name": "tenant"})).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "tenant")];
    assert_eq!(text(&post(addr, &headers, &body).json()), "museum");
    let opened = post(addr, &[], &initialize().to_string());
    let session = [("mcp-session-id", opened.header("mcp-session-id").unwrap())];
    let body = request(1, "tools/call", json!({"name": "tenant"})).to_string();
    assert_eq!(text(&post(addr, &session, &body).message()), "museum");

    let server = TestServer::with_registry(registry(), |server| server);
    assert_eq!(text(&server.call_modern("tenant", json!({}))), "none");
}

#[test]
fn runs_slow_completions_off_the_runtime() {
    let server = TestServer::with_registry(registry(), |server| server);
    let reference = json!({"type": "ref/resource", "uri": "fixture://find_slowly/{what}"});
    let params = json!({"ref": reference, "argument": {"name": "what", "value": "f"}});
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 1;
    let (state, changed) = &COMPLETING;
    std::thread::scope(|scope| {
        let completing: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| server.request_modern("completion/complete", params.clone()).json()))
            .collect();
        // One more than the runtime has threads.
        let wait = changed.wait_timeout_while(state.lock().unwrap(), TIMEOUT, |(count, _)| *count < threads);
        let all_started = !wait.unwrap().1.timed_out();
        let answer = all_started.then(|| server.call_modern("tenant", json!({})));
        state.lock().unwrap().1 = true;
        changed.notify_all();
        for completed in completing {
            assert_eq!(completed.join().unwrap()["result"]["completion"]["values"], json!(["found"]));
        }
        assert_eq!(text(&answer.expect("the runtime is blocked")), "none");
    });
}

#[test]
fn rejects_a_result_over_the_limit() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    let mut client = StdioClient::start_with("context");
    client.initialize(json!({}));
    let call = |bytes: u32| json!({"name": "flood", "arguments": {"bytes": bytes}});
    for answer in [
        server.request_modern("tools/call", call(100_000_000)).json(),
        session.request("tools/call", call(100_000_000)),
        client.exchange(request(1, "tools/call", call(100_000_000))),
    ] {
        assert_eq!(answer["result"]["isError"], true);
        assert!(text(&answer).contains("100000000 bytes"), "{}", text(&answer));
        assert!(answer.to_string().len() < 1024);
    }
    // A result below the limit arrives complete.
    for answer in [
        server.request_modern("tools/call", call(5_000_000)).json(),
        client.exchange(request(2, "tools/call", call(5_000_000))),
    ] {
        assert_eq!(text(&answer).len(), 5_000_000);
    }
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn limits_request_size_over_http_but_not_stdio() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    let mut call = request(1, "tools/call", json!({"name": "tenant"}));
    call["params"]["arguments"]["padding"] = json!("x".repeat(5_000_000));
    let answer = session.post(&call.to_string());
    assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (413, Some(-32600)));
    let mut client = StdioClient::start_with("context");
    client.initialize(json!({}));
    let answer = client.exchange(&call);
    assert!(text(&answer).contains("unknown input `padding`"), "{}", text(&answer));
    assert!(answer.to_string().len() < 1024);
    assert_eq!(client.close(), (vec![], true));
}
