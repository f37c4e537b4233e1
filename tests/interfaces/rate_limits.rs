//! A rate limit refuses calls on every interface, and says when they are possible again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::{Map, Value, json};
use tool_cli::{App, Buffer, Streams};
use tool_core::audit::AuditEvent;
use tool_core::layer::RateLimit;
use tool_core::{DynamicTool, Operation, Output, Principal, Registry, ToolDefinition};
use tower::ServiceExt as _;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// The answer of an interface to a call.
#[derive(Debug, PartialEq)]
enum Answer {
    Success,
    /// The kind, and in how many seconds the call is possible.
    Refused(String, u64),
}

/// One registry on all interfaces, whose tool may be called twice in a minute, by all callers together.
struct Limited {
    registry: Registry,
    http: Router,
    mcp: Router,
    session: String,
    runs: Arc<AtomicUsize>,
    outcomes: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy, Debug)]
enum Interface {
    Http,
    Modern,
    Legacy,
    CommandLine,
    TwoStep,
}

impl Limited {
    async fn start() -> Self {
        let runs = Arc::<AtomicUsize>::default();
        let outcomes = Arc::<Mutex<Vec<String>>>::default();
        let definition = ToolDefinition::builder("ring", "Rings the bell.").operation(Operation::Write);
        let tool = {
            let runs = Arc::clone(&runs);
            DynamicTool::new(definition.build().unwrap(), move |_, _: Map<String, Value>| {
                runs.fetch_add(1, Ordering::SeqCst);
                async { Ok(Output::text("ding")) }
            })
        };
        let sink = {
            let outcomes = Arc::clone(&outcomes);
            move |event: &AuditEvent<'_>| {
                let outcome = event.outcome.map_or_else(|kind| kind.codes().error_type, |()| "success");
                outcomes.lock().unwrap().push(format!("{} {outcome}", event.name));
            }
        };
        let limit =
            RateLimit::new(2, Duration::from_secs(60)).by(|request| request.definition().name().to_owned());
        let registry = Registry::builder().tool(tool).audit(sink).layer(limit).build().unwrap();
        let http = tool_http::router_with(registry.clone(), tool_http::Options::new().allow_execute(true));
        let mcp = tool_mcp::Server::new(registry.clone()).into_axum_router().unwrap();
        let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }});
        let (headers, _) = post(&mcp, "/", &[], &initialize).await;
        let session = headers["mcp-session-id"].to_str().unwrap().to_owned();
        Limited { registry, http, mcp, session, runs, outcomes }
    }

    async fn call(&self, interface: Interface) -> Answer {
        match interface {
            Interface::Http => {
                let (headers, body) = post(&self.http, "/tools/ring/call", &[], &json!({})).await;
                let Some(wait) = headers.get("retry-after") else { return Answer::Success };
                let wait = wait.to_str().unwrap().parse().unwrap();
                assert_eq!((&body["retryable"], &body["retryAfterSeconds"]), (&json!(true), &json!(wait)));
                Answer::Refused(body["kind"].as_str().unwrap().to_owned(), wait)
            }
            Interface::Modern => {
                let params = json!({"name": "ring", "_meta": meta()});
                let headers =
                    [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "ring")];
                self.mcp(&self.mcp, &headers, params).await
            }
            Interface::Legacy => {
                let headers = [("mcp-protocol-version", LEGACY), ("mcp-session-id", &self.session)];
                self.mcp(&self.mcp, &headers, json!({"name": "ring"})).await
            }
            Interface::TwoStep => {
                let server = tool_mcp::Server::new(self.registry.clone())
                    .name("bell")
                    .discovery(tool_mcp::Discovery::TwoStep);
                let params = json!({"name": "call_tool", "arguments": {"server": "bell", "tool_name": "ring"}, "_meta": meta()});
                let headers = [
                    ("mcp-protocol-version", MODERN),
                    ("mcp-method", "tools/call"),
                    ("mcp-name", "call_tool"),
                ];
                self.mcp(&server.into_axum_router().unwrap(), &headers, params).await
            }
            Interface::CommandLine => {
                let (stdout, stderr) = (Buffer::default(), Buffer::default());
                let streams = Streams::new(std::io::empty(), stdout.clone(), stderr);
                let app = App::new("bell", self.registry.clone());
                let code = app.run_with(["run", "ring", "--yes", "--format", "json"], streams).await;
                let body: Value = serde_json::from_str(&stdout.text()).unwrap();
                assert_eq!(code, if body["success"] == true { 0 } else { 14 }, "{body}");
                let Some(wait) = body.get("retry_after_seconds") else { return Answer::Success };
                Answer::Refused(body["error_type"].as_str().unwrap().to_owned(), wait.as_u64().unwrap())
            }
        }
    }

    async fn mcp(&self, router: &Router, headers: &[(&str, &str)], params: Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let (_, body) = post(router, "/", headers, &message).await;
        let result = &body["result"];
        if result["isError"] != true {
            assert_eq!(result["content"][0]["text"], "ding", "{body}");
            return Answer::Success;
        }
        let meta = &result["_meta"];
        assert_eq!(meta["tool-core/retryable"], true);
        let kind = meta["tool-core/kind"].as_str().unwrap().to_owned();
        Answer::Refused(kind, meta["tool-core/retryAfterSeconds"].as_u64().unwrap())
    }
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

