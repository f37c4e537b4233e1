use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
use tower::ServiceExt as _;

use super::*;
use crate::handler::Handler;
use crate::http::policy::Policy;
use crate::http::shutdown::Shutdown;
use crate::http::{Endpoint, Way, identity, message};
use crate::server::Server;

/// Longer than a session may be idle.
const LONG: Duration = Duration::from_secs(20 * 60);

/// The endpoint of a tool that takes its time.
fn endpoint() -> Endpoint {
    Endpoint::new(handler(), &Policy::default(), LONG)
}

fn handler() -> Arc<Handler> {
    let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
    let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
    let think = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async {
        tokio::time::sleep(LONG).await;
        Ok(Output::text("42"))
    });
    let registry = Registry::builder().tool(think).build().unwrap();
    Server::new(registry).opened_at_once(Some(Principal::anonymous())).unwrap()
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
    let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
    }});
    let opened = post(router, "", opening).await;
    let session = opened.headers()[SESSION].to_str().unwrap().to_owned();
    drop(opened.into_body().collect().await.unwrap());
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(router, &session, initialized).await.status(), 202);
    session
}

#[tokio::test(start_paused = true)]
async fn a_session_lasts_as_long_as_its_calls() {
    let Endpoint { router, .. } = endpoint();
    let session = open(&router).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "think"}});
    let answer = post(&router, &session, call).await;
    assert_eq!(answer.status(), 200);
    tokio::time::sleep(2 * LONG).await;
    // What keeps a stream alive goes by another clock, and would never end.
    let mut body = answer.into_body();
    let mut heard = String::new();
    for _ in 0..100 {
        let Some(frame) = body.frame().await else { break };
        heard.push_str(&String::from_utf8_lossy(&frame.unwrap().into_data().unwrap_or_default()));
    }
    assert!(heard.contains(r#""text":"42""#), "{heard:.500}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_idle_is_closed() {
    let Endpoint { router, .. } = endpoint();
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
async fn sessions_are_not_without_number() {
    let Endpoint { router, .. } = endpoint();
    let first = open(&router).await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "think"}});
    let answer = post(&router, &first, call).await;
    let second = open(&router).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for _ in 0..MOST {
        open(&router).await;
    }
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    assert_eq!(post(&router, &second, ping.clone()).await.status(), 404, "the one that is idle the longest");
    assert_eq!(post(&router, &first, ping).await.status(), 200, "a call of it is on its way");
    drop(answer);
}

#[tokio::test]
async fn owners_of_sessions_that_have_ended_are_let_go() {
    let sessions = Arc::new(Sessions::new(Arc::default()));
    for n in 0..10 * FEW {
        sessions.opened(&n.to_string(), &Principal::new("ada"), Acquaintance::default()).await;
    }
    assert!(sessions.owners().by_session.len() <= FEW);
    let last = (10 * FEW - 1).to_string();
    assert!(matches!(sessions.visit(&last, &Principal::new("ada")), Ok(Some(_))));
    assert!(sessions.visit(&last, &Principal::new("bob")).is_err());
    assert!(sessions.visit(&last, &Principal::anonymous()).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_used_again_is_not_closed() {
    use rmcp::transport::streamable_http_server::session::SessionManager as _;

    let manager = manager();
    let (session, _transport) = manager.create_session().await.unwrap();
    let sessions = Arc::new(Sessions::new(Arc::clone(&manager)));
    sessions.opened(&session, &Principal::anonymous(), Acquaintance::default()).await;
    tokio::time::advance(2 * IDLE).await;
    // Whoever looks at the sessions keeps those that are idle from being closed at once.
    let looking = manager.sessions.read().await;
    let closer = Arc::clone(&sessions);
    let closing = tokio::spawn(async move { closer.close_idle().await });
    tokio::task::yield_now().await;
    let visit = sessions.visit(&session, &Principal::anonymous());
    let visit = visit.ok().flatten().expect("it is there");
    drop(looking);
    closing.await.unwrap();
    assert!(manager.sessions.read().await.contains_key(&session), "a request of it is under way");
    drop(visit);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_opening_is_given_up_is_closed() {
    let opening = || {
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
        }})
    };
    // Given up at every point at which it waits; once never.
    let mut base = None;
    for polls in 0.. {
        let Endpoint { router, shutdown } = endpoint();
        let mut opened = Box::pin(post(&router, "", opening()));
        let mut is_there = false;
        for _ in 0..polls {
            let polled = std::future::poll_fn(|cx| std::task::Poll::Ready(opened.as_mut().poll(cx))).await;
            is_there = polled.is_ready();
            if is_there {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(opened);
        let count = async || {
            // Somebody looks for what is idle; then there is one session, which is its.
            for _ in 0..3 {
                tokio::time::sleep(LONG).await;
                open(&router).await;
            }
            Arc::strong_count(&shutdown.handler)
        };
        let held = count().await;
        assert_eq!(held, *base.get_or_insert(held), "given up after {polls}");
        if is_there {
            break;
        }
    }
}

// Between the beginning of a call and rmcp's hearing of it, rmcp knows of nothing to take back.
#[tokio::test(start_paused = true)]
async fn a_call_is_taken_back_before_rmcp_has_heard_of_it() {
    let way = Arc::new(Way::new(&Shutdown::new(handler(), LONG), &Policy::default(), None));
    let other = Arc::clone(&way);
    let router = Router::new().fallback(move |request: Request<Body>| {
        let way = Arc::clone(&other);
        async move { way.answer(request).await }
    });
    let session = open(&router).await;
    // Whoever has called once is known, and its calls begin early.
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nope"}});
    drop(post(&router, &session, unknown).await.into_body().collect().await.unwrap());

    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "think"}});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    let to_rmcp = async |request: Request<Body>| {
        assert_eq!(post(&router, &session, cancel.clone()).await.status(), 202);
        // rmcp has seen it, and has nothing of this name.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Box::pin(way.service.handle(request)).await.map(Body::new)
    };
    let read =
        async |request, visit: Option<&Visit>| message::read(&way.reader, request, visit, &to_rmcp).await;
    let answer = identity::identify(&way.door, request(&session, &call), read).await;
    let body = tokio::time::timeout(LONG / 2, answer.into_body().collect()).await;
    let body = body.expect("it does not go on").unwrap().to_bytes();
    assert!(!String::from_utf8_lossy(&body).contains("42"), "{body:?}");
}
