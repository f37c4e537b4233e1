//! Servers of MCP and HTTP that take the tokens of an issuer.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::task::AbortHandle;
use tool_core::{Extension, Principal, Registry, RegistryBuilder, prompt, prompts, tool, tools};
use tool_http::Options;
use tool_oauth::{Claims, ResourceServer};

use crate::issuer::Issuer;
use crate::signing::{RESOURCE, SigningKey, claims};

const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

#[derive(Clone)]
struct User {
    name: String,
}

/// Says who calls, with which client.
#[tool(operation = Explain)]
fn who_am_i(#[inject] user: Extension<User>, #[inject] claims: Extension<Claims>) -> String {
    format!("{} by {}", user.name, claims.client().unwrap_or("nothing"))
}

/// Publishes a page.
#[tool(operation = Trigger, destructive = false, permission = all("node.view", "node.publish"))]
fn publish_page(
    /** Its number. */
    id: u32,
) -> u32 {
    id
}

/// Reads a page.
#[tool(operation = Read, permission = any("node.admin", all("node.view", "node.read")), path = "page")]
fn read_page() -> String {
    "text".to_owned()
}

/// Asks for an announcement of a page.
#[prompt(permission = all("node.view", "node.publish"))]
fn announce_page() -> &'static str {
    "Announce the page"
}

fn registry(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    let builder = Registry::builder().tools(tools![who_am_i, publish_page, read_page]);
    settings(builder.prompts(prompts![announce_page])).build().unwrap()
}

/// An issuer, and a server of each kind.
struct Servers {
    key: SigningKey,
    issuer: Issuer,
    mcp: SocketAddr,
    http: SocketAddr,
    client: Client,
    running: [AbortHandle; 2],
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.running.iter().for_each(AbortHandle::abort);
    }
}

/// An answer to a request.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    fn challenge(&self) -> Option<&str> {
        self.headers.get(WWW_AUTHENTICATE).map(|challenge| challenge.to_str().unwrap())
    }
}

impl Servers {
    async fn start(registry: Registry) -> Self {
        let key = SigningKey::p256();
        let issuer = Issuer::start(vec![key.jwk("p")]).await;
        let resource_server = issuer.resource_server().initial_scopes(["node.view"]).principal(|claims| {
            let name = claims.get("name").unwrap_or_default();
            Principal::new(claims.subject()).with(User { name })
        });
        let options = Options::new().allow_execute(true).authenticator(resource_server.clone());
        let http =
            tool_http::Server::new(registry.clone()).options(options).bind("127.0.0.1:0").await.unwrap();
        let mcp = tool_mcp::Server::new(registry).name("pages").authenticator(resource_server);
        let mcp = mcp.serve_http("127.0.0.1:0").await.unwrap();
        let (http_at, mcp_at) = (http.local_addr(), mcp.local_addr());
        let http = tokio::spawn(http.run(std::future::pending())).abort_handle();
        let running = [http, tokio::spawn(mcp.run()).abort_handle()];
        let client = Client::builder().no_proxy().tls_backend_preconfigured(tls()).build().unwrap();
        Servers { key, issuer, mcp: mcp_at, http: http_at, client, running }
    }

    fn token(&self, scope: &str) -> String {
        let changes = json!({"scope": scope, "name": "Ada", "client_id": "tests"});
        self.key.token("p", &claims(&self.issuer.id(), changes))
    }

    async fn send(&self, method: Method, url: String, headers: &[(&str, &str)], body: String) -> Answer {
        let request = headers
            .iter()
            .fold(self.client.request(method, url), |it, (name, value)| it.header(*name, *value));
        let response = request.body(body).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, body: response.text().await.unwrap() }
    }

    /// Sends a message to the endpoint of MCP, in the era without sessions.
    async fn mcp(&self, token: &str, method: &str, mut params: Value) -> Answer {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).unwrap_or("-").to_owned();
        let headers = [
            ("authorization", &*format!("Bearer {token}")),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        self.post(&headers, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await
    }

    async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let url = format!("http://{}/mcp", self.mcp);
        self.send(Method::POST, url, &[&usual, headers].concat(), message.to_string()).await
    }

    async fn call(&self, token: Option<&str>, tool: &str, arguments: Value) -> Answer {
        let token = token.map(|token| format!("Bearer {token}"));
        let authorization = token.as_deref().map(|token| ("authorization", token));
        let headers: Vec<_> =
            authorization.into_iter().chain([("content-type", "application/json")]).collect();
        let url = format!("http://{}/tools/{tool}/call", self.http);
        self.send(Method::POST, url, &headers, arguments.to_string()).await
    }
}

/// A configuration that trusts no certificate: nothing here is encrypted.
fn tls() -> rustls::ClientConfig {
    rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}

