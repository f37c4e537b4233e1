//! Authentication: authenticators, permissions of callers, and principals set by the application.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::request::Parts;
use axum::{Extension, Router};
use serde_json::json;
use tool_core::authentication::{AuthenticationError, Authenticator, Bearer, ResourceMetadata};
use tool_core::{
    BoxFuture, CallOptions, Context, Extensions, Principal, Registry, RegistryBuilder, ToolError, tool,
};
use tool_http::{Options, ServeError, Server, router_with};

use crate::client::{Answer, exchange, get, post, send_to};

/// Says who calls.
#[tool(operation = Explain)]
fn whoami(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody").to_owned()
}

/// Opens the safe.
#[tool(operation = Trigger, destructive = false, permission = "safe.open")]
fn open_safe() {}

/// Says what stands beside the call.
#[tool(operation = Explain)]
fn beside(#[inject] context: Context, #[inject] user: Option<tool_core::Extension<User>>) -> String {
    let trace = context.traceparent().map_or_else(|| "no trace".to_owned(), |trace| trace.to_string());
    format!("{} {trace}", user.map_or("nobody", |user| user.0.0))
}

/// Looks for what the caller has lost.
#[tool(operation = Read)]
fn lost(#[inject] context: Context) -> Result<(), ToolError> {
    Err(ToolError::not_found(format!("{} lost nothing", context.principal().id().unwrap_or("nobody"))))
}

