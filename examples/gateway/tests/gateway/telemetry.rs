//! A trace through two gateways to a server behind them.

use std::process::Command;
use std::sync::{Arc, Mutex};

use fixture_collector::{Collector, Program, Span};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
use tool_mcp::Server;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Starts a gateway in front of one server.
fn start(
    name: &str,
    upstream: (&str, &str),
    folder: &TempDir,
    server: &[&str],
    collector: &Collector,
) -> Program {
    let config = folder.path().join(format!("{name}.json"));
    let (server_name, url) = upstream;
    std::fs::write(&config, json!({"mcpServers": {server_name: {"url": url}}}).to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.env("GATEWAY_CONFIG", &config).env("GATEWAY_CREDENTIALS", folder.path().join("credentials"));
    Program::start(&mut command, &[&["serve"], server].concat(), collector)
}

/// Returns the spans from this one up to the span that the client has sent.
fn ancestry(spans: &[Span], tool: &Span) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = Some(tool);
    while let Some(span) = next {
        assert_eq!(span.trace, TRACE);
        let kind = span.kind.as_str_name().trim_start_matches("SPAN_KIND_").to_lowercase();
        found.push(format!("{kind} {}", span.name));
        next = spans.iter().find(|parent| parent.id == span.parent);
        if next.is_none() {
            found.push(span.parent.clone());
        }
    }
    found
}

#[test]
fn passes_a_trace_on() {
    let traces = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&traces);
    let definition = ToolDefinition::builder("trace", "Returns the trace.").operation(Operation::Read);
    let definition = definition.input_schema(json!({"type": "object", "properties": {}})).build().unwrap();
    let trace = DynamicTool::new(definition, move |context, _: Value| {
        seen.lock().unwrap().extend(context.traceparent().map(|trace| trace.to_string()));
        async { Ok(Output::text("done")) }
    });
    let runtime = Runtime::new().unwrap();
    let registry = Registry::builder().tool(trace).build().unwrap();
    let url = runtime.block_on(crate::serve(Server::new(registry).name("last")));
    let folder = tempfile::tempdir().unwrap();

    for (caller, over_http) in [("00f067aa0ba902b7", true), ("00f067aa0ba902b8", false)] {
        let collector = Collector::start();
        let second = start("second", ("last", &url), &folder, &["mcp", "--discovery", "direct"], &collector);
        let first: &[&str] =
            if over_http { &["http", "--allow-execute"] } else { &["mcp", "--discovery", "direct"] };
        let first = start("first", ("second", &second.url("/mcp")), &folder, first, &collector);
        let traceparent = format!("00-{TRACE}-{caller}-01");
        let tool = "second__last__trace";
        let request = if over_http {
            ureq::post(first.url(&format!("/tools/{tool}/call"))).header("traceparent", &traceparent)
        } else {
            let request =
                ureq::post(first.url("/mcp")).header("accept", "application/json, text/event-stream");
            let request = request.header("mcp-protocol-version", "2026-07-28");
            request.header("mcp-method", "tools/call").header("mcp-name", tool)
        };
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "traceparent": traceparent,
        });
        let params = json!({"name": tool, "arguments": {}, "_meta": meta});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let body = if over_http { json!({}) } else { call };
        let mut response = request.content_type("application/json").send(body.to_string()).unwrap();
        let answer = response.body_mut().read_to_string().unwrap();
        assert!(answer.contains("done"), "{answer}");
        first.stop();
        second.stop();

        collector.check_names();
        let spans = collector.spans();
        // The server behind both is in this process, which exports nothing: its parent is what it was sent.
        let sent = traces.lock().unwrap().pop().expect("a trace");
        let last = spans.iter().find(|span| span.id == sent[36..52]).expect("the parent of the last server");
        let server = if over_http {
            "server POST /tools/{name}/call"
        } else {
            "server tools/call second__last__trace"
        };
        assert_eq!(
            ancestry(&spans, last),
            [
                "client tools/call trace",
                "internal execute_tool last__trace",
                "server tools/call last__trace",
                "client tools/call last__trace",
                "internal execute_tool second__last__trace",
                server,
                caller,
            ]
        );
    }
}