fn challenge(error: &str, scope: &str) -> String {
    let url = format!("https://tools.example.org{METADATA}");
    let error = if error.is_empty() { String::new() } else { format!(r#"error="{error}", "#) };
    format!(r#"Bearer {error}resource_metadata="{url}", scope="{scope}""#)
}

#[tokio::test]
async fn gives_tools_the_user_of_the_token() {
    let servers = Servers::start(registry(|builder| builder)).await;
    let token = servers.token("");
    let answer = servers.mcp(&token, "tools/call", json!({"name": "who_am_i"})).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("Ada by tests"), "{}", answer.body);
    let answer = servers.call(Some(&token), "who_am_i", json!({})).await;
    assert!(answer.body.contains("Ada by tests"), "{}", answer.body);
}

#[tokio::test]
async fn asks_for_a_token() {
    let servers = Servers::start(registry(|builder| builder)).await;
    for (token, error) in [("", ""), ("nonsense", "invalid_token")] {
        let answer = if token.is_empty() {
            servers.post(&[], &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await
        } else {
            servers.mcp(token, "tools/list", json!({})).await
        };
        assert_eq!((answer.status, answer.challenge()), (401, Some(&*challenge(error, "node.view"))));
        let answer = servers.call(Some(token).filter(|it| !it.is_empty()), "who_am_i", json!({})).await;
        assert_eq!((answer.status, answer.challenge()), (401, Some(&*challenge(error, "node.view"))));
        assert_eq!(answer.body, r#"{"error":"Unauthorized"}"#);
    }
    // A token in the body is one of the arguments at most.
    let token = servers.token("node.view");
    let answer = servers.call(None, "who_am_i", json!({"access_token": token})).await;
    assert_eq!(answer.status, 401);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let url = format!("http://{}/mcp", servers.mcp);
    let answer = servers.send(Method::POST, url, &form, format!("access_token={token}")).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn names_all_scopes_that_a_call_needs() {
    let servers = Servers::start(registry(|builder| builder)).await;
    let weak = servers.token("node.view");
    let needed = challenge("insufficient_scope", "node.view node.publish");
    let params = json!({"name": "publish_page", "arguments": {"id": 7}});
    let answer = servers.mcp(&weak, "tools/call", params.clone()).await;
    assert_eq!((answer.status, answer.challenge()), (403, Some(&*needed)));
    // The message is the usual one.
    let message: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((&message["id"], &message["result"]["isError"]), (&json!(1), &json!(true)));
    let answer = servers.call(Some(&weak), "publish_page", json!({"id": 7})).await;
    assert_eq!((answer.status, answer.challenge()), (403, Some(&*needed)));

    // The error of a prompt, too.
    let prompt = json!({"name": "announce_page"});
    let answer = servers.mcp(&weak, "prompts/get", prompt.clone()).await;
    assert_eq!((answer.status, answer.challenge()), (403, Some(&*needed)), "{}", answer.body);
    let message: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(message["error"]["message"].as_str().unwrap().contains("node.publish"), "{}", answer.body);

    let strong = servers.token("node.view node.publish");
    for (method, params) in [("tools/call", params), ("prompts/get", prompt)] {
        let answer = servers.mcp(&strong, method, params).await;
        assert_eq!((answer.status, answer.challenge()), (200, None), "{method}");
    }
    let answer = servers.call(Some(&strong), "publish_page", json!({"id": 7})).await;
    assert_eq!((answer.status, answer.challenge()), (200, None));

    // Of alternatives, the nearest one.
    for (scope, needed) in [("", "node.admin"), ("node.read", "node.admin"), ("node.view x", "node.admin")] {
        let answer =
            servers.mcp(&servers.token(scope), "resources/read", json!({"uri": "pages://page"})).await;
        let needed = challenge("insufficient_scope", needed);
        assert_eq!((answer.status, answer.challenge()), (403, Some(&*needed)), "{scope}: {}", answer.body);
    }
    let answer =
        servers.mcp(&servers.token("node.admin"), "resources/read", json!({"uri": "pages://page"})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[tokio::test]
async fn steps_up_within_a_session() {
    let servers = Servers::start(registry(|builder| builder)).await;
    let (weak, strong) = (servers.token("node.view"), servers.token("node.view node.publish"));
    let bearer = |token: &str| format!("Bearer {token}");
    let client = json!({"name": "tests", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let opened = servers.post(&[("authorization", &bearer(&weak))], &opening).await;
    let session = opened.headers["mcp-session-id"].to_str().unwrap();
    let params = json!({"name": "publish_page", "arguments": {"id": 7}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    for (token, status) in [(&weak, 403), (&strong, 200), (&weak, 403)] {
        let headers = [("authorization", &*bearer(token)), ("mcp-session-id", session)];
        let answer = servers.post(&headers, &call).await;
        assert_eq!((answer.status, answer.challenge().is_some()), (status, status == 403), "{}", answer.body);
    }
    // The session is not for other users.
    let eve = servers.key.token("p", &claims(&servers.issuer.id(), json!({"sub": "eve"})));
    let headers = [("authorization", &*bearer(&eve)), ("mcp-session-id", session)];
    assert_eq!(servers.post(&headers, &call).await.status, 404);
}

#[tokio::test]
async fn asks_for_no_scope_that_would_not_help() {
    for (settings, http, mcp) in [
        // The tool does not exist for this caller, or for anybody.
        (RegistryBuilder::hide_denied as fn(RegistryBuilder) -> RegistryBuilder, 404, "-32602"),
        (RegistryBuilder::read_only, 403, "read-only"),
    ] {
        let servers = Servers::start(registry(settings)).await;
        let weak = servers.token("node.view");
        let answer = servers.call(Some(&weak), "publish_page", json!({"id": 7})).await;
        assert_eq!((answer.status, answer.challenge()), (http, None), "{}", answer.body);
        let params = json!({"name": "publish_page", "arguments": {"id": 7}});
        let answer = servers.mcp(&weak, "tools/call", params).await;
        assert_eq!((answer.status, answer.challenge()), (200, None));
        assert!(answer.body.contains(mcp), "{}", answer.body);
    }
}

#[tokio::test]
async fn serves_its_metadata_to_everybody() {
    let servers = Servers::start(registry(|builder| builder)).await;
    for address in [servers.mcp, servers.http] {
        let url = format!("http://{address}{METADATA}");
        let origin = [("origin", "https://app.example.org"), ("sec-fetch-site", "cross-site")];
        let answer = servers.send(Method::GET, url.clone(), &origin, String::new()).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert_eq!(answer.headers["cache-control"], "public, max-age=3600");
        assert_eq!(answer.headers["content-type"], "application/json");
        let document: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(document["resource"], RESOURCE);
        assert_eq!(document["authorization_servers"], json!([servers.issuer.id()]));
        let scopes = json!(["node.admin", "node.publish", "node.read", "node.view"]);
        assert_eq!(document["scopes_supported"], scopes);

        let answer = servers.send(Method::OPTIONS, url.clone(), &origin, String::new()).await;
        assert_eq!(
            (answer.status, &answer.headers["access-control-allow-headers"]),
            (204, &"*".parse().unwrap())
        );
        let answer = servers.send(Method::HEAD, url.clone(), &[], String::new()).await;
        assert_eq!((answer.status, &*answer.body), (200, ""));
        assert_eq!(servers.send(Method::POST, url.clone(), &[], String::new()).await.status, 405);
        // Not for a name that a page made its own.
        let rebound = [("host", "evil.example.org")];
        assert_eq!(servers.send(Method::GET, url, &rebound, String::new()).await.status, 403);
        // Other pages stay closed to other origins.
        let tools = format!("http://{address}/tools");
        assert_ne!(servers.send(Method::GET, tools, &origin, String::new()).await.status, 200);
    }
}

#[tokio::test]
async fn describes_its_security_in_openapi() {
    let servers = Servers::start(registry(|builder| builder)).await;
    let url = format!("http://{}/openapi.json", servers.http);
    let answer = servers.send(Method::GET, url, &[], String::new()).await;
    let document: Value = serde_json::from_str(&answer.body).unwrap();
    let scheme = &document["components"]["securitySchemes"]["caller"];
    let expected = format!("{}/.well-known/openid-configuration", servers.issuer.id());
    assert_eq!(scheme, &json!({"type": "openIdConnect", "openIdConnectUrl": expected}));
}

#[tokio::test]
async fn serves_its_metadata_beside_mounted_routers() {
    let resource_server = Arc::new(ResourceServer::new(RESOURCE).unwrap());
    let registry = registry(|builder| builder);
    let options = Options::new().authenticator(Arc::clone(&resource_server));
    for metadata in [
        tool_mcp::resource_metadata(registry.clone(), Arc::clone(&resource_server)),
        tool_http::resource_metadata(registry.clone(), resource_server),
    ] {
        let app = axum::Router::new().merge(metadata);
        let app = app.nest_service("/api", tool_http::router_with(registry.clone(), options.clone()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{METADATA}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, app).await });
        let client = Client::builder().no_proxy().tls_backend_preconfigured(tls()).build().unwrap();
        let document = client.get(url).send().await.unwrap().text().await.unwrap();
        assert!(document.contains(r#""scopes_supported":["node.admin","#), "{document}");
        serving.abort();
    }
}
