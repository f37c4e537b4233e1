use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
use tower::ServiceExt as _;

use super::*;
use crate::handlers::Handler;
use crate::http::headers::SESSION;
use crate::http::{Policy, router_until};
use crate::protocol::{MOST_REQUESTS, Outgoing as _};
use crate::server::Server;

/// Longer than a session may be idle.
const LONG: Duration = Duration::from_secs(20 * 60);

/// An endpoint with one slow tool.
fn endpoint() -> Router {
    router_until(handler(), &Policy::default(), LONG, std::future::pending())
}

fn handler() -> Arc<Handler> {
    let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
    let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
    let think = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async {
        tokio::time::sleep(LONG).await;
        Ok(Output::text("42"))
    });
    let registry = Registry::builder().tool(think).build().unwrap();
    Server::new(registry).handler_checked_at_once(Some(Principal::anonymous())).unwrap()
}

async fn post(router: &Router, session: &str, message: Value) -> axum::response::Response {
    router.clone().oneshot(request(session, &message)).await.unwrap()
}

fn request(session: &str, message: &Value) -> Request<Body> {
    let request = Request::post("/").header("host", "localhost").header("content-type", "application/json");
    let mut request = request.header("accept", "application/json, text/event-stream");
    if !session.is_empty() {
        request = request.header(SESSION, session).header("mcp-protocol-version", "2025-11-25");
    }
    request.body(Body::from(message.to_string())).unwrap()
}

async fn open(router: &Router) -> String {
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
    }});
    let answer = post(router, "", initialize).await;
    let session = answer.headers()[SESSION].to_str().unwrap().to_owned();
    drop(answer.into_body().collect().await.unwrap());
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(router, &session, initialized).await.status(), 202);
    session
}

#[tokio::test(start_paused = true)]
async fn keeps_a_session_during_its_calls() {
    let router = endpoint();
    let session = open(&router).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "think"}});
    let answer = post(&router, &session, call).await;
    assert_eq!(answer.status(), 200);
    tokio::time::sleep(2 * LONG).await;
    let mut body = answer.into_body();
    let mut received = String::new();
    for _ in 0..100 {
        let Some(frame) = body.frame().await else { break };
        received.push_str(&String::from_utf8_lossy(&frame.unwrap().into_data().unwrap_or_default()));
    }
    assert!(received.contains(r#""text":"42""#), "{received:.500}");
}

#[tokio::test(start_paused = true)]
async fn closes_idle_sessions() {
    let router = endpoint();
    let session = open(&router).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    tokio::time::sleep(IDLE / 2).await;
    assert_eq!(post(&router, &session, ping.clone()).await.status(), 200);
    tokio::time::sleep(IDLE / 2 + Duration::from_secs(1)).await;
    let other = open(&router).await;
    assert_eq!(post(&router, &session, ping.clone()).await.status(), 200, "it was not idle as long");
    tokio::time::sleep(2 * IDLE).await;
    assert_eq!(post(&router, &other, ping.clone()).await.status(), 404);
    assert_eq!(post(&router, &session, ping).await.status(), 404);
}

#[tokio::test(start_paused = true)]
async fn limits_the_number_of_sessions() {
    let router = endpoint();
    let first = open(&router).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "think"}});
    let answer = post(&router, &first, call).await;
    let second = open(&router).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for _ in 0..MOST_SESSIONS {
        open(&router).await;
    }
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(post(&router, &second, ping.clone()).await.status(), 404, "it was idle the longest");
    assert_eq!(post(&router, &first, ping).await.status(), 200, "it has an open call");
    drop(answer);
}

/// Opens sessions of a caller directly in the table, until it has as many as are allowed.
fn fill(sessions: &Arc<Sessions>, owner: &Principal) -> Vec<SessionLease> {
    let opened = |_| {
        let session = HttpSession::new(owner, false).unwrap();
        sessions.insert(session).unwrap().lease
    };
    (0..MOST_SESSIONS).map(opened).collect()
}

#[tokio::test]
async fn rejects_a_session_if_all_others_are_in_use() {
    let (sessions, owner) = (Arc::new(Sessions::new()), Principal::new("ada"));
    let mut leases = fill(&sessions, &owner);
    assert!(sessions.insert(HttpSession::new(&owner, false).unwrap()).is_none());
    leases.pop();
    assert!(sessions.insert(HttpSession::new(&owner, false).unwrap()).is_some(), "one of them is idle now");
}

#[tokio::test]
async fn closes_the_sessions_of_the_caller_that_has_the_most() {
    let sessions = Arc::new(Sessions::new());
    let [ada, eve] = ["ada", "eve"].map(Principal::new);
    let session = HttpSession::new(&ada, false).unwrap();
    let of_ada = Arc::clone(&session.id);
    assert!(sessions.insert(session).is_some());
    for _ in 0..MOST_SESSIONS + 10 {
        assert!(sessions.insert(HttpSession::new(&eve, false).unwrap()).is_some());
    }
    assert!(
        sessions.lease(&of_ada, &ada).is_some(),
        "it was idle the longest, but is the only one of its caller"
    );
    assert_eq!(lock(&sessions.0).by_id.len(), MOST_SESSIONS);
}

#[tokio::test(start_paused = true)]
async fn limits_the_open_requests_of_a_session() {
    let router = endpoint();
    let session = open(&router).await;
    let call = |id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "think"}});
    for id in 0..MOST_REQUESTS {
        // The client leaves, and the call goes on.
        assert_eq!(post(&router, &session, call(id)).await.status(), 200);
    }
    let answer = post(&router, &session, call(MOST_REQUESTS)).await;
    assert_eq!((answer.status().as_u16(), answer.headers()["retry-after"].to_str().unwrap()), (429, "1"));
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let error: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(error["id"], MOST_REQUESTS, "{error}");
    assert_eq!(error["error"]["data"], json!({"retryable": true}), "{error}");
    let other = open(&router).await;
    assert_eq!(post(&router, &other, call(0)).await.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn limits_the_ended_streams_of_a_session() {
    for (bytes, most) in [(1, MOST_ENDED), (500_000, MOST_ENDED_BYTES / 500_000)] {
        let session = HttpSession::new(&Principal::anonymous(), false).unwrap();
        for _ in 0..100 {
            let stream = session.new_stream();
            stream.send(vec![b'a'; bytes].into()).await.unwrap();
            stream.close();
            session.keep_stream(&stream);
            let kept = lock(&session.streams).by_number.len();
            // Whether the newest one exceeds the limits is looked at when the next one is kept.
            assert!(kept <= most + 1, "{kept} of {bytes} bytes");
        }
    }
}