#[derive(Clone)]
struct User(&'static str);

fn registry(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    settings(builder).build().unwrap()
}

fn bearer() -> Bearer {
    let ada = Principal::new("ada").grant("safe.open");
    Bearer::new()
        .token("swordfish-of-room-1", ada)
        .unwrap()
        .token("swordfish-of-room-2", Principal::new("bob"))
        .unwrap()
}

fn guarded(options: Options) -> Router {
    router_with(registry(|builder| builder), options.allow_execute(true).authenticator(bearer()))
}

async fn send(router: &Router, line: &str, token: &str, body: &str) -> Answer {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if !token.is_empty() {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    send_to(router, request.body(Body::from(body.to_owned())).unwrap()).await
}

#[tokio::test]
async fn requires_a_caller_for_calls() {
    let router = guarded(Options::new());
    for (token, challenge) in [("", "Bearer"), ("swordfish-of-room-3", "Bearer error=\"invalid_token\"")] {
        for path in ["POST /tools/whoami/call", "POST /tools/nope/call", "POST /tools/%ff/call?x"] {
            let answer = send(&router, path, token, "{").await;
            assert_eq!((answer.status, &*answer.body), (401, r#"{"error":"Unauthorized"}"#), "{path}");
            assert_eq!(answer.header("www-authenticate"), challenge);
        }
    }
    for (token, id) in [("swordfish-of-room-1", "ada"), ("swordfish-of-room-2", "bob")] {
        let answer = send(&router, "POST /tools/whoami/call", token, "").await;
        assert!(answer.body.contains(&format!(r#"{{"type":"text","text":"{id}"}}"#)), "{}", answer.body);
    }
    assert_eq!(send(&router, "POST /tools/open_safe/call", "swordfish-of-room-1", "").await.status, 200);
    // Authentication precedes reading the body.
    let answer = send(&router, "POST /tools/open_safe/call?x", "swordfish-of-room-2", "{").await;
    assert_eq!(
        (answer.status, &*answer.body),
        (
            403,
            r#"{"error":"`open_safe` needs the permission `safe.open`, which the caller does not have","kind":"access_denied","retryable":false}"#
        )
    );
    assert_eq!(send(&router, "POST /tools/nope/call", "swordfish-of-room-2", "{").await.status, 404);
    // Discovery is public and lists every tool.
    assert_eq!(get(&router, "/tools").await.body.matches(r#""name""#).count(), 4);
    assert_eq!(get(&router, "/tools").await.header("cache-control"), "");
}

#[tokio::test]
async fn reports_disabled_execution_before_authenticating() {
    let router = router_with(registry(|builder| builder), Options::new().authenticator(bearer()));
    let answer = send(&router, "POST /tools/whoami/call", "", "").await;
    assert_eq!((answer.status, &*answer.body), (403, r#"{"error":"Tool execution is disabled."}"#));
}

#[tokio::test]
async fn limits_protected_discovery_to_permitted_tools() {
    let router = guarded(Options::new().protect_discovery(true));
    let lists = ["GET /tools", "GET /tools?detail=full", "GET /mcp/tools/list", "GET /openapi.json"];
    let others = ["GET /tools/whoami", "GET /tools/whoami/inputs", "POST /tools/whoami/validate"];
    for line in lists.iter().chain(&others) {
        let answer = send(&router, line, "", "{}").await;
        assert_eq!((answer.status, &*answer.body), (401, r#"{"error":"Unauthorized"}"#), "{line}");
        assert_eq!(answer.header("www-authenticate"), "Bearer", "{line}");
    }
    // Responses are not shared between callers.
    for (token, sees) in
        [("swordfish-of-room-1", true), ("swordfish-of-room-2", false), ("swordfish-of-room-1", true)]
    {
        for line in lists {
            let answer = send(&router, line, token, "").await;
            assert_eq!((answer.status, answer.header("cache-control")), (200, "private"), "{line}");
            assert_eq!(answer.body.contains("open_safe"), sees, "{line} {token}");
        }
        for line in others {
            assert_eq!(send(&router, line, token, "{}").await.status, 200, "{line}");
        }
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let answer = send(&router, "POST /mcp/tools/list", token, body).await;
        assert_eq!((answer.body.contains("open_safe"), answer.header("cache-control")), (sees, "private"));
    }
    // Denied tools are visible unless the registry hides them.
    assert_eq!(send(&router, "GET /tools/open_safe", "swordfish-of-room-2", "").await.status, 200);
    let options = Options::new().authenticator(bearer()).protect_discovery(true);
    let hiding = router_with(registry(RegistryBuilder::hide_denied), options);
    assert_eq!(send(&hiding, "GET /tools/open_safe", "swordfish-of-room-2", "").await.status, 404);
    assert_eq!(send(&hiding, "GET /tools/open_safe", "swordfish-of-room-1", "").await.status, 200);
}

/// A 404 may be stored by any cache unless the response forbids it (RFC 9110, section 15.5.5), and many proxies store other
/// errors, too. What one caller is refused is there for another.
#[tokio::test]
async fn forbids_caches_to_store_errors() {
    let options = Options::new().allow_execute(true).authenticator(bearer());
    let router = router_with(registry(RegistryBuilder::hide_denied), options);
    for (line, token, status) in [
        ("GET /tools/open_safe", "", 404),
        ("GET /tools/open_safe/inputs", "swordfish-of-room-2", 404),
        ("GET /tools/whoami/result", "", 401),
        ("GET /tools/open_safe/result", "swordfish-of-room-2", 404),
        ("GET /tools/lost/result", "swordfish-of-room-1", 404),
        ("GET /tools/whoami/result?x=1", "swordfish-of-room-1", 422),
        ("GET /tools/whoami/call", "swordfish-of-room-1", 405),
        ("GET /tools?x=1", "", 400),
        ("GET /nothing", "", 404),
    ] {
        let answer = send(&router, line, token, "").await;
        assert_eq!((answer.status, answer.header("cache-control")), (status, "no-store"), "{line} {token}");
    }
}

#[tokio::test]
async fn rejects_protected_discovery_without_an_authenticator() {
    let router = router_with(registry(|builder| builder), Options::new().protect_discovery(true));
    assert_eq!(get(&router, "/tools").await.status, 401);
    let options = Options::new().protect_discovery(true);
    let error =
        Server::new(registry(|builder| builder)).options(options).bind("127.0.0.1:0").await.unwrap_err();
    assert!(matches!(error, ServeError::NoAuthenticator), "{error}");
}

#[tokio::test]
async fn allows_remote_execution_with_an_authenticator() {
    let options = Options::new().allow_execute(true).authenticator(bearer());
    let server = Server::new(registry(|builder| builder)).options(options).bind("0.0.0.0:0").await.unwrap();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], server.local_addr().port()));
    tokio::spawn(server.run(std::future::pending()));
    for (headers, status) in [
        (&["Host: 127.0.0.1"][..], 401),
        (&["Host: 127.0.0.1", "Authorization: Bearer swordfish-of-room-2"], 200),
        (
            &[
                "Host: 127.0.0.1",
                "Authorization: Bearer swordfish-of-room-2",
                "Authorization: Bearer swordfish-of-room-2",
            ],
            401,
        ),
    ] {
        let request = crate::client::request("POST /tools/whoami/call", headers, "{}");
        assert_eq!(exchange(address, &request).await.status, status, "{headers:?}");
    }
}

/// An authenticator that fails or panics.
struct Broken(bool);

impl Authenticator for Broken {
    fn authenticate<'a>(&'a self, _: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        Box::pin(async {
            tokio::task::yield_now().await;
            assert!(!self.0, "swordfish");
            Err(AuthenticationError::unavailable("swordfish"))
        })
    }
}

#[tokio::test]
async fn rejects_requests_when_authentication_is_unavailable() {
    for panics in [false, true] {
        let options = Options::new().allow_execute(true).authenticator(Broken(panics));
        let answer = post(&router_with(registry(|builder| builder), options), "/tools/whoami/call", "").await;
        assert_eq!(
            (answer.status, &*answer.body),
            (503, r#"{"error":"authentication is unavailable at the moment"}"#)
        );
        assert_eq!(answer.header("retry-after"), "1");
    }
    let panics_at_once = |_: &Parts| -> Result<Principal, AuthenticationError> { panic!("swordfish") };
    let options = Options::new().allow_execute(true).authenticator(panics_at_once);
    let answer = post(&router_with(registry(|builder| builder), options), "/tools/whoami/call", "").await;
    assert_eq!(answer.status, 503);
}

#[tokio::test]
async fn returns_the_challenge_of_the_authenticator() {
    let digest =
        |_: &Parts| Err(AuthenticationError::refused(HeaderValue::from_static("Digest realm=\"a\"")));
    let options = Options::new().allow_execute(true).authenticator(digest);
    let answer = post(&router_with(registry(|builder| builder), options), "/tools/whoami/call", "").await;
    assert_eq!((answer.status, answer.header("www-authenticate")), (401, "Digest realm=\"a\""));
}

#[tokio::test]
async fn uses_principal_and_extensions_of_the_application() {
    let options = Options::new().allow_execute(true).authenticator(bearer()).protect_discovery(true);
    let router = router_with(registry(|builder| builder), options);
    let app = router.layer(Extension(User("Eve"))).layer(Extension(Principal::new("eve").grant("safe.open")));
    assert!(post(&app, "/tools/whoami/call", "").await.body.contains(r#""text":"eve""#));
    assert_eq!(post(&app, "/tools/open_safe/call", "").await.status, 200);
    assert!(get(&app, "/tools").await.body.contains("open_safe"));

    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (traceparent, text) in [(trace, format!("Eve {trace}")), ("00-zz", "Eve no trace".to_owned())] {
        let request = Request::post("/tools/beside/call").header("traceparent", traceparent);
        let answer = send_to(&app, request.body(Body::empty()).unwrap()).await;
        assert!(answer.body.contains(&format!(r#""text":"{text}""#)), "{}", answer.body);
    }
    let alone = router_with(registry(|builder| builder), Options::new().allow_execute(true));
    assert!(post(&alone, "/tools/beside/call", "").await.body.contains(r#""text":"nobody no trace""#));
}

#[tokio::test]
async fn does_not_leak_tokens() {
    let options = Options::new().authenticator(bearer());
    assert!(!format!("{options:?}").contains("swordfish"));
    let router = guarded(Options::new());
    let answer = send(&router, "POST /tools/whoami/call", "swordfish-of-room-1", "[").await;
    assert!(
        !answer.body.contains("swordfish") && !get(&router, "/openapi.json").await.body.contains("swordfish")
    );
}

#[tokio::test]
async fn merges_request_extensions_over_those_of_the_provider() {
    let provider = || {
        registry(|builder| builder)
            .with_options(&CallOptions::new().extensions(Extensions::new().with(User("Ivy"))))
    };
    let router = router_with(provider, Options::new().allow_execute(true));
    let says = async |router: &Router| post(router, "/tools/beside/call", "").await.body;
    let alone = says(&router).await;
    assert!(alone.contains(r#""text":"Ivy no trace""#), "{alone}");
    // An extension of another type.
    let other = says(&router.clone().layer(Extension(5_u8))).await;
    assert!(other.contains(r#""text":"Ivy no trace""#), "{other}");
    let same = says(&router.layer(Extension(User("Eve")))).await;
    assert!(same.contains(r#""text":"Eve no trace""#), "{same}");
}

/// Sets an anonymous principal, like a session layer without a session.
#[tokio::test]
async fn authenticates_when_the_application_sets_an_anonymous_principal() {
    let anonymous = || Extension(Principal::anonymous().grant("safe.open"));
    let app = guarded(Options::new().protect_discovery(true)).layer(anonymous());
    for line in ["GET /tools", "GET /openapi.json", "POST /tools/whoami/call", "POST /tools/open_safe/call"] {
        assert_eq!(send(&app, line, "", "").await.status, 401, "{line}");
        assert_eq!(send(&app, line, "swordfish-of-room-3", "").await.status, 401, "{line}");
        assert_eq!(send(&app, line, "swordfish-of-room-1", "").await.status, 200, "{line}");
    }
    let answer = send(&app, "POST /tools/whoami/call", "swordfish-of-room-2", "").await;
    assert!(answer.body.contains(r#""text":"bob""#), "{}", answer.body);
    // Without an authenticator, the application sets the principal; here it is anonymous.
    let options = Options::new().allow_execute(true).protect_discovery(true);
    let alone = router_with(registry(|builder| builder), options).layer(anonymous());
    assert_eq!(post(&alone, "/tools/open_safe/call", "").await.status, 200);
    assert_eq!(get(&alone, "/tools").await.status, 401);
}

#[tokio::test]
async fn shows_permitted_tools_to_identified_callers() {
    let options = Options::new().allow_execute(true).authenticator(bearer());
    let router = router_with(registry(RegistryBuilder::hide_denied), options);
    let lists = ["GET /tools", "GET /tools?detail=full", "GET /mcp/tools/list", "GET /openapi.json"];
    // Responses are not shared between callers. An invalid token counts as none.
    for (token, sees) in [
        ("", false),
        ("swordfish-of-room-1", true),
        ("swordfish-of-room-3", false),
        ("swordfish-of-room-2", false),
    ] {
        for line in lists {
            let answer = send(&router, line, token, "").await;
            assert_eq!((answer.status, answer.body.contains("open_safe")), (200, sees), "{line} {token}");
            let cache =
                if ["swordfish-of-room-1", "swordfish-of-room-2"].contains(&token) { "private" } else { "" };
            assert_eq!(answer.header("cache-control"), cache, "{line} {token}");
            assert_eq!(answer.header("vary"), "accept-encoding, authorization", "{line} {token}");
        }
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let answer = send(&router, "POST /mcp/tools/list", token, body).await;
        assert_eq!(answer.body.contains("open_safe"), sees, "{token}");
        let status = if sees { 200 } else { 404 };
        for line in ["GET /tools/open_safe", "GET /tools/open_safe/inputs", "POST /tools/open_safe/validate"]
        {
            assert_eq!(send(&router, line, token, "").await.status, status, "{line} {token}");
        }
    }
    // A principal set by the application counts, too.
    let app = router.layer(Extension(Principal::new("eve").grant("safe.open")));
    let answer = get(&app, "/tools").await;
    assert!(answer.body.contains("open_safe"), "{}", answer.body);
    assert_eq!(answer.header("cache-control"), "private");
    // Otherwise, every tool is visible.
    let answer = send(&guarded(Options::new()), "GET /tools", "swordfish-of-room-2", "").await;
    assert_eq!(answer.body.matches(r#""name""#).count(), 4);
    // A failing authenticator does not block public routes.
    let options = Options::new().authenticator(Broken(true));
    let broken = router_with(registry(|builder| builder), options);
    let answer = send(&broken, "GET /tools", "swordfish-of-room-1", "").await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, ""));
}

/// An authenticator may accept callers that it does not identify. Public documents do not ask it without credentials.
#[tokio::test]
async fn accepts_anonymous_callers_of_an_authenticator() {
    let requests = Arc::new(AtomicUsize::new(0));
    let anybody = {
        let requests = Arc::clone(&requests);
        move |_: &Parts| {
            requests.fetch_add(1, Ordering::Relaxed);
            Ok(Principal::anonymous().grant("safe.open"))
        }
    };
    let options = Options::new().allow_execute(true).authenticator(anybody);
    let public = router_with(registry(RegistryBuilder::hide_denied), options.clone());
    let protected = router_with(registry(RegistryBuilder::hide_denied), options.protect_discovery(true));
    for (router, line, token, sees, asks) in [
        (&public, "GET /tools", "", false, 0),
        (&public, "GET /tools", "anything", true, 1),
        (&public, "GET /openapi.json", "", false, 0),
        (&public, "POST /tools/open_safe/call", "", true, 1),
        (&protected, "GET /tools", "", true, 1),
        (&protected, "GET /openapi.json", "", true, 1),
    ] {
        let before = requests.load(Ordering::Relaxed);
        let answer = send(router, line, token, "").await;
        let is_listed = answer.body.contains("open_safe") || line.starts_with("POST");
        assert_eq!((answer.status, is_listed), (200, sees), "{line} {token}: {}", answer.body);
        assert_eq!(requests.load(Ordering::Relaxed) - before, asks, "{line} {token}");
    }
}

/// Has metadata, and accepts nobody.
struct Described;

impl Authenticator for Described {
    fn authenticate<'a>(&'a self, _: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        Box::pin(async { Err(AuthenticationError::refused(HeaderValue::from_static("Bearer"))) })
    }

    fn resource_metadata(&self, permissions: &[&str]) -> Option<ResourceMetadata> {
        let document = json!({"scopes_supported": permissions});
        Some(ResourceMetadata { path: "/.well-known/oauth-protected-resource".to_owned(), document })
    }
}

#[tokio::test]
async fn serves_metadata_to_pages_of_other_origins() {
    let options = Options::new().allow_execute(true).authenticator(Described);
    let server = Server::new(registry(|builder| builder)).options(options).bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    tokio::spawn(server.run(std::future::pending()));
    let path = "/.well-known/oauth-protected-resource";
    let foreign = ["Host: localhost", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"];
    for (method, status, body) in
        [("GET", 200, r#"{"scopes_supported":["safe.open"]}"#), ("OPTIONS", 204, ""), ("POST", 405, "")]
    {
        let request = crate::client::request(&format!("{method} {path}"), &foreign, "");
        let answer = exchange(address, &request).await;
        assert_eq!((answer.status, &*answer.body), (status, body), "{method}");
        assert_eq!(answer.header("access-control-allow-origin"), "*", "{method}");
    }
    // A page that made its own name resolve to this machine may not read it, nor may other pages read the tools.
    let rebound = crate::client::request(&format!("GET {path}"), &["Host: evil.example"], "");
    assert_eq!(exchange(address, &rebound).await.status, 403);
    let tools = crate::client::request("GET /tools", &foreign, "");
    assert_eq!(exchange(address, &tools).await.status, 403);
}
