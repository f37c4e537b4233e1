//! Traces and metrics of the program, as a collector receives them.

use std::process::Command;

use fixture_collector::{Attributes, Collector, Program, Span};
use serde_json::{Value, json};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// Returns the position of a caller.
fn traceparent(caller: &str) -> String {
    format!("00-{TRACE}-{caller}-01")
}

fn start(arguments: &[&str], collector: &Collector) -> Program {
    Program::start(&mut Command::new(env!("CARGO_BIN_EXE_weather")), arguments, collector)
}

fn post(url: &str, headers: &[(&str, &str)], body: &Value) -> (Value, Option<String>) {
    let mut request = ureq::post(url).config().http_status_as_error(false).build();
    request = request.header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.content_type("application/json").send(body.to_string()).unwrap();
    let session = response.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
    let text = response.body_mut().read_to_string().unwrap();
    (serde_json::from_str(&text).unwrap_or_default(), session)
}

/// Asserts that a span has these attributes, among others.
#[track_caller]
fn has(attributes: &Attributes, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(attributes.get(*name).map(String::as_str), Some(*value), "{name} in {attributes:#?}");
    }
}

#[track_caller]
fn is_child(child: &Span, parent: &Span) {
    assert_eq!((&child.trace, &child.parent), (&parent.trace, &parent.id), "{child:#?}\n{parent:#?}");
}

#[test]
fn exports_calls_over_http() {
    let collector = Collector::start();
    let weather = start(&["serve", "http", "--allow-execute"], &collector);
    let caller = traceparent(CALLER);
    let url = weather.url("/tools/explain_columns/call");
    let (answer, _) = post(&url, &[("traceparent", &caller)], &json!({}));
    assert_eq!(answer["isError"], false, "{answer}");
    let (answer, _) = post(&weather.url("/tools/get_weather/call"), &[], &json!({"city": "Atlantis"}));
    assert_eq!(answer["kind"], "invalid_input", "{answer}");
    weather.stop();

    let tool = collector.span("weather", "execute_tool explain_columns");
    let spans = collector.spans();
    let server = spans.iter().find(|span| span.id == tool.parent).expect("the parent of the tool");
    is_child(&tool, server);
    assert_eq!((&*server.trace, &*server.parent), (TRACE, CALLER));
    assert_eq!((&*server.name, server.kind.as_str_name()), ("POST /tools/{name}/call", "SPAN_KIND_SERVER"));
    assert!(!server.is_error && !tool.is_error);
    has(
        &server.attributes,
        &[
            ("http.request.method", "POST"),
            ("http.route", "/tools/{name}/call"),
            ("http.response.status_code", "200"),
            ("url.scheme", "http"),
            ("url.path", "/tools/explain_columns/call"),
            ("network.protocol.version", "1.1"),
            ("gen_ai.tool.name", "explain_columns"),
        ],
    );
    has(
        &tool.attributes,
        &[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "explain_columns"),
            ("gen_ai.tool.call.id", &server.attributes["gen_ai.tool.call.id"]),
        ],
    );

    let failed = collector.span("weather", "execute_tool get_weather");
    assert!(failed.is_error && failed.trace != TRACE);
    has(&failed.attributes, &[("error.type", "invalid_input")]);

    collector.check_names();
    let histograms = collector.histograms();
    let find = |name: &str, label: (&str, &str)| {
        let is_it = |it: &&_| {
            let it: &fixture_collector::Histogram = it;
            it.name == name && it.attributes.get(label.0).is_some_and(|value| value == label.1)
        };
        histograms.iter().find(is_it).unwrap_or_else(|| panic!("{name} {label:?} in {histograms:#?}"))
    };
    let request = find("http.server.request.duration", ("http.response.status_code", "200"));
    assert_eq!((&*request.unit, request.count, request.bounds[0]), ("s", 1, 0.005));
    let call = find("gen_ai.execute_tool.duration", ("gen_ai.tool.name", "get_weather"));
    assert_eq!((&*call.unit, call.count, call.bounds[0]), ("s", 1, 0.01));
    has(&call.attributes, &[("error.type", "invalid_input")]);
}