async fn post(router: &Router, path: &str, headers: &[(&str, &str)], body: &Value) -> (HeaderMap, Value) {
    let mut request = Request::post(path)
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
    let headers = response.headers().clone();
    let bytes = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let event = text.lines().filter_map(|line| line.strip_prefix("data:")).find(|data| data.contains('{'));
    let body = event.unwrap_or(&text);
    (headers, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {text}")))
}

#[tokio::test(start_paused = true)]
async fn refuses_calls_until_the_time_that_it_says() {
    let all =
        [Interface::Http, Interface::Modern, Interface::Legacy, Interface::CommandLine, Interface::TwoStep];
    for interface in all {
        let limited = Limited::start().await;
        assert_eq!(limited.call(interface).await, Answer::Success, "{interface:?}");
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(limited.call(interface).await, Answer::Success, "{interface:?}");
        let refused = |wait| Answer::Refused("rate_limited".to_owned(), wait);
        // 29.5 seconds, in whole ones.
        for other in all {
            assert_eq!(limited.call(other).await, refused(30), "{other:?}");
        }
        tokio::time::advance(Duration::from_secs(29)).await;
        assert_eq!(limited.call(interface).await, refused(1), "{interface:?}");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(limited.call(interface).await, Answer::Success, "{interface:?}");

        assert_eq!(limited.runs.load(Ordering::SeqCst), 3, "a refused call never runs");
        let outcomes = limited.outcomes.lock().unwrap();
        let count = |outcome: &str| outcomes.iter().filter(|other| *other == outcome).count();
        assert_eq!(
            (count("ring success"), count("ring rate_limited"), outcomes.len()),
            (3, 6, 9),
            "{outcomes:?}"
        );
    }
}

#[tokio::test]
async fn limits_selected_calls_of_each_caller() {
    let tool = |name: &str| {
        let definition = ToolDefinition::builder(name, "Rings a bell.").operation(Operation::Write);
        DynamicTool::new(definition.build().unwrap(), |_, _: Map<String, Value>| async {
            Ok(Output::text("ding"))
        })
    };
    let limit = RateLimit::new(1, Duration::from_secs(60))
        .select(|request| request.definition().name() == "ring_limited");
    let builder = Registry::builder().tool(tool("ring_limited")).tool(tool("ring_freely"));
    let registry = builder.layer(limit).build().unwrap();
    let refused = Some("`ring_limited` was not run: at most 1 call is allowed per 60s");
    for (caller, tool, expected) in [
        ("ada", "ring_limited", None),
        ("ada", "ring_limited", refused),
        ("ada", "ring_freely", None),
        ("ada", "ring_freely", None),
        ("bob", "ring_limited", None),
        ("bob", "ring_limited", refused),
    ] {
        let result = registry.as_principal(Principal::new(caller)).call(tool, json!({})).await;
        let message = result.err().map(|failure| failure.message().to_owned());
        assert_eq!(message.as_deref(), expected, "{caller} {tool}");
    }
}
