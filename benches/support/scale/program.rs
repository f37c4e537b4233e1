//! `scale TOOLS all|absent|slow`: tools that come from twenty providers, how long it takes to find, list and search them, in
//! milliseconds, and the memory of this process, in kB. The last provider may be absent, or slow to answer.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_core::{DynamicTool, Output, Tool, ToolDefinition};
use tool_core::definition::DefinitionError;
use tool_core::provider::{Cached, IntoToolsProvider, Provider, Providers};
use tool_mcp::{Discovery, Server};
use tower::ServiceExt as _;

/// How often what is not done for the first time is repeated; the median counts.
const ROUNDS: usize = 15;
/// How often one of the providers has other tools.
const CHANGES: usize = 5;
const HOUR: Duration = Duration::from_secs(3600);
/// How long the slow provider takes.
const SLOW: Duration = Duration::from_millis(500);
const SEARCH: &str = "cancel a refund of a customer";
const MISSPELT: &str = "cancle a refnud of a custommer";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let tools: usize = words.next().unwrap().parse().unwrap();
    let last = words.next().unwrap();
    let empty = memory("VmRSS:");

    let (provider, parts) = providers(tools, &last);
    let (first, toolset) = timed(provider.tools()).await;
    let registry = toolset.unwrap().registry().clone();
    let there = registry.tools().len();
    let absent = if last == "absent" { catalogue::of(catalogue::PROVIDERS.len() - 1, tools).count() } else { 0 };
    assert_eq!(there, tools - absent);
    let found = memory("VmRSS:");
    let later = repeated(|| provider.tools()).await;

    let list = Server::new(provider.clone()).name("scale").into_axum_router().unwrap();
    let listing = || ask(&list, "tools/list", "", json!({}));
    let (list_first, bytes) = timed(async { received(listing().await).await }).await;
    let list_later = repeated(|| async { received(listing().await).await }).await;
    let body = collected(listing().await).await;
    assert_eq!(String::from_utf8_lossy(&body).matches("\"inputSchema\"").count(), there);
    assert_eq!(body.len(), bytes);
    drop(body);

    let (search_first, hits) = timed(async { registry.search(SEARCH).len() }).await;
    assert!(hits > 0);
    let search_later = repeated(|| async { registry.search(SEARCH).len() }).await;
    assert!(!registry.search(MISSPELT).is_empty());
    let search_misspelt = repeated(|| async { registry.search(MISSPELT).len() }).await;

    let two_steps = Server::new(provider.clone()).name("scale").discovery(Discovery::TwoStep);
    let two_steps = two_steps.into_axum_router().unwrap();
    let available = |arguments: Value| {
        let params = json!({"name": "list_available_tools", "arguments": arguments});
        let answer = ask(&two_steps, "tools/call", "list_available_tools", params);
        async { collected(answer.await).await }
    };
    let parsed = |body: &Bytes| {
        let answer: Value = serde_json::from_slice(body).unwrap();
        answer["result"]["structuredContent"].clone()
    };
    assert_eq!(parsed(&available(json!({})).await)["total"], there);
    let two_step_list = repeated(|| available(json!({}))).await;
    let server = json!({"filter_by_server": catalogue::PROVIDERS[0]});
    assert_eq!(parsed(&available(server.clone()).await)["total"], catalogue::of(0, tools).count());
    let two_step_server = repeated(|| available(server.clone())).await;
    assert_eq!(parsed(&available(json!({"search": SEARCH})).await)["total"], hits);
    let two_step_search = repeated(|| available(json!({"search": SEARCH}))).await;
    let resident = memory("VmRSS:");

    let mut changed = Vec::new();
    for _ in 0..CHANGES {
        parts[0].refresh();
        changed.push(timed(provider.tools()).await.0);
    }
    let mut last_changed = Vec::new();
    for _ in 0..CHANGES {
        parts[parts.len() - 1].refresh();
        last_changed.push(timed(provider.tools()).await.0);
    }
    let (list_changed, _) = timed(async { received(listing().await).await }).await;
    let report = json!({
        "first": first,
        "later": later,
        "changed": median(changed),
        "last_changed": median(last_changed),
        "list_first": list_first,
        "list_later": list_later,
        "list_changed": list_changed,
        "bytes": bytes,
        "search_first": search_first,
        "search_later": search_later,
        "search_misspelt": search_misspelt,
        "two_step_list": two_step_list,
        "two_step_server": two_step_server,
        "two_step_search": two_step_search,
        "empty": empty,
        "found": found,
        "resident": resident,
        "peak": memory("VmHWM:"),
    });
    println!("{report}");
}

/// All providers as one, and each of them.
fn providers(tools: usize, last: &str) -> (Provider, Vec<Arc<Cached>>) {
    let (mut all, mut parts) = (Providers::new(), Vec::new());
    for (number, name) in catalogue::PROVIDERS.into_iter().enumerate() {
        let is_last = number + 1 == catalogue::PROVIDERS.len();
        let (absent, slow) = (is_last && last == "absent", is_last && last == "slow");
        let part = Arc::new(Cached::new(HOUR, move || async move {
            if slow {
                tokio::time::sleep(SLOW).await;
            }
            if absent { Err(io::Error::other("no route to host")) } else { Ok(list(number, tools)) }
        }));
        parts.push(Arc::clone(&part));
        all = all.with_optional(name, part);
    }
    (all.into_provider(), parts)
}

fn list(provider: usize, tools: usize) -> Vec<Result<Arc<dyn Tool>, DefinitionError>> {
    let tool = |definition| -> Result<Arc<dyn Tool>, DefinitionError> {
        let definition = ToolDefinition::from_json(definition)?;
        Ok(Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })))
    };
    catalogue::of(provider, tools).map(tool).collect()
}

/// Asks a server of MCP.
fn ask(server: &Router, method: &str, name: &str, mut params: Value) -> impl Future<Output = Body> + use<> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "benches", "version": "1.0.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut request = Request::post("/")
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if !name.is_empty() {
        request = request.header("mcp-name", name);
    }
    let answer = server.clone().oneshot(request.body(Body::from(message.to_string())).unwrap());
    async move {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        answer.into_body()
    }
}

async fn collected(body: Body) -> Bytes {
    body.collect().await.unwrap().to_bytes()
}

/// How many bytes an answer has. As when it is sent, no part of it is copied to where the others are.
async fn received(mut body: Body) -> usize {
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        bytes += frame.unwrap().data_ref().map_or(0, Bytes::len);
    }
    bytes
}

/// The milliseconds until it is there, and what came of it.
async fn timed<T>(future: impl Future<Output = T>) -> (f64, T) {
    let began = Instant::now();
    let value = future.await;
    (began.elapsed().as_secs_f64() * 1e3, value)
}

async fn repeated<T, F: Future<Output = T>>(task: impl Fn() -> F) -> f64 {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(timed(task()).await.0);
    }
    median(times)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// What Linux tells of the memory of this process, in kB.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse().unwrap()
}
