//! Providers of tools: lists, functions, `async` functions and registries; how often they are called, and their failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::Request;
use tool_core::provider::{Cached, IntoToolsProvider, Provider};
use tool_core::{DynamicTool, Operation, Output, Registry, Tool, ToolDefinition};
use tool_http::{Options, Server, router, router_with};

use crate::client::{Answer, exchange, get, post, request, send_to};
use crate::tools::registry;

fn tool(name: &str) -> Arc<dyn Tool> {
    let definition =
        ToolDefinition::builder(name, "Says its name.").operation(Operation::Read).build().unwrap();
    let name = name.to_owned();
    Arc::new(DynamicTool::new(definition, move |_, _: serde_json::Value| {
        let name = name.clone();
        async move { Ok(Output::text(name)) }
    }))
}

fn list() -> Vec<Arc<dyn Tool>> {
    vec![tool("b"), tool("a")]
}

async fn look() -> Result<Vec<Arc<dyn Tool>>, std::io::Error> {
    Ok(list())
}

async fn serves<Marker>(provider: impl IntoToolsProvider<Marker>) {
    let router = router_with(provider, Options::new().allow_execute(true));
    assert_eq!(
        get(&router, "/tools").await.body,
        concat!(
            r#"[{"name":"a","description":"Says its name.","annotations":{"readOnlyHint":true,"destructiveHint":false,"#,
            r#""idempotentHint":true,"openWorldHint":true},"operation":"read"},{"name":"b","#,
            r#""description":"Says its name.","annotations":{"readOnlyHint":true,"destructiveHint":false,"#,
            r#""idempotentHint":true,"openWorldHint":true},"operation":"read"}]"#,
        )
    );
    let answer = post(&router, "/tools/b/call", "{}").await;
    assert_eq!(
        answer.masked(),
        r#"{"content":[{"type":"text","text":"b"}],"isError":false,"_meta":{"callId":"…"}}"#
    );
}

#[tokio::test]
async fn serves_any_provider() {
    serves(list()).await;
    serves(list).await;
    serves(look).await;
    let builder = list().into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::tool);
    serves(builder.build().unwrap()).await;
    serves(Cached::new(std::time::Duration::from_secs(9), look)).await;
    serves(Registry::builder().allow_empty().build().unwrap().providing(look)).await;
}