#[test]
fn exports_calls_over_mcp() {
    let collector = Collector::start();
    let weather = start(&["serve", "mcp"], &collector);
    let url = weather.url("/mcp");
    let version = "2026-07-28";
    let call = |id: &Value, name: &str, traceparent: Option<&str>| {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(traceparent) = traceparent {
            meta["traceparent"] = json!(traceparent);
        }
        let params = json!({"name": name, "arguments": {}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let headers =
        |name| [("mcp-protocol-version", version), ("mcp-method", "tools/call"), ("mcp-name", name)];
    let (of_message, of_request) = (traceparent(CALLER), traceparent("00000000000000aa"));
    let mut with_trace = headers("explain_columns").to_vec();
    with_trace.push(("traceparent", &of_request));
    post(&url, &with_trace, &call(&json!(7), "explain_columns", Some(&of_message)));
    let (answer, _) = post(&url, &headers("get_weather"), &call(&json!("failing"), "get_weather", None));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    for name in ["made_up_1", "made_up_2"] {
        post(&url, &headers(name), &call(&json!(name), name, None));
    }
    // A session of an earlier version, whose trace comes in the header.
    let capabilities = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": capabilities});
    let (_, session) = post(&url, &[], &initialize);
    let session = session.expect("a session");
    let read =
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "weather://tools"}});
    post(&url, &[("mcp-session-id", &session), ("traceparent", &of_request)], &read);
    weather.stop();

    let server = collector.span("weather", "tools/call explain_columns");
    assert_eq!((&*server.trace, &*server.parent, server.is_error), (TRACE, CALLER, false));
    assert_eq!(server.kind.as_str_name(), "SPAN_KIND_SERVER");
    has(
        &server.attributes,
        &[
            ("mcp.method.name", "tools/call"),
            ("mcp.protocol.version", version),
            ("jsonrpc.request.id", "7"),
            ("network.transport", "tcp"),
            ("network.protocol.name", "http"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "explain_columns"),
        ],
    );
    assert!(!server.attributes.contains_key("mcp.session.id"), "this version has no sessions");
    is_child(&collector.span("weather", "execute_tool explain_columns"), &server);

    let failed = collector.span("weather", "tools/call get_weather");
    assert!(failed.is_error);
    has(&failed.attributes, &[("error.type", "tool_error"), ("jsonrpc.request.id", "failing")]);

    let read = collector.span("weather", "resources/read");
    assert_eq!((&*read.trace, &*read.parent), (TRACE, "00000000000000aa"));
    has(&read.attributes, &[("mcp.resource.uri", "weather://tools"), ("mcp.protocol.version", "2025-11-25")]);
    let digest = &read.attributes["mcp.session.id"];
    assert!(digest.len() == 16 && !session.contains(&**digest), "{digest}");

    collector.check_names();
    let histograms = collector.histograms();
    let calls = histograms.iter().filter(|it| it.name == "mcp.server.operation.duration");
    let calls: Vec<_> = calls.filter(|it| it.attributes["mcp.method.name"] == "tools/call").collect();
    let tools: Vec<_> =
        calls.iter().map(|it| it.attributes.get("gen_ai.tool.name").map(|name| &**name)).collect();
    // Unknown names from clients are not labels.
    assert_eq!(calls.len(), 3, "{calls:#?}");
    assert!(
        [None, Some("explain_columns"), Some("get_weather")].iter().all(|name| tools.contains(name)),
        "{tools:?}"
    );
    assert!(calls.iter().all(|it| it.unit == "s" && it.bounds[0] == 0.01));
}

#[test]
fn exports_nothing_without_a_collector() {
    let collector = Collector::start();
    let mut command = Command::new(env!("CARGO_BIN_EXE_weather"));
    let output = collector.configure(&mut command).env_remove("OTEL_EXPORTER_OTLP_ENDPOINT");
    assert!(output.args(["run", "explain_columns"]).output().unwrap().status.success());
    assert!(collector.spans().is_empty());
    let mut command = Command::new(env!("CARGO_BIN_EXE_weather"));
    let output = collector.configure(&mut command).args(["run", "explain_columns"]).output().unwrap();
    assert!(output.status.success());
    let tool = collector.span("weather", "execute_tool explain_columns");
    assert!(tool.parent.is_empty());
}
