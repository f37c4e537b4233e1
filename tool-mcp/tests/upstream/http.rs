//! Upstreams over HTTP.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;
use tool_core::failure::Reason;
use tool_core::progress::Progress;
use tool_core::provider::{IntoToolsProvider as _, Provider};
use tool_core::{
    CallOptions, Context, DynamicTool, Failure, FailureKind, Operation, Output, Tool, ToolDefinition,
};
use tool_mcp::upstream::{State, Upstream};
use tool_mcp::{Changes, Server};

use crate::hostile;
use crate::support::{servers, servers_as, within};

/// A `tool_mcp` server in this process.
struct TestServer {
    addr: SocketAddr,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), tool_mcp::ServeError>>,
}

impl TestServer {
    async fn start(server: Server, addr: impl Into<Option<SocketAddr>>) -> Self {
        let addr = addr.into().unwrap_or_else(|| ([127, 0, 0, 1], 0).into());
        let http = server.shutdown_deadline(Duration::from_millis(100)).serve_http(addr).await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let addr = http.local_addr();
        let running = tokio::spawn(http.run_until(async { drop(stopped.await) }));
        TestServer { addr, stop, running }
    }

    fn upstream(&self, name: &str) -> Upstream {
        Upstream::url(name, format!("http://{}/mcp", self.addr))
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        within(self.running).await.unwrap().unwrap();
    }
}

fn tool<F>(
    name: &str,
    operation: Operation,
    function: impl Fn(Context, Value) -> F + Send + Sync + 'static,
) -> Arc<dyn Tool>
where
    F: Future<Output = Result<Output, Failure>> + Send + 'static,
{
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let definition =
        ToolDefinition::builder(name, "Does something.").operation(operation).input_schema(schema);
    Arc::new(DynamicTool::new(definition.build().unwrap(), function))
}

fn echo() -> Arc<dyn Tool> {
    tool("echo", Operation::Read, |context, arguments| async move {
        context.progress(1, 2, "half");
        Ok(Output::text(arguments["text"].as_str().unwrap_or_default()))
    })
}

fn provider(tools: Vec<Arc<dyn Tool>>) -> Provider {
    tools.into_provider()
}

#[tokio::test]
async fn lists_and_calls_tools() {
    let server =
        TestServer::start(Server::new(provider(vec![echo()])).name("ours").version("3.1.4"), None).await;
    let servers = servers([server.upstream("web")]);
    let registry = servers.registry().await;
    assert_eq!(registry.tools().map(ToolDefinition::name).collect::<Vec<_>>(), ["web__echo"]);
    let output = servers.call("web__echo", json!({"text": "hello"})).await.unwrap();
    assert_eq!(output.value(), "hello");
    let status = servers.status("web");
    assert_eq!(
        (status.protocol.as_deref(), status.identity.as_deref()),
        (Some("2026-07-28"), Some("ours 3.1.4"))
    );
    // Concurrent calls, each with its own answer.
    let calls = (0..50).map(|n| {
        let (registry, text) = (registry.clone(), format!("call {n}"));
        tokio::spawn(async move {
            (registry.call("web__echo", json!({"text": text})).await.unwrap().value(), text)
        })
    });
    for call in calls.collect::<Vec<_>>() {
        let (output, text) = within(call).await.unwrap();
        assert_eq!(output, text);
    }
}

#[tokio::test]
async fn cancels_a_dropped_read() {
    let (started, dropped) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let slow = {
        let (started, dropped) = (Arc::clone(&started), Arc::clone(&dropped));
        tool("slow", Operation::Read, move |_, _| {
            struct DropGuard(Arc<Semaphore>);
            impl Drop for DropGuard {
                fn drop(&mut self) {
                    self.0.add_permits(1);
                }
            }
            let guard = DropGuard(Arc::clone(&dropped));
            started.add_permits(1);
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        })
    };
    let server = TestServer::start(Server::new(provider(vec![slow])), None).await;
    let servers = servers([server.upstream("web")]);
    let registry = servers.registry().await;
    tokio::select! {
        _ = registry.call("web__slow", json!({})) => panic!("the call never ends"),
        started = within(started.acquire()) => started.unwrap().forget(),
    }
    within(dropped.acquire()).await.unwrap().forget();
}

#[tokio::test]
async fn follows_list_changes() {
    let (changes, more) = (Changes::new(), Arc::new(Mutex::new(false)));
    let current_tools = {
        let more = Arc::clone(&more);
        move || {
            let mut tools = vec![echo()];
            if *more.lock().unwrap() {
                tools.push(tool("extra", Operation::Explain, |_, _| async { Ok(Output::text("extra")) }));
            }
            tools
        }
    };
    let server = TestServer::start(Server::new(current_tools).changes(&changes), None).await;
    let servers = servers([server.upstream("web")]);
    assert_eq!(servers.names().await, ["web__echo"]);
    for (has_extra, expected) in [(true, 2), (false, 1)] {
        *more.lock().unwrap() = has_extra;
        changes.notify();
        within(servers.upstreams.wait_for("web", |status| status.tools == expected)).await;
        assert_eq!(servers.names().await.len(), expected);
    }
}