/// A tool without an operation has no annotations, and what is absent is not `null`.
#[tokio::test]
async fn omits_unknown_properties() {
    let definition = ToolDefinition::builder("odd", "Is odd.").build().unwrap();
    let odd = || async { Ok(Output::empty()) };
    let odd: Arc<dyn Tool> = Arc::new(DynamicTool::new(definition, move |_, _: serde_json::Value| odd()));
    let router = router(vec![odd]);
    assert_eq!(get(&router, "/tools").await.body, r#"[{"name":"odd","description":"Is odd."}]"#);
    let detail = get(&router, "/tools/odd").await.body;
    assert!(
        detail.starts_with(r#"{"name":"odd","description":"Is odd.","inputSchema":{"type":"object""#),
        "{detail}"
    );
    assert!(!detail.contains("null") && !detail.contains("annotations") && !detail.contains("modifying"));
}

fn counted(queries: &Arc<AtomicUsize>) -> Provider {
    let queries = Arc::clone(queries);
    let registry = registry();
    (move || {
        queries.fetch_add(1, Ordering::SeqCst);
        Ok::<_, std::io::Error>(registry.clone())
    })
    .into_provider()
}

#[tokio::test]
async fn queries_the_provider_once_per_request() {
    let queries = Arc::new(AtomicUsize::new(0));
    let on = router_with(counted(&queries), Options::new().allow_execute(true));
    let off = router(counted(&queries));
    let bearer = tool_core::authentication::Bearer::new();
    let protected = Options::new().authenticator(bearer).protect_discovery(true).allow_execute(true);
    let protected = router_with(counted(&queries), protected);
    for (router, method, path, body, status, times) in [
        (&on, "GET", "/tools", "", 200, 1),
        (&on, "HEAD", "/tools", "", 200, 1),
        (&on, "GET", "/tools?q=add&limit=1&detail=full", "", 200, 1),
        (&on, "GET", "/tools?profile=openai", "", 200, 1),
        (&on, "GET", "/tools/add", "", 200, 1),
        (&on, "GET", "/tools/nope", "", 404, 1),
        (&on, "GET", "/tools/add/inputs", "", 200, 1),
        (&on, "POST", "/tools/add/validate", "{}", 200, 1),
        (&on, "POST", "/tools/add/call", r#"{"a":1}"#, 200, 1),
        (&on, "POST", "/tools/nope/call", "{}", 404, 1),
        (&on, "GET", "/mcp/tools/list", "", 200, 1),
        (&on, "POST", "/mcp/tools/list", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, 200, 1),
        (&on, "GET", "/openapi.json", "", 200, 1),
        (&on, "GET", "/tools?nope=1", "", 400, 0),
        (&on, "GET", "/nope", "", 404, 1),
        (&on, "GET", "/city", "", 200, 1),
        (&on, "DELETE", "/city", "", 405, 1),
        (&off, "GET", "/city", "", 404, 0),
        (&on, "PUT", "/tools", "", 405, 0),
        (&on, "GET", "/tools/%ff", "", 400, 0),
        (&on, "POST", "/mcp/tools/list", "[]", 200, 0),
        (&off, "POST", "/tools/add/call", "{}", 403, 0),
        (&protected, "GET", "/tools", "", 401, 0),
        (&protected, "GET", "/openapi.json", "", 401, 0),
        (&protected, "GET", "/mcp/tools/list", "", 401, 0),
        (&protected, "POST", "/tools/add/call", "{}", 401, 0),
    ] {
        queries.store(0, Ordering::SeqCst);
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let answer = send_to(router, request.body(Body::from(body)).unwrap()).await;
        assert_eq!((answer.status, queries.load(Ordering::SeqCst)), (status, times), "{method} {path}");
    }
}

#[tokio::test]
async fn lists_the_current_tools() {
    let round = AtomicUsize::new(0);
    let router = router(move || vec![tool(["a", "b"][round.fetch_add(1, Ordering::SeqCst) % 2])]);
    let mut tags = Vec::new();
    for name in ["a", "b", "a"] {
        let answer = get(&router, "/tools").await;
        assert!(answer.body.starts_with(&format!(r#"[{{"name":"{name}""#)), "{}", answer.body);
        tags.push(answer.header("etag").to_owned());
    }
    assert_ne!(tags[0], tags[1]);
    assert_eq!(tags[0], tags[2]);
}

#[tokio::test]
async fn reports_provider_failures_as_errors() {
    let fails = || Err::<Vec<Arc<dyn Tool>>, _>(std::io::Error::other("the password is swordfish"));
    let panics = || -> Vec<Arc<dyn Tool>> { panic!("the password is swordfish") };
    for provider in [fails.into_provider(), panics.into_provider()] {
        let router = router_with(provider, Options::new().allow_execute(true));
        let is_error = |answer: Answer| {
            assert_eq!(
                (answer.status, &*answer.body),
                (500, r#"{"error":"Internal error discovering tools"}"#)
            );
            assert_eq!(answer.header("etag"), "");
        };
        for path in ["/tools", "/tools?detail=full", "/tools/add", "/tools/add/inputs", "/openapi.json"] {
            is_error(get(&router, path).await);
        }
        is_error(post(&router, "/tools/add/validate", "{}").await);
        is_error(post(&router, "/tools/add/call", "{}").await);
    }
}

#[tokio::test]
async fn starts_with_a_failing_provider() {
    let round = Arc::new(AtomicUsize::new(0));
    let provider = {
        let round = Arc::clone(&round);
        move || match round.load(Ordering::SeqCst) {
            0 => Err(std::io::Error::other("no route to host")),
            _ => Ok(list()),
        }
    };
    let server = Server::new(provider).bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    tokio::spawn(server.run(std::future::pending()));
    let tools = || async move { exchange(address, &request("GET /tools", &["Host: localhost"], "")).await };
    assert_eq!(tools().await.status, 500);
    let health = exchange(address, &request("GET /health", &["Host: localhost"], "")).await;
    assert_eq!(health.status, 200);
    round.store(1, Ordering::SeqCst);
    assert_eq!(tools().await.status, 200);
}

#[tokio::test]
async fn starts_without_waiting_for_a_provider_that_hangs() {
    let hangs = || std::future::pending::<Result<Registry, std::io::Error>>();
    let options = tool_http::ServerOptions::from(Options::new()).request_timeout(std::time::Duration::MAX);
    let bound = Server::new(hangs).options(options).bind("127.0.0.1:0");
    let bound = tokio::time::timeout(std::time::Duration::from_secs(60), bound).await;
    assert_ne!(bound.expect("it waits for the provider").unwrap().local_addr().port(), 0);
}
