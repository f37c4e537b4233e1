#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::response::Response;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;
use tool_core::logging::LogLevel;
use tool_core::{BoxFuture, Context, Registry, tool};
use tower::ServiceExt as _;

use super::*;
use crate::captured_log::CapturedLog;
use crate::changes::DEBOUNCE;
use crate::http::sessions::MOST_SESSIONS;
use crate::session_store::{MOST_STORED_BYTES, SessionStoreError};
use crate::sync::lock;
use crate::{Changes, DynamicResource, Server, Updates};

/// Says something on the log of the client.
#[tool(operation = Read)]
fn shared_say(
    #[inject] context: Context,
    /** What. */
    text: String,
) -> String {
    context.log(LogLevel::Info, text.clone());
    text
}

/// Asks the client for its roots.
#[tool(operation = Read)]
async fn shared_ask(#[inject] context: Context) -> Result<usize, tool_core::Failure> {
    Ok(context.roots().await?.len())
}

/// A store in memory that can fail, and that counts how often it is asked.
#[derive(Debug, Default)]
struct MemorySessions {
    sessions: Mutex<HashMap<String, (StoredSession, Instant)>>,
    fails: AtomicBool,
    queries: AtomicUsize,
}

impl MemorySessions {
    /// Does something with the sessions, after other tasks have had a turn.
    async fn run<T>(
        &self,
        run: impl FnOnce(&mut HashMap<String, (StoredSession, Instant)>) -> T,
    ) -> Result<T, SessionStoreError> {
        self.queries.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        if self.fails.load(Ordering::Relaxed) {
            return Err(SessionStoreError::new("the cable is cut"));
        }
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, (_, expires)| *expires > Instant::now());
        Ok(run(&mut sessions))
    }

    fn queries(&self) -> usize {
        self.queries.swap(0, Ordering::Relaxed)
    }

    fn only(&self) -> StoredSession {
        let sessions = lock(&self.sessions);
        assert_eq!(sessions.len(), 1);
        sessions.values().next().unwrap().0.clone()
    }
}

impl SessionStore for MemorySessions {
    fn insert<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(self.run(move |sessions| {
            sessions.insert(key.to_owned(), (session.clone(), Instant::now() + idle));
        }))
    }

    fn find<'a>(
        &'a self,
        key: &'a str,
        idle: Duration,
    ) -> BoxFuture<'a, Result<Option<StoredSession>, SessionStoreError>> {
        Box::pin(self.run(move |sessions| {
            let (session, expires) = sessions.get_mut(key)?;
            *expires = Instant::now() + idle;
            Some(session.clone())
        }))
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        session: &'a StoredSession,
        idle: Duration,
    ) -> BoxFuture<'a, Result<bool, SessionStoreError>> {
        Box::pin(self.run(move |sessions| {
            let found = sessions.get_mut(key).filter(|(found, _)| found.revision() + 1 == session.revision());
            found.map(|entry| *entry = (session.clone(), Instant::now() + idle)).is_some()
        }))
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(self.run(move |sessions| drop(sessions.remove(key))))
    }
}

/// Longer than any event takes.
const LONG: Duration = Duration::from_secs(60 * 60);

/// Two replicas that share a store and what changes.
struct Replicas {
    a: Router,
    b: Router,
    store: Arc<MemorySessions>,
    changes: Changes,
    updates: Updates,
}

fn server() -> Server {
    let select = |tool: &tool_core::ToolDefinition| tool.name().starts_with("shared_");
    let registry = Registry::builder().linked().select(select).select_prompts(|_| false).build().unwrap();
    let server = Server::new(registry).name("fixture");
    (0..10).fold(server, |server, n| {
        server.resource(DynamicResource::text(format!("docs://{n}"), format!("page {n}"), "Empty."))
    })
}

impl Replicas {
    fn new() -> Self {
        let (store, changes, updates) = (Arc::<MemorySessions>::default(), Changes::new(), Updates::new());
        let replica = || {
            let server = server().sessions(Arc::clone(&store) as _).changes(&changes).updates(&updates);
            server.into_axum_router().unwrap()
        };
        Replicas { a: replica(), b: replica(), store, changes, updates }
    }
}

/// Sends a request to a replica.
async fn send(
    replica: &Router,
    method: &str,
    session: &str,
    body: &Value,
    more: &[(&str, &str)],
) -> Response {
    send_as(replica, method, session, body, more, None).await
}

