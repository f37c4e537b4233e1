//! What stands beside a call reaches its tool: its place in a trace, and what the application knows of the request. And how much
//! a call may bring and take along.

use std::sync::{Condvar, Mutex};

use axum::Extension as Layer;
use serde_json::{Value, json};
use tool_core::{Context, Extension, Registry, tool, tools};
use tool_mcp::Server;

use crate::stdio::Spoken;
use crate::support::{MODERN, PATIENCE, Served, initialize, modern_body, post, request};

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

/// What an application may know of a request.
#[derive(Clone)]
struct Tenant(&'static str);

/// Tells whose it is.
#[tool(operation = Transform)]
fn tenant(#[inject] tenant: Option<Extension<Tenant>>) -> String {
    tenant.map_or("none", |tenant| tenant.0.0).to_owned()
}

/// Those that complete now, and what lets them go on.
static COMPLETING: (Mutex<(usize, bool)>, Condvar) = (Mutex::new((0, false)), Condvar::new());

/// Looks something up, which takes as long as it takes.
fn looked_up(_: &str) -> Vec<String> {
    let (state, changed) = &COMPLETING;
    let mut state = state.lock().unwrap();
    state.0 += 1;
    changed.notify_all();
    drop(changed.wait_while(state, |(_, go_on)| !*go_on).unwrap());
    vec!["found".to_owned()]
}

/// Reads what is looked up.
#[tool(operation = Read)]
fn find_slowly(
    /// What.
    #[arg(locator, complete = looked_up)]
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

const MESSAGE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const HEAD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_call_is_part_of_the_trace_that_the_message_or_its_head_names() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    let mut spoken = Spoken::with("beside");
    spoken.open(json!({}));
    for (of_message, of_head, expected) in [
        (None, None, "none"),
        (Some(MESSAGE), None, MESSAGE),
        (None, Some(HEAD), HEAD),
        (Some(MESSAGE), Some(HEAD), MESSAGE),
        (Some("no trace"), Some(HEAD), HEAD),
        (Some("no trace"), None, "none"),
        (None, Some("00-00000000000000000000000000000000-0000000000000000-01"), "none"),
    ] {
        let traced = |mut body: Value| {
            if let Some(trace) = of_message {
                body["params"]["_meta"]["traceparent"] = json!(trace);
            }
            body
        };
        let call = traced(modern_body("tools/call", json!({"name": "trace"})));
        let mut headers =
            vec![("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "trace")];
        headers.extend(of_head.map(|trace| ("traceparent", trace)));
        assert_eq!(
            text(&served.post(&headers, &call.to_string()).json()),
            expected,
            "{of_message:?} {of_head:?}"
        );
        let call = traced(request(1, "tools/call", json!({"name": "trace"})));
        let mut headers = vec![("mcp-session-id", session.id.as_str())];
        headers.extend(of_head.map(|trace| ("traceparent", trace)));
        assert_eq!(
            text(&served.post(&headers, &call.to_string()).message()),
            expected,
            "{of_message:?} {of_head:?}"
        );
        if of_head.is_none() {
            assert_eq!(text(&spoken.ask(call)), expected, "{of_message:?}");
        }
    }
    let mut read = modern_body("resources/read", json!({"uri": "fixture://trace_read"}));
    read["params"]["_meta"]["traceparent"] = json!(MESSAGE);
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "resources/read"),
        ("mcp-name", "fixture://trace_read"),
    ];
    let answer = served.post(&headers, &read.to_string()).json();
    assert_eq!(answer["result"]["contents"][0]["text"], MESSAGE);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn what_the_application_knows_of_a_request_reaches_the_tool() {
    let mcp = Server::new(registry()).into_axum_router().unwrap();
    let app: axum::Router = axum::Router::new()
        .nest_service("/mcp", mcp.layer(Layer(Tenant("museum"))))
        // A layer that is nearer to the server has the last word.
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

    let served = Served::serving(registry(), |server| server);
    assert_eq!(text(&served.call_modern("tenant", json!({}))), "none");
}

#[test]
fn a_completion_that_takes_long_holds_nobody_up() {
    let served = Served::serving(registry(), |server| server);
    let reference = json!({"type": "ref/resource", "uri": "fixture://find_slowly/{what}"});
    let params = json!({"ref": reference, "argument": {"name": "what", "value": "f"}});
    let threads = std::thread::available_parallelism().map_or(1, usize::from) + 1;
    let (state, changed) = &COMPLETING;
    std::thread::scope(|scope| {
        let completing: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| served.modern("completion/complete", params.clone()).json()))
            .collect();
        // More than the runtime has threads.
        let begun =
            changed.wait_timeout_while(state.lock().unwrap(), PATIENCE, |(count, _)| *count < threads);
        let all_began = !begun.unwrap().1.timed_out();
        let answer = all_began.then(|| served.call_modern("tenant", json!({})));
        state.lock().unwrap().1 = true;
        changed.notify_all();
        for completed in completing {
            assert_eq!(completed.join().unwrap()["result"]["completion"]["values"], json!(["found"]));
        }
        assert_eq!(text(&answer.expect("they hold up the runtime")), "none");
    });
}

#[test]
fn a_result_of_a_hundred_megabytes_is_refused_and_not_sent() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    let mut spoken = Spoken::with("beside");
    spoken.open(json!({}));
    let call = |bytes: u32| json!({"name": "flood", "arguments": {"bytes": bytes}});
    for answer in [
        served.modern("tools/call", call(100_000_000)).json(),
        session.request("tools/call", call(100_000_000)),
        spoken.ask(request(1, "tools/call", call(100_000_000))),
    ] {
        assert_eq!(answer["result"]["isError"], true);
        assert!(text(&answer).contains("100000000 bytes"), "{}", text(&answer));
        assert!(answer.to_string().len() < 1024);
    }
    // What is not too much arrives whole.
    for answer in [
        served.modern("tools/call", call(5_000_000)).json(),
        spoken.ask(request(2, "tools/call", call(5_000_000))),
    ] {
        assert_eq!(text(&answer).len(), 5_000_000);
    }
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_request_of_five_megabytes_is_refused_over_http_and_taken_on_stdio() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    let mut call = request(1, "tools/call", json!({"name": "tenant"}));
    call["params"]["arguments"]["padding"] = json!("x".repeat(5_000_000));
    let answer = session.post(&call.to_string());
    assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (413, Some(-32600)));
    let mut spoken = Spoken::with("beside");
    spoken.open(json!({}));
    let answer = spoken.ask(&call);
    assert!(text(&answer).contains("unknown input `padding`"), "{}", text(&answer));
    assert!(answer.to_string().len() < 1024);
    assert_eq!(spoken.end(), (vec![], true));
}
