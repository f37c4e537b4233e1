//! Whose the sessions of older clients are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderName;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::time::Instant;
use tool_core::Principal;

use crate::session::Acquaintance;
use crate::splice::Slot;

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// How long a session may be idle: nothing of it is answered, and nobody hears its stream.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// How often somebody looks for sessions that are.
const LOOKED_AFTER: Duration = Duration::from_secs(30);

/// So many sessions are kept before those are closed that have been idle the longest.
const MOST: usize = 4_096;

/// So many owners are kept before those are looked for whose session has ended.
const FEW: usize = 64;

/// Who opened each session: nobody else gets in, however it came by the identifier.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<Owners>,
}

struct Owners {
    by_session: HashMap<Arc<str>, Owner>,
    /// From so many on, those of sessions that have ended are let go.
    most: usize,
    /// When somebody looked last.
    looked: Instant,
    /// Those that are nobody's, and since when: whoever opened one was gone before it was told of it.
    nobodys: HashMap<Arc<str>, Instant>,
}

struct Owner {
    /// The name of the session.
    name: Arc<str>,
    /// `None` for somebody who is not known.
    id: Option<String>,
    /// The tools of its lists.
    slot: Slot,
    client: Acquaintance,
    /// The requests and streams of it that are not at their end.
    open: usize,
    /// When one of them began or ended last.
    used: Instant,
}

/// A request of a session, until its answer is handed over: meanwhile the session is not idle.
pub(super) struct Visit {
    sessions: Arc<Sessions>,
    session: Arc<str>,
    /// Where the lists of the session find their tools.
    pub(super) slot: Slot,
    /// Who its client is.
    pub(super) client: Acquaintance,
}

/// Of a session that is not of whoever asks for it.
pub(super) struct NotTheirs;

