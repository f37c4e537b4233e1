//! Both servers as parts of one application: on one port, beside its own routes, below its own layers, with its state.

mod tenants;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{Context, Registry, RegistryBuilder, tool};

/// The user that the application authenticated.
#[derive(Clone)]
struct User(String);

/// The shared state of the handlers.
#[derive(Clone)]
struct AppState {
    requests: Arc<AtomicUsize>,
}

/// Greets whoever is signed in.
#[tool(operation = Read, open_world = false)]
fn greet_signed_in(#[inject] context: Context) -> String {
    context.extension::<User>().map_or_else(|| "Who are you?".to_owned(), |user| format!("Hello {}", user.0))
}

fn registry() -> Registry {
    let builder: RegistryBuilder = Registry::builder().linked();
    builder.select(|tool| tool.name() == "greet_signed_in").build().unwrap()
}

/// Signs in the user of a header; a real application would look up a session.
async fn sign_in(mut request: Request, next: Next) -> Response {
    let user = request.headers().get("x-user").and_then(|user| user.to_str().ok());
    if let Some(user) = user.map(|user| User(user.to_owned())) {
        request.extensions_mut().insert(user);
    }
    next.run(request).await
}

async fn count(State(state): State<AppState>, user: Option<Extension<User>>) -> String {
    let requests = state.requests.fetch_add(1, Ordering::SeqCst) + 1;
    format!("{requests} {}", user.map_or_else(String::new, |user| user.0.0))
}

/// Builds the application with its tools under a prefix, or at the root if that is empty.
fn application(prefix: &str) -> Router {
    let options = tool_http::Options::new().allow_execute(true);
    let tools = tool_http::router_with(registry(), options);
    let mcp = tool_mcp::Server::new(registry()).into_axum_router().unwrap();
    let app = Router::<AppState>::new().route("/count", get(count)).nest_service("/mcp", mcp);
    let app =
        if prefix.is_empty() { app.merge(tools.with_state(())) } else { app.nest_service(prefix, tools) };
    app.layer(from_fn(sign_in)).with_state(AppState { requests: Arc::default() })
}

struct TestServer {
    runtime: Runtime,
    address: SocketAddr,
    agent: ureq::Agent,
}

impl TestServer {
    fn start(app: Router) -> Self {
        let runtime = Runtime::new().unwrap();
        let address = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(async { axum::serve(listener, app).await });
            address
        });
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        TestServer { runtime, address, agent }
    }

    fn get(&self, path: &str) -> (u16, String) {
        let request = self.agent.get(format!("http://{}{path}", self.address));
        let mut response = request.header("x-user", "Ada").call().unwrap();
        (response.status().as_u16(), response.body_mut().read_to_string().unwrap())
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.agent.post(format!("http://{}{path}", self.address));
        let request = request.header("x-user", "Ada").header("content-type", "application/json");
        let request = request.header("accept", "application/json, text/event-stream");
        let mut response = request.send(body.to_string()).unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), serde_json::from_str(&text).unwrap_or_else(|_| text.into()))
    }
}

#[test]
fn mounts_tools_and_mcp_in_an_application() {
    for (given, prefix) in [("", ""), ("/api", "/api"), ("/api/", "/api"), ("/a/b", "/a/b")] {
        let server = TestServer::start(application(given));
        // The routes of the application still work.
        assert_eq!(server.get("/count"), (200, "1 Ada".to_owned()), "{given}");
        assert_eq!(server.get("/count").1, "2 Ada");
        let (status, list) = server.get(&format!("{prefix}/tools"));
        assert!(status == 200 && list.starts_with(r#"[{"name":"greet_signed_in""#), "{given}: {list}");
        assert_eq!(server.get(&format!("{prefix}/tools/greet_signed_in")).0, 200, "{given}");
        assert_eq!(server.get(&format!("{prefix}/openapi.json")).0, 200, "{given}");

        // The tool receives the extension set by the application.
        let (status, answer) = server.post(&format!("{prefix}/tools/greet_signed_in/call"), &json!({}));
        assert_eq!((status, &answer["content"][0]["text"]), (200, &json!("Hello Ada")), "{given}");

        // JSON-RPC and MCP on the same port.
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let (_, list) = server.post(&format!("{prefix}/mcp/tools/list"), &request);
        assert_eq!(list["result"]["tools"][0]["name"], "greet_signed_in", "{given}: {list}");
        let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        }});
        for path in ["/mcp", "/mcp/"] {
            let (status, answer) = server.post(path, &mcp);
            let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
            assert!(status == 200 && text.contains("serverInfo"), "{given}: {status} {text}");
        }
        assert!(server.get(&format!("{prefix}/")).1.contains("<!doctype html>"), "{given}");
        drop(server.runtime);
    }
}