#[tokio::test]
async fn recovers_after_a_server_restarts() {
    let server = TestServer::start(Server::new(provider(vec![echo()])), None).await;
    let addr = server.addr;
    let servers = servers([server.upstream("web")]);
    let registry = servers.registry().await;
    server.stop().await;
    let failure = within(registry.call("web__echo", json!({}))).await.unwrap_err();
    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Failed(Reason::Unavailable), true));
    assert!(failure.message().contains("server `web`"), "{failure}");
    let down = servers.down("web").await;
    assert!(down.contains("connect") || down.contains("closed"), "{down}");
    assert!(!down.contains("127.0.0.1"), "no address: {down}");
    let is_refused = |status: &tool_mcp::upstream::Status| matches!(&status.state, State::Down { reason, .. } if reason.starts_with("it cannot be connected to"));
    within(servers.upstreams.wait_for("web", is_refused)).await;
    let tools = servers.toolset().await;
    assert_eq!(tools.registry().tools().count(), 0, "no fake tools");
    assert!(tools.skipped()[0].to_string().starts_with("provider `web`: it is "), "{:?}", tools.skipped());

    let _server = TestServer::start(Server::new(provider(vec![echo()])), addr).await;
    within(servers.upstreams.wait_for("web", |status| status.state == State::Up)).await;
    assert_eq!(servers.call("web__echo", json!({"text": "back"})).await.unwrap().value(), "back");
}

#[tokio::test]
async fn forwards_list_changes_and_progress() {
    let changes = Changes::new();
    let inner = servers_as([hostile::server("one", "legacy")], |builder| builder.changes(&changes));
    let outer = Server::new(inner.upstreams.clone()).changes(&changes);
    let server = TestServer::start(outer, None).await;
    let before = servers([server.upstream("ours")]);
    assert_eq!(before.names().await.len(), 20);
    within(before.call("ours__one__change", json!({}))).await.unwrap();
    within(before.upstreams.wait_for("ours", |status| status.tools == 21)).await;
    assert!(before.names().await.contains(&"ours__one__extra".to_owned()));

    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let reports = Arc::clone(&reports);
        move |report: &Progress<'_>| reports.lock().unwrap().push((report.done, report.message.to_owned()))
    };
    let registry = before.registry().await.with_options(&CallOptions::new().progress(Arc::new(sink)));
    within(registry.call("ours__one__progress", json!({}))).await.unwrap();
    let reports = reports.lock().unwrap().clone();
    assert_eq!(reports.last(), Some(&(100, "all".to_owned())), "{reports:?}");

    // Its calls fail when the inner server dies.
    let failure = within(before.registry().await.call("ours__one__die", json!({}))).await.unwrap_err();
    assert!(failure.message().contains("server `one` did not answer `one__die`"), "{failure}");
}

#[tokio::test]
async fn reports_connection_failures() {
    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let plain = serve_http(Router::new().fallback(|| async { "plain" })).await;
    for (url, expected) in [
        (format!("http://{unused}/mcp"), "Connection refused"),
        ("http://no-such-host.invalid/mcp".to_owned(), ""),
        (format!("https://{plain}/mcp"), ""),
    ] {
        let servers = servers([Upstream::url("far", &url)]);
        assert!(servers.names().await.is_empty());
        let down = servers.down("far").await;
        assert!(down.starts_with("down: it cannot be connected to: ") && down.contains(expected), "{down}");
    }
}

/// Serves a router that is not an MCP server.
async fn serve_http(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    addr
}

#[tokio::test]
async fn reports_unexpected_http_responses() {
    let secret = "0b7c5f1e9d2a";
    let html = || async { ([("content-type", "text/html")], "<h1>0b7c5f1e9d2a</h1>") };
    for (router, expected) in [
        (Router::new().fallback(|| async { StatusCode::UNAUTHORIZED }), "HTTP 401"),
        (
            Router::new().fallback(|| async {
                (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer realm=\"x\"")])
            }),
            "it requires authentication (HTTP 401)",
        ),
        (Router::new().fallback(|| async { StatusCode::BAD_GATEWAY }), "it answered with HTTP 502"),
        (Router::new().fallback(html), "nexpected content type"),
        (
            Router::new().fallback(|| async { ([("content-type", "application/json")], "{}") }),
            "it answered something unexpected",
        ),
        (Router::new().fallback(std::future::pending::<()>), "it did not start within 500ms"),
    ] {
        let addr = serve_http(router).await;
        let upstream = Upstream::url("odd", format!("http://{addr}/mcp?key={secret}"))
            .header("Authorization", format!("Bearer {secret}"))
            .start_timeout(Duration::from_millis(500));
        let servers = servers([upstream]);
        assert_eq!(servers.names().await, Vec::<String>::new());
        let down = servers.down("odd").await;
        assert!(down.contains(expected), "{down}");
        assert!(!down.contains(secret) && down.len() < 400, "{down}");
    }
}

#[tokio::test]
async fn sends_headers_only_to_the_configured_origin() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = |origin: &'static str| {
        let seen = Arc::clone(&seen);
        move |headers: HeaderMap| {
            let key = headers.get("x-key").map(|key| key.to_str().unwrap().to_owned());
            seen.lock().unwrap().push((origin, key));
        }
    };
    let record_redirected = record("there");
    let other = serve_http(Router::new().fallback(|headers: HeaderMap| async move {
        record_redirected(headers);
        StatusCode::OK
    }))
    .await;
    let record_first = record("here");
    let addr = serve_http(Router::new().fallback(move |headers: HeaderMap| async move {
        record_first(headers);
        (StatusCode::TEMPORARY_REDIRECT, [("location", format!("http://{other}/mcp"))]).into_response()
    }))
    .await;
    let servers = servers([Upstream::url("odd", format!("http://{addr}/mcp")).header("X-Key", "5")]);
    servers.names().await;
    servers.down("odd").await;
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|seen| *seen == ("here", Some("5".to_owned()))), "{seen:?}");
}
