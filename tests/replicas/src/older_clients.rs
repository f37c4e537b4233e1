//! Clients up to 2025-11-25, whose sessions go on at other replicas.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::replica::Service;

/// A session of an older client.
pub(crate) struct Session {
    id: String,
}

impl Session {
    /// Begins a session.
    pub(crate) async fn start(client: &Client) -> Self {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let started = client.post("/mcp", &body, &[]).await.unwrap();
        let session = Session { id: started.header("mcp-session-id").to_owned() };
        assert!(!session.id.is_empty(), "{started:?}");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let accepted = client.post("/mcp", &initialized, &session.headers()).await.unwrap();
        assert_eq!(accepted.status, 202, "{accepted:?}");
        session
    }

    pub(crate) fn headers(&self) -> [(&str, &str); 2] {
        [("mcp-session-id", &self.id), ("mcp-protocol-version", "2025-11-25")]
    }

    pub(crate) async fn request(&self, client: &Client, method: &str, params: Value) -> Answer {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        client.post("/mcp", &body, &self.headers()).await.unwrap()
    }
}

pub(crate) async fn continues_sessions_at_other_replicas() {
    let mut service = Service::start(2).await;
    let [a, b] = [0, 1].map(|index| Client::new(service.replicas[index].address));
    let session = Session::start(&a).await;
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let at_a = session.request(&a, "tools/call", add.clone()).await;
    let at_b = session.request(&b, "tools/call", add.clone()).await;
    assert_eq!((at_a.status, &at_a.body), (200, &at_b.body));
    assert!(at_a.body.contains(r#""structuredContent":{"result":3}"#), "{at_a:?}");

    service.replicas.remove(0).kill().await;
    service.add().await;
    let c = Client::new(service.replicas[1].address);
    assert_eq!(session.request(&c, "tools/call", add.clone()).await.body, at_a.body);

    let deleted = b.send(Method::DELETE, "/mcp", &session.headers(), None).await.unwrap();
    assert!(deleted.status < 300, "{deleted:?}");
    let ended = session.request(&c, "tools/call", add.clone()).await;
    let unknown = Session { id: "0".repeat(session.id.len()) }.request(&c, "tools/call", add).await;
    assert_eq!((ended.status, &ended.body), (404, &unknown.body));
}