async fn send_as(
    replica: &Router,
    method: &str,
    session: &str,
    body: &Value,
    more: &[(&str, &str)],
    principal: Option<&str>,
) -> Response {
    let request = Request::builder().method(method).uri("/").header("host", "localhost");
    let request = request.header("accept", "application/json, text/event-stream");
    let mut request = request.header("content-type", "application/json");
    if !session.is_empty() {
        request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25");
    }
    let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let mut request = request.body(Body::from(body.to_string())).unwrap();
    request.extensions_mut().extend(
        principal
            .map(|id| {
                let mut extensions = axum::http::Extensions::new();
                extensions.insert(Principal::new(id));
                extensions
            })
            .unwrap_or_default(),
    );
    replica.clone().oneshot(request).await.unwrap()
}

async fn post(replica: &Router, session: &str, body: &Value) -> Response {
    send(replica, "POST", session, body, &[]).await
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn initialize() -> Value {
    request(
        0,
        "initialize",
        json!({
            "protocolVersion": "2025-06-18", "capabilities": {"roots": {}}, "clientInfo": {"name": "a", "version": "1"},
        }),
    )
}

fn call(tool: &str, arguments: Value) -> Value {
    request(1, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Opens a session, whose client is ready for notifications.
async fn open(replica: &Router) -> String {
    let opened = post(replica, "", &initialize()).await;
    assert_eq!(opened.status(), 200);
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(replica, &session, &initialized).await.status(), 202);
    session
}

/// Opens the stream of a session.
async fn stream(replica: &Router, session: &str, more: &[(&str, &str)]) -> Events {
    let response = send(replica, "GET", session, &Value::Null, more).await;
    assert_eq!(response.status(), 200);
    Events { body: response.into_body(), last_id: String::new() }
}

/// The events of a response.
struct Events {
    body: Body,
    /// The identifier of the last event.
    last_id: String,
}

impl Events {
    /// Returns the next message; `None` at the end.
    async fn next(&mut self) -> Option<Value> {
        let started = Instant::now();
        loop {
            // Keep-alive comments go on for ever.
            assert!(started.elapsed() < LONG, "there is no event");
            let data: Bytes = self.body.frame().await?.unwrap().into_data().unwrap();
            let text = String::from_utf8(data.to_vec()).unwrap();
            for line in text.lines() {
                if let Some(id) = line.strip_prefix("id: ") {
                    id.clone_into(&mut self.last_id);
                }
            }
            let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or_default();
            if !data.is_empty() {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }
}

/// Returns the notification of a resource that has changed.
fn updated(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}

async fn text(response: Response) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_at_each_replica() {
    let replicas = Replicas::new();
    let alone = server().changes(&replicas.changes).updates(&replicas.updates).into_axum_router().unwrap();
    let (shared, single) = (open(&replicas.a).await, open(&alone).await);
    let requests = [
        request(1, "ping", json!({})),
        request(2, "tools/list", json!({})),
        call("nowhere", json!({})),
        call("shared_say", json!({"text": 5})),
        request(3, "resources/read", json!({"uri": "docs://1"})),
        request(4, "logging/setLevel", json!({"level": "loud"})),
        request(5, "logging/setLevel", json!({"level": "error"})),
        request(6, "resources/subscribe", json!({"uri": "docs://1"})),
        request(7, "resources/subscribe", json!({"uri": "docs://none"})),
        request(8, "resources/unsubscribe", json!({"uri": "docs://1"})),
    ];
    for request in &requests {
        let expected = post(&alone, &single, request).await;
        let expected = (expected.status(), text(expected).await);
        for replica in [&replicas.b, &replicas.a] {
            let response = post(replica, &shared, request).await;
            let (status, answer) = (response.status(), text(response).await);
            let without_call = |text: &str| text.split("tool-core/callId").next().unwrap().to_owned();
            assert_eq!(status, expected.0, "{request}");
            assert_eq!(without_call(&answer), without_call(&expected.1), "{request}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn another_caller_and_an_unknown_session_are_answered_alike() {
    let replicas = Replicas::new();
    let opened = send_as(&replicas.a, "POST", "", &initialize(), &[], Some("ada")).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let ping = request(1, "ping", json!({}));
    for replica in [&replicas.b, &replicas.a] {
        for method in ["POST", "GET", "DELETE"] {
            let mut answers = Vec::new();
            for (principal, session) in [
                (Some("eve"), session.as_str()),
                (None, &session),
                (Some("ada"), "0123456789abcdef0123456789abcdef"),
            ] {
                let response = send_as(replica, method, session, &ping, &[], principal).await;
                let head = format!("{} {:?}", response.status(), response.headers());
                answers.push((head, text(response).await));
            }
            assert!(answers[0].0.starts_with("404"), "{answers:?}");
            assert!(answers[0].1.contains("Session not found"), "{answers:?}");
            assert_eq!(answers[0], answers[1]);
            assert_eq!(answers[0], answers[2]);
        }
        let owner = send_as(replica, "POST", &session, &ping, &[], Some("ada")).await;
        assert_eq!(owner.status(), 200, "the session is still there for its owner");
    }
}

#[tokio::test(start_paused = true)]
async fn the_store_gets_no_token_and_no_identifier_of_a_session() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let kept = lock(&replicas.store.sessions).clone();
    let (key, (stored, _)) = kept.into_iter().next().unwrap();
    assert!(key.len() == 64 && !key.contains(&session), "{key}");
    let stored = serde_json::to_value(&stored).unwrap();
    let capabilities = stored["client"]["capabilities"].clone();
    assert_eq!(capabilities["roots"], true);
    let expected = json!({
        "revision": 1, "owner": null, "client": {"version": "2025-06-18", "capabilities": capabilities},
        "log_level": "info", "is_initialized": true,
    });
    assert_eq!(stored, expected);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_session_ends_at_all_replicas() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut events = stream(&replicas.b, &session, &[]).await;
    let ping = request(1, "ping", json!({}));
    let third = open(&replicas.a).await;
    assert_eq!(post(&replicas.b, &third, &ping).await.status(), 200);
    for session in [&session, &third] {
        assert_eq!(send(&replicas.a, "DELETE", session, &Value::Null, &[]).await.status(), 204);
    }
    assert_eq!(post(&replicas.b, &third, &ping).await.status(), 404, "at once for the next request");
    let started = Instant::now();
    assert_eq!(events.next().await, None, "the stream at the other replica ends");
    assert!(started.elapsed() <= REFRESH, "{:?}", started.elapsed());
    assert!(lock(&replicas.store.sessions).is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_idle_session_expires_and_one_with_a_stream_does_not() {
    let replicas = Replicas::new();
    let (idle, open_one) = (open(&replicas.a).await, open(&replicas.a).await);
    let mut events = stream(&replicas.b, &open_one, &[]).await;
    let reading = tokio::spawn(async move { events.next().await });
    sleep(3 * IDLE).await;
    let ping = request(1, "ping", json!({}));
    for replica in [&replicas.a, &replicas.b] {
        assert_eq!(post(replica, &idle, &ping).await.status(), 404);
        assert_eq!(post(replica, &open_one, &ping).await.status(), 200);
    }
    assert!(!reading.is_finished());
    replicas.store.only();
}

#[tokio::test(start_paused = true)]
async fn changes_reach_the_stream_at_another_replica() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut events = stream(&replicas.b, &session, &[]).await;
    let subscribe = request(1, "resources/subscribe", json!({"uri": "docs://1"}));
    assert_eq!(post(&replicas.a, &session, &subscribe).await.status(), 200);
    replicas.changes.notify();
    let changed = events.next().await.unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed", "it was initialized at the other one");
    for _ in 0..2 {
        events.next().await.unwrap();
    }
    // With the next request, or after a while.
    sleep(REFRESH).await;
    replicas.updates.notify("docs://1");
    let updated = events.next().await.unwrap();
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("docs://1"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_change_before_a_replica_knows_the_subscription_is_not_lost() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut events = stream(&replicas.b, &session, &[]).await;
    let subscribe = request(1, "resources/subscribe", json!({"uri": "docs://1"}));
    assert_eq!(post(&replicas.a, &session, &subscribe).await.status(), 200);
    sleep(5 * DEBOUNCE).await;
    replicas.updates.notify("docs://1");
    assert_eq!(events.next().await, Some(updated("docs://1")));
    replicas.updates.notify("docs://1");
    assert_eq!(events.next().await, Some(updated("docs://1")), "from now on it knows the subscription");
}

#[tokio::test(start_paused = true)]
async fn changes_while_a_stream_moves_to_another_replica_are_not_lost() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    for uri in ["docs://1", "docs://2"] {
        let subscribe = request(1, "resources/subscribe", json!({"uri": uri}));
        assert_eq!(post(&replicas.a, &session, &subscribe).await.status(), 200);
    }
    let mut at_a = stream(&replicas.a, &session, &[]).await;
    replicas.changes.notify();
    at_a.next().await.unwrap();
    let last = at_a.last_id.clone();
    drop(at_a);
    // The other replica does not know the session yet.
    replicas.changes.notify();
    replicas.updates.notify("docs://1");
    sleep(5 * DEBOUNCE).await;
    let mut at_b = stream(&replicas.b, &session, &[("last-event-id", &last)]).await;
    for list in ["tools", "prompts", "resources"] {
        let changed = at_b.next().await.unwrap();
        assert_eq!(changed["method"], format!("notifications/{list}/list_changed"));
    }
    for uri in ["docs://1", "docs://2"] {
        assert_eq!(at_b.next().await, Some(updated(uri)));
    }
    // The replica that has sent the last event has also kept those that follow.
    let last = at_b.last_id.clone();
    drop(at_b);
    let mut again = stream(&replicas.b, &session, &[("last-event-id", &last)]).await;
    replicas.updates.notify("docs://2");
    assert_eq!(again.next().await, Some(updated("docs://2")));
}

#[tokio::test(start_paused = true)]
async fn a_first_stream_has_the_changes_since_the_subscription_at_another_replica() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let subscribe = request(1, "resources/subscribe", json!({"uri": "docs://1"}));
    assert_eq!(post(&replicas.b, &session, &subscribe).await.status(), 200);
    replicas.updates.notify("docs://1");
    sleep(5 * DEBOUNCE).await;
    let mut events = stream(&replicas.a, &session, &[]).await;
    assert_eq!(events.next().await, Some(updated("docs://1")));
}

#[tokio::test(start_paused = true)]
async fn a_log_level_holds_at_all_replicas() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut events = stream(&replicas.b, &session, &[]).await;
    for (level, said) in [("error", "one"), ("debug", "two")] {
        let set = request(1, "logging/setLevel", json!({"level": level}));
        assert_eq!(post(&replicas.a, &session, &set).await.status(), 200);
        let answer =
            text(post(&replicas.b, &session, &call("shared_say", json!({"text": said}))).await).await;
        assert!(answer.contains(said), "{answer}");
    }
    let message = events.next().await.unwrap();
    assert_eq!(
        (&message["method"], &message["params"]["data"]),
        (&json!("notifications/message"), &json!("two"))
    );
}

#[tokio::test(start_paused = true)]
async fn concurrent_changes_are_all_kept() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let subscribed = (0..10).map(|n| {
        let replica = if n % 2 == 0 { &replicas.a } else { &replicas.b };
        let subscribe = request(n, "resources/subscribe", json!({"uri": format!("docs://{n}")}));
        let session = &session;
        async move { assert_eq!(post(replica, session, &subscribe).await.status(), 200) }
    });
    futures_util::future::join_all(subscribed).await;
    assert_eq!(replicas.store.only().subscribed.len(), 10);
}

#[tokio::test(start_paused = true)]
async fn the_subscriptions_of_a_stored_session_are_limited() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut text = serde_json::to_value(replicas.store.only()).unwrap();
    let uris: Vec<String> = (0..MOST_STORED_BYTES / 1_000).map(|n| format!("docs://{n:0993}")).collect();
    text["subscribed"] = json!(uris);
    let full: StoredSession = serde_json::from_value(text).unwrap();
    for (stored, _) in lock(&replicas.store.sessions).values_mut() {
        *stored = full.clone();
    }
    let change = |method: &str, uri: &str| request(1, method, json!({"uri": uri}));
    for replica in [&replicas.a, &replicas.b] {
        for uri in ["docs://1", "docs://2"] {
            let response = post(replica, &session, &change("resources/subscribe", uri)).await;
            assert_eq!(response.status(), 200);
            let error: Value = serde_json::from_str(&self::text(response).await).unwrap();
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!(1), &json!(-32602)), "{error}");
            let message = error["error"]["message"].as_str().unwrap();
            assert!(
                message.contains("49152 bytes") && message.contains("unsubscribe from some"),
                "{message}"
            );
        }
        assert_eq!(replicas.store.only(), full);
    }
    let unsubscribe = change("resources/unsubscribe", &uris[0]);
    assert_eq!(post(&replicas.a, &session, &unsubscribe).await.status(), 200);
    let response = post(&replicas.b, &session, &change("resources/subscribe", "docs://1")).await;
    assert!(!self::text(response).await.contains("error"));
    assert!(replicas.store.only().subscribed.contains("docs://1"));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_makes_room_for_a_new_one_leaves_the_store() {
    let replicas = Replicas::new();
    let kept = || lock(&replicas.store.sessions).len();
    let elsewhere = open(&replicas.b).await;
    let first = open(&replicas.a).await;
    // It is idle the longest.
    sleep(Duration::from_secs(1)).await;
    for _ in 1..MOST_SESSIONS {
        assert_eq!(post(&replicas.a, "", &initialize()).await.status(), 200);
    }
    assert_eq!(kept(), MOST_SESSIONS + 1);
    assert_eq!(post(&replicas.a, "", &initialize()).await.status(), 200);
    assert_eq!(kept(), MOST_SESSIONS + 1, "one is new, and one was deleted");
    let ping = request(1, "ping", json!({}));
    assert_eq!(post(&replicas.a, &first, &ping).await.status(), 404);
    // A session of another replica needs room here, but those that make room may go on elsewhere.
    assert_eq!(post(&replicas.a, &elsewhere, &ping).await.status(), 200);
    assert_eq!(kept(), MOST_SESSIONS + 1);
}

#[tokio::test(start_paused = true)]
async fn the_log_of_a_store_that_fails_has_the_cause() {
    let log = CapturedLog::default();
    let _logging = tracing::subscriber::set_default(log.subscriber());
    let replicas = Replicas::new();
    replicas.store.fails.store(true, Ordering::Relaxed);
    assert_eq!(post(&replicas.a, "", &initialize()).await.status(), 503);
    let text = log.text();
    assert!(
        text.contains("the cable is cut") && !text.contains("looked up"),
        "nothing was looked up: {text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_is_503_and_nothing_is_lost() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let before = replicas.store.only();
    let requests = [
        ("POST", request(1, "ping", json!({}))),
        ("POST", request(2, "logging/setLevel", json!({"level": "error"}))),
        ("POST", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
        ("GET", Value::Null),
        ("DELETE", Value::Null),
    ];
    replicas.store.fails.store(true, Ordering::Relaxed);
    for replica in [&replicas.a, &replicas.b] {
        for (method, body) in &requests {
            let response = send(replica, method, &session, body, &[]).await;
            assert_eq!(response.status(), 503, "{method} {body}");
            assert_eq!(response.headers()["retry-after"], "1");
            let error: Value = serde_json::from_str(&text(response).await).unwrap();
            assert_eq!(error["error"]["data"]["retryable"], true, "{error}");
            assert!(!error.to_string().contains("cable"), "the cause is for the log: {error}");
        }
        let opened = post(replica, "", &initialize()).await;
        assert_eq!((opened.status().as_u16(), opened.headers().get("mcp-session-id")), (503, None));
    }
    replicas.store.fails.store(false, Ordering::Relaxed);
    assert_eq!(replicas.store.only(), before);
    for replica in [&replicas.a, &replicas.b] {
        assert_eq!(post(replica, &session, &requests[0].1).await.status(), 200);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_one_query_and_none_without_a_session() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    replicas.store.queries();
    for body in [
        request(1, "ping", json!({})),
        request(2, "tools/list", json!({})),
        call("shared_say", json!({"text": "a"})),
    ] {
        for replica in [&replicas.a, &replicas.b] {
            assert_eq!(post(replica, &session, &body).await.status(), 200);
            assert_eq!(replicas.store.queries(), 1, "{body}");
        }
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list = request(1, "tools/list", json!({"_meta": meta}));
    let head = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
        ("mcp-session-id", session.as_str()),
    ];
    assert_eq!(send(&replicas.a, "POST", "", &list, &head).await.status(), 200);
    assert_eq!(post(&replicas.a, "", &request(1, "ping", json!({}))).await.status(), 400);
    assert_eq!(replicas.store.queries(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reply_at_the_wrong_replica_is_an_error_that_says_so() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut pending = Vec::new();
    for replica in [&replicas.a, &replicas.b] {
        let response = post(replica, &session, &call("shared_ask", json!({}))).await;
        let mut events = Events { body: response.into_body(), last_id: String::new() };
        let question = events.next().await.unwrap();
        assert_eq!(question["method"], "roots/list");
        pending.push((events, question["id"].clone()));
    }
    assert_ne!(pending[0].1, pending[1].1, "each replica has its own numbers");
    let reply = |id: &Value| json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": "file:///a"}]}});
    let wrong = post(&replicas.b, &session, &reply(&pending[0].1)).await;
    assert_eq!(wrong.status(), 400);
    let wrong = text(wrong).await;
    assert!(wrong.contains("a response must reach the replica that has sent the request"), "{wrong}");
    for ((events, id), replica) in pending.iter_mut().zip([&replicas.a, &replicas.b]) {
        assert_eq!(post(replica, &session, &reply(id)).await.status(), 202);
        let answer = events.next().await.unwrap();
        assert_eq!(answer["result"]["structuredContent"]["result"], 1, "{answer}");
    }
    for (n, replica) in [&replicas.a, &replicas.b].into_iter().enumerate() {
        let late = &pending[n].1;
        assert_eq!(
            post(replica, &session, &reply(late)).await.status(),
            202,
            "it is late, and nobody waits for it"
        );
        assert_eq!(post(replica, &session, &reply(&json!(late.to_string()))).await.status(), 202);
        let foreign = [&pending[1 - n].1, &json!(late.as_i64().unwrap() + 1), &json!("a"), &Value::Null];
        for id in foreign {
            assert_eq!(post(replica, &session, &reply(id)).await.status(), 400, "{id}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn events_of_another_replica_are_not_confused_with_its_own() {
    let replicas = Replicas::new();
    let session = open(&replicas.a).await;
    let mut at_a = stream(&replicas.a, &session, &[]).await;
    replicas.changes.notify();
    for _ in 0..3 {
        at_a.next().await.unwrap();
    }
    let last = at_a.last_id.clone();
    drop(at_a);
    // The client reconnects to the other replica, and gets what comes from now on.
    assert_eq!(post(&replicas.b, &session, &request(1, "ping", json!({}))).await.status(), 200);
    let mut at_b = stream(&replicas.b, &session, &[("last-event-id", &last)]).await;
    replicas.changes.notify();
    assert_eq!(at_b.next().await.unwrap()["method"], "notifications/tools/list_changed");
    // The stream of a request is only where it was.
    let response = post(&replicas.a, &session, &call("shared_ask", json!({}))).await;
    let mut call_events = Events { body: response.into_body(), last_id: String::new() };
    call_events.next().await.unwrap();
    let mut elsewhere = stream(&replicas.b, &session, &[("last-event-id", &call_events.last_id)]).await;
    assert_eq!(elsewhere.next().await, None, "it is not kept here");
    let mut resumed = stream(&replicas.a, &session, &[("last-event-id", "0/")]).await;
    assert_eq!(resumed.next().await, None, "an invalid identifier");
}

#[tokio::test(start_paused = true)]
async fn an_error_without_a_store_says_what_to_do() {
    let alone = server().into_axum_router().unwrap();
    let response = post(&alone, "0123456789abcdef0123456789abcdef", &request(1, "ping", json!({}))).await;
    assert_eq!(response.status(), 404);
    let answer = text(response).await;
    for advice in ["`initialize` again", "sticky sessions", "`Server::sessions`", "clients of MCP 2026-07-28"]
    {
        assert!(answer.contains(advice), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn older_clients_are_refused_with_one_sentence() {
    let modern = server().legacy(false).into_axum_router().unwrap();
    let (list, ready) = (
        request(1, "tools/list", json!({})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    );
    for (session, body) in [("", initialize()), ("", list.clone()), ("a", list), ("", ready)] {
        let response = post(&modern, session, &body).await;
        assert_eq!(response.status(), 400, "{body}");
        let error: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!(error["error"]["code"], -32022, "{error}");
        assert_eq!(error["error"]["data"]["supported"], json!(["2026-07-28"]), "{error}");
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("use a client of MCP 2026-07-28 or later"), "{message}");
    }
    for method in ["GET", "DELETE"] {
        let response = send(&modern, method, "a", &Value::Null, &[]).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["allow"].to_str().unwrap()),
            (405, "POST")
        );
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover = request(1, "server/discover", json!({"_meta": meta}));
    let head = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    let response = send(&modern, "POST", "", &discover, &head).await;
    assert_eq!(response.status(), 200);
    let discovered: Value = serde_json::from_str(&text(response).await).unwrap();
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]), "{discovered}");
}