/// The sessions of an endpoint. To rmcp one is idle as long as a call of it lasts, and its answer would be lost: which ones
/// are is found out here.
pub(super) fn manager() -> Arc<LocalSessionManager> {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = None;
    Arc::new(manager)
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        let owners =
            Owners { by_session: HashMap::new(), most: FEW, looked: Instant::now(), nobodys: HashMap::new() };
        Sessions { manager, owners: Mutex::new(owners) }
    }

    /// Begins a request of a session; `None` for one that is not there.
    ///
    /// # Errors
    ///
    /// Where the session is not this caller's. What a caller is granted may change while a session lasts, who it is may not.
    pub(super) fn visit(
        self: &Arc<Self>,
        session: &str,
        caller: &Principal,
    ) -> Result<Option<Visit>, NotTheirs> {
        let mut owners = self.owners();
        let Some(owner) = owners.by_session.get_mut(session) else { return Ok(None) };
        if owner.id.as_deref() != caller.id() {
            return Err(NotTheirs);
        }
        owner.open += 1;
        owner.used = Instant::now();
        let Owner { name, slot, client, .. } = owner;
        let (session, slot, client) = (Arc::clone(name), slot.clone(), client.clone());
        Ok(Some(Visit { sessions: Arc::clone(self), session, slot, client }))
    }

    /// Remembers whose a session is that was opened just now.
    pub(super) async fn opened(&self, session: &str, owner: &Principal) {
        self.close_idle().await;
        let surplus = {
            let there = self.manager.sessions.read().await;
            let mut owners = self.owners();
            if owners.by_session.len() >= owners.most {
                owners.by_session.retain(|session, _| there.contains_key(session));
                owners.most = FEW.max(2 * owners.by_session.len());
            }
            let id = owner.id().map(str::to_owned);
            let name: Arc<str> = session.into();
            let owner = Owner {
                name: Arc::clone(&name),
                id,
                slot: Slot::default(),
                client: Acquaintance::default(),
                open: 0,
                used: Instant::now(),
            };
            owners.by_session.insert(name, owner);
            // Those that have ended since are let go before one that has not.
            let surplus = (there.len() > MOST).then(|| {
                let idle = owners
                    .by_session
                    .iter()
                    .filter(|(session, owner)| owner.open == 0 && there.contains_key(*session));
                idle.min_by_key(|(_, owner)| owner.used).map(|(session, _)| Arc::clone(session))
            });
            surplus.flatten()
        };
        self.close(surplus.as_slice()).await;
    }

    /// Closes the sessions that have been idle for long.
    pub(super) async fn close_idle(&self) {
        if !self.is_time_to_look() {
            return;
        }
        let idle: Vec<Arc<str>> = {
            let there = self.manager.sessions.read().await;
            let mut owners = self.owners();
            let Owners { by_session, nobodys, .. } = &mut *owners;
            let unowned = there.keys().filter(|session| !by_session.contains_key(*session));
            *nobodys = unowned
                .map(|session| {
                    let since = nobodys.get(session).copied().unwrap_or_else(Instant::now);
                    (Arc::clone(session), since)
                })
                .collect();
            let since = by_session
                .iter()
                .filter(|(_, owner)| owner.open == 0)
                .map(|(session, owner)| (session, owner.used));
            let since = since.chain(nobodys.iter().map(|(session, since)| (session, *since)));
            since
                .filter(|(_, since)| since.elapsed() >= IDLE)
                .map(|(session, _)| Arc::clone(session))
                .collect()
        };
        self.close(&idle).await;
    }

    fn is_time_to_look(&self) -> bool {
        let mut owners = self.owners();
        let is_time = owners.looked.elapsed() >= LOOKED_AFTER;
        if is_time {
            owners.looked = Instant::now();
        }
        is_time
    }

    async fn close(&self, sessions: &[Arc<str>]) {
        if sessions.is_empty() {
            return;
        }
        let mut there = self.manager.sessions.write().await;
        for session in sessions {
            {
                let mut owners = self.owners();
                // A request of it may have come since.
                if owners.by_session.get(session).is_some_and(|owner| owner.open > 0) {
                    continue;
                }
                owners.by_session.remove(session);
            }
            if let Some(handle) = there.remove(session) {
                tracing::debug!("a session that is idle is closed");
                // One that hears nothing holds up nobody else.
                tokio::spawn(async move { handle.close().await });
            }
        }
    }

    fn owners(&self) -> MutexGuard<'_, Owners> {
        // Nothing panics while it is held.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Whether the session has not ended.
    pub(super) async fn is_open(&self) -> bool {
        self.sessions.manager.sessions.read().await.contains_key(&self.session)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(owner) = self.sessions.owners().by_session.get_mut(&self.session) {
            owner.open -= 1;
            owner.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::Request;
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};
    use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
    use tower::ServiceExt as _;

    use super::*;
    use crate::http::{Endpoint, Policy};
    use crate::server::Server;

    /// Longer than a session may be idle.
    const LONG: Duration = Duration::from_secs(20 * 60);

    /// The endpoint of a tool that takes its time.
    fn endpoint() -> Endpoint {
        let definition = ToolDefinition::builder("think", "Thinks.").operation(Operation::Read);
        let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
        let think = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async {
            tokio::time::sleep(LONG).await;
            Ok(Output::text("42"))
        });
        let registry = Registry::builder().tool(think).build().unwrap();
        let handler = Server::new(registry).opened_at_once(Some(Principal::anonymous())).unwrap();
        Endpoint::new(handler, &Policy::default())
    }

    async fn post(router: &Router, session: &str, message: Value) -> axum::response::Response {
        let request =
            Request::post("/").header("host", "localhost").header("content-type", "application/json");
        let mut request = request.header("accept", "application/json, text/event-stream");
        if !session.is_empty() {
            request = request.header(SESSION, session).header("mcp-protocol-version", "2025-11-25");
        }
        let message = Body::from(message.to_string());
        router.clone().oneshot(request.body(message).unwrap()).await.unwrap()
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
        assert_eq!(
            post(&router, &second, ping.clone()).await.status(),
            404,
            "the one that is idle the longest"
        );
        assert_eq!(post(&router, &first, ping).await.status(), 200, "a call of it is on its way");
        drop(answer);
    }

    #[tokio::test]
    async fn owners_of_sessions_that_have_ended_are_let_go() {
        let sessions = Arc::new(Sessions::new(Arc::default()));
        for n in 0..10 * FEW {
            sessions.opened(&n.to_string(), &Principal::new("ada")).await;
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
        sessions.opened(&session, &Principal::anonymous()).await;
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
            let Endpoint { router, handler, .. } = endpoint();
            let mut opened = Box::pin(post(&router, "", opening()));
            let mut is_there = false;
            for _ in 0..polls {
                let polled =
                    std::future::poll_fn(|cx| std::task::Poll::Ready(opened.as_mut().poll(cx))).await;
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
                Arc::strong_count(&handler)
            };
            let held = count().await;
            assert_eq!(held, *base.get_or_insert(held), "given up after {polls}");
            if is_there {
                break;
            }
        }
    }
}
