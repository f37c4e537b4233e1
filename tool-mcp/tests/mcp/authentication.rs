//! Authentication over HTTP: what each caller sees and can do, and who owns a session.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::HeaderValue;
use axum::http::request::Parts;
use axum::{Extension, Router};
use serde_json::{Value, json};
use tool_core::authentication::{AuthenticationError, Authenticator, Bearer};
use tool_core::{Access, BoxFuture, Context, Principal, Registry, RegistryBuilder, prompt, tool};
use tool_mcp::{Discovery, DynamicPrompt, DynamicResource, Request, ServeError, Server};

use crate::stdio::StdioClient;
use crate::support::{Answer, LEGACY, MODERN, TestServer, initialize, modern_body, post, request};

/// Says who calls.
#[tool(operation = Explain)]
fn whoami(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody").to_owned()
}

/// Opens the safe.
#[tool(operation = Trigger, destructive = false, permission = "safe.open")]
fn open_safe() {}

/// What is in the safe.
#[tool(operation = Read, permission = "safe.open", cache = "1h")]
fn safe_content() -> String {
    "gold".to_owned()
}

/// Signs a letter.
#[prompt]
fn sign(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody").to_owned()
}

/// Asks what the safe is worth.
#[prompt(permission = "safe.open", access = not_abroad)]
fn appraise() -> &'static str {
    "What is it worth?"
}

fn not_abroad(principal: &Principal) -> Access {
    if principal.has("abroad") { Access::deny("not from abroad") } else { Access::Allow }
}

const ADA: &str = "Bearer swordfish-of-room-1";
const BOB: &str = "Bearer swordfish-of-room-2";
/// Another token of Ada, without grants.
const ADA_ABROAD: &str = "Bearer swordfish-of-room-3";

pub(crate) fn bearer() -> Bearer {
    Bearer::new()
        .token("swordfish-of-room-1", Principal::new("ada").grant("safe.open"))
        .and_then(|bearer| bearer.token("swordfish-of-room-2", Principal::new("bob")))
        .and_then(|bearer| bearer.token("swordfish-of-room-3", Principal::new("ada")))
        .unwrap()
}

pub(crate) fn registry() -> Registry {
    registry_with(|builder| builder)
}

fn registry_with(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Registry {
    settings(Registry::builder())
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .select_prompts(|prompt| prompt.source().module == module_path!())
        .build()
        .unwrap()
}

/// A server with an authenticator, a custom resource and a custom prompt.
fn guarded() -> TestServer {
    let answer = async |request: Request| Ok(request.principal().id().unwrap_or("nobody").to_owned());
    TestServer::with_registry(registry(), |server| {
        server
            .authenticator(bearer())
            .resource(DynamicResource::new("docs://me", "me", answer))
            .prompt(DynamicPrompt::new("me", "Who it is.", answer))
    })
}

#[tokio::test]
async fn rejects_execution_on_a_public_address() {
    let server = Server::new(registry());
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[2001:db8::1]:0", "[::ffff:192.0.2.1]:0"] {
        let error = server.clone().serve_http(address).await.unwrap_err();
        assert!(matches!(error, ServeError::ExecutionExposed(_)), "{address}: {error}");
    }
    let error = server.clone().serve_http("0.0.0.0:0").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool execution would be open to the network on `0.0.0.0:0`\n\
         help: listen on a loopback address such as 127.0.0.1, or set an authenticator"
    );
    for address in ["127.0.0.1:0", "127.0.0.2:0", "localhost:0"] {
        assert!(server.clone().serve_http(address).await.is_ok(), "{address}");
    }
    // `allow_any_host` does not authenticate callers.
    assert!(server.clone().allow_any_host().serve_http("0.0.0.0:0").await.is_err());
    assert!(server.authenticator(bearer()).serve_http("0.0.0.0:0").await.is_ok());
}

/// Sends a request of 2026-07-28 with this `Authorization` header.
fn send(addr: SocketAddr, caller: &str, method: &str, params: Value) -> Answer {
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    headers.extend(Some(("authorization", caller)).filter(|_| !caller.is_empty()));
    post(addr, &headers, &modern_body(method, params).to_string())
}

fn result(addr: SocketAddr, caller: &str, method: &str, params: Value) -> Value {
    let answer = send(addr, caller, method, params);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut answer = answer.json();
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].take()
}

/// A session of an older client.
struct LegacySession(SocketAddr, String);

impl LegacySession {
    fn open(addr: SocketAddr, caller: &str) -> Self {
        let answer = post(addr, &[("authorization", caller)], &initialize().to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let session = LegacySession(addr, answer.header("mcp-session-id").unwrap().to_owned());
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(caller, &initialized).status, 202);
        session
    }

    fn post(&self, caller: &str, message: &Value) -> Answer {
        let mut headers = vec![("mcp-session-id", &*self.1), ("mcp-protocol-version", LEGACY)];
        headers.extend(Some(("authorization", caller)).filter(|_| !caller.is_empty()));
        post(self.0, &headers, &message.to_string())
    }

    fn result(&self, caller: &str, method: &str, params: Value) -> Value {
        let answer = self.post(caller, &request(1, method, params));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()["result"].take()
    }

    /// The status of a request. A POST declares a body, but never sends it.
    fn bare(&self, caller: &str, method: &str) -> String {
        use std::io::{BufRead as _, Write as _};
        let mut stream = std::net::TcpStream::connect(self.0).unwrap();
        stream.set_read_timeout(Some(crate::support::TIMEOUT)).unwrap();
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\n\
             mcp-protocol-version: {LEGACY}\r\nauthorization: {caller}\r\n{}\r\n",
            self.0,
            self.1,
            if method == "POST" { "content-type: application/json\r\ncontent-length: 9\r\n" } else { "" }
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut line = String::new();
        std::io::BufReader::new(stream).read_line(&mut line).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn rejects_requests_without_a_valid_token() {
    let server = guarded();
    let session = LegacySession::open(server.addr, ADA);
    for (caller, challenge) in [("", "Bearer"), ("Bearer nope", "Bearer error=\"invalid_token\"")] {
        let assert_unauthorized = |answer: Answer| {
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(challenge)));
            let error = json!({"code": -32600, "message": "Unauthorized"});
            assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "error": error}));
        };
        for method in ["server/discover", "tools/list", "tools/call", "resources/list", "nope"] {
            assert_unauthorized(send(server.addr, caller, method, json!({"name": "whoami"})));
        }
        let mut headers = vec![("authorization", caller)];
        headers.retain(|_| !caller.is_empty());
        assert_unauthorized(post(server.addr, &headers, &initialize().to_string()));
        assert_unauthorized(session.post(caller, &request(1, "tools/list", json!({}))));
        // Authentication comes before the checks of message and media type.
        assert_unauthorized(post(server.addr, &headers, "{"));
        headers.push(("content-type", "text/plain"));
        assert_unauthorized(post(server.addr, &headers, "{"));
        assert_eq!(session.bare(caller, "GET"), "401");
        assert_eq!(session.bare(caller, "DELETE"), "401");
        // The body has not been read yet.
        assert_eq!(session.bare(caller, "POST"), "401");
    }
}

#[test]
fn passes_the_principal_to_every_handler() {
    let server = guarded();
    for (caller, id) in [(ADA, "ada"), (BOB, "bob"), (ADA, "ada")] {
        let session = LegacySession::open(server.addr, caller);
        let in_both_eras = |method: &str, params: Value| {
            let modern = result(server.addr, caller, method, params.clone());
            let legacy = session.result(caller, method, params);
            [modern, legacy]
        };
        for called in in_both_eras("tools/call", json!({"name": "whoami"})) {
            assert_eq!(called["content"][0]["text"], id);
        }
        for uri in ["fixture://whoami", "docs://me"] {
            for read in in_both_eras("resources/read", json!({"uri": uri})) {
                assert_eq!(read["contents"][0]["text"], id, "{uri}");
            }
        }
        for prompt in ["sign", "me"] {
            for got in in_both_eras("prompts/get", json!({"name": prompt})) {
                assert_eq!(got["messages"][0]["content"]["text"], id, "{prompt}");
            }
        }
    }
}

#[test]
fn applies_permissions_to_lists_and_calls() {
    let server = guarded();
    for (caller, permitted) in [(ADA, true), (BOB, false), (ADA, true), (ADA_ABROAD, false)] {
        let session = LegacySession::open(server.addr, caller);
        let in_both_eras = |method: &str, params: Value| {
            [result(server.addr, caller, method, params.clone()), session.result(caller, method, params)]
        };
        let all = if permitted { vec!["open_safe", "safe_content", "whoami"] } else { vec!["whoami"] };
        for list in in_both_eras("tools/list", json!({})) {
            assert_eq!(names(&list["tools"]), all);
        }
        for list in in_both_eras("resources/list", json!({})) {
            assert_eq!(list.to_string().contains("safe_content"), permitted, "{list}");
        }
        for registry in in_both_eras("resources/read", json!({"uri": "fixture://tools"})) {
            let text = registry["contents"][0]["text"].as_str().unwrap();
            assert_eq!(names(&serde_json::from_str(text).unwrap()), all);
        }
        let template = json!({"type": "ref/resource", "uri": "fixture://tool/{name}"});
        let typed = json!({"ref": template, "argument": {"name": "name", "value": ""}});
        for completed in in_both_eras("completion/complete", typed) {
            assert_eq!(completed["completion"]["values"], json!(all));
        }
        for called in in_both_eras("tools/call", json!({"name": "open_safe"})) {
            assert_eq!(called["isError"], !permitted);
        }
    }
    // Each request in a session uses the current grants.
    let session = LegacySession::open(server.addr, ADA);
    let safe =
        |caller: &str| session.result(caller, "tools/call", json!({"name": "open_safe"}))["isError"].take();
    assert_eq!([safe(ADA), safe(ADA_ABROAD), safe(ADA)], [json!(false), json!(true), json!(false)]);
}

#[test]
fn applies_permissions_to_tool_search() {
    let server = TestServer::with_registry(registry(), |server| {
        server.authenticator(bearer()).discovery(Discovery::TwoStep)
    });
    for (caller, permitted) in [(ADA, true), (BOB, false)] {
        for arguments in [json!({}), json!({"search": "open the safe"})] {
            let params = json!({"name": "list_available_tools", "arguments": arguments});
            let found = result(server.addr, caller, "tools/call", params);
            assert_eq!(found.to_string().contains("open_safe"), permitted, "{found}");
        }
        let arguments = json!({"server": "fixture", "tool_name": "open_safe", "arguments": {}});
        let called =
            result(server.addr, caller, "tools/call", json!({"name": "call_tool", "arguments": arguments}));
        assert_eq!(called["isError"], !permitted, "{called}");
    }
}

#[test]
fn marks_responses_private_with_an_authenticator() {
    let open = TestServer::with_registry(registry(), |server| server);
    let guarded = guarded();
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "fixture://tools"})),
        ("resources/read", json!({"uri": "fixture://tool/whoami"})),
    ] {
        assert_eq!(result(open.addr, "", method, params.clone())["cacheScope"], "public", "{method}");
        assert_eq!(result(guarded.addr, BOB, method, params)["cacheScope"], "private", "{method}");
    }
    for uri in ["fixture://whoami", "fixture://safe_content", "docs://me"] {
        let read = result(guarded.addr, ADA, "resources/read", json!({"uri": uri}));
        assert_eq!(read["cacheScope"], "private", "{uri}");
    }
    let legacy =
        LegacySession::open(guarded.addr, ADA).result(ADA, "resources/read", json!({"uri": "docs://me"}));
    assert_eq!(legacy.get("cacheScope"), None);
}

#[test]
fn rejects_the_session_of_another_caller() {
    let server = guarded();
    let session = LegacySession::open(server.addr, ADA);
    let call = request(1, "tools/call", json!({"name": "whoami"}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    // Nothing tells whether somebody else has the session.
    let invented = LegacySession(server.addr, "0".repeat(session.1.len()));
    for message in [&call, &cancel, &initialize()] {
        let answer = session.post(BOB, message);
        assert_eq!(answer.status, 404, "{}", answer.body);
        let error = &answer.json()["error"];
        assert_eq!(error["code"], -32600, "{error}");
        assert!(error["message"].as_str().unwrap().starts_with("Session not found: "), "{error}");
        let unknown = invented.post(BOB, message);
        assert_eq!((answer.status, answer.body), (unknown.status, unknown.body));
    }
    assert_eq!(session.bare(BOB, "GET"), "404");
    assert_eq!(session.bare(BOB, "DELETE"), "404");
    // The owner keeps the session, whatever the current grants.
    for caller in [ADA, ADA_ABROAD] {
        let called = session.result(caller, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "ada");
    }
    assert_eq!(session.bare(ADA, "GET"), "200");
    assert_eq!(session.bare(ADA, "DELETE"), "204");
    assert_eq!(session.post(ADA, &call).status, 404);
}

#[test]
fn row_73_ignores_the_session_of_another_caller() {
    let server = guarded();
    let session = LegacySession::open(server.addr, ADA);
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "whoami"),
        ("authorization", BOB),
        ("mcp-session-id", session.1.as_str()),
    ];
    let answer =
        post(server.addr, &headers, &modern_body("tools/call", json!({"name": "whoami"})).to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["result"]["content"][0]["text"], "bob");
    let called = session.result(ADA, "tools/call", json!({"name": "whoami"}));
    assert_eq!(called["content"][0]["text"], "ada");
}

#[test]
fn keeps_session_owners_while_other_sessions_close() {
    let server = guarded();
    let session = LegacySession::open(server.addr, ADA);
    for _ in 0..200 {
        let other = LegacySession::open(server.addr, BOB);
        assert_eq!(other.bare(BOB, "DELETE"), "204");
    }
    let list = request(1, "tools/list", json!({}));
    assert_eq!((session.post(BOB, &list).status, session.post(ADA, &list).status), (404, 200));
}

/// Serves a router behind a layer that puts a principal into every request.
fn serve_with_principal(
    runtime: &tokio::runtime::Runtime,
    server: Server,
    principal: Principal,
) -> SocketAddr {
    let mcp = server.name("fixture").into_axum_router().unwrap();
    let app: Router = Router::new().nest_service("/mcp", mcp).layer(Extension(principal));
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    runtime.spawn(async { axum::serve(listener, app).await });
    addr
}

/// A session layer adds an anonymous principal if nobody is signed in.
#[test]
fn authenticates_despite_an_anonymous_principal() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let anonymous = || Principal::anonymous().grant("safe.open");
    let addr = serve_with_principal(&runtime, Server::new(registry()).authenticator(bearer()), anonymous());
    for (caller, challenge) in [("", "Bearer"), ("Bearer nope", "Bearer error=\"invalid_token\"")] {
        for method in ["tools/list", "tools/call", "resources/list"] {
            let answer = send(addr, caller, method, json!({"name": "open_safe"}));
            assert_eq!(
                (answer.status, answer.header("www-authenticate")),
                (401, Some(challenge)),
                "{method}"
            );
        }
        let headers = if caller.is_empty() { vec![] } else { vec![("authorization", caller)] };
        assert_eq!(post(addr, &headers, &initialize().to_string()).status, 401);
    }
    let called = |caller| result(addr, caller, "tools/call", json!({"name": "open_safe"}))["isError"].take();
    assert_eq!([called(ADA), called(BOB)], [json!(false), json!(true)]);
    assert_eq!(
        LegacySession::open(addr, BOB).result(BOB, "tools/call", json!({"name": "whoami"}))["content"][0]["text"],
        "bob"
    );

    // Without an authenticator, the principal of the layer applies.
    let addr = serve_with_principal(&runtime, Server::new(registry()), anonymous());
    assert_eq!(result(addr, "", "tools/call", json!({"name": "open_safe"}))["isError"], false);
    assert_eq!(result(addr, "", "tools/list", json!({}))["cacheScope"], "private");
}

#[test]
fn prefers_the_principal_of_the_application() {
    static CALLED: AtomicBool = AtomicBool::new(false);
    let authenticator = |_: &Parts| -> Result<Principal, AuthenticationError> {
        CALLED.store(true, Ordering::Relaxed);
        Ok(Principal::new("mallory"))
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let serve = |server: Server| serve_with_principal(&runtime, server, Principal::new("eve"));
    for addr in [serve(Server::new(registry()).authenticator(authenticator)), serve(Server::new(registry()))]
    {
        let called = result(addr, BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "eve");
        assert_eq!(result(addr, BOB, "tools/list", json!({}))["cacheScope"], "private");
        let session = LegacySession::open(addr, BOB);
        let called = session.result(BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "eve");
    }
    assert!(!CALLED.load(Ordering::Relaxed));
}

#[test]
fn rejects_requests_when_authentication_is_unavailable() {
    let unavailable = |_: &Parts| Err(AuthenticationError::unavailable("no route to a secret host"));
    let panicking = |_: &Parts| -> Result<Principal, AuthenticationError> { panic!("a secret") };
    for server in [
        TestServer::with_registry(registry(), |server| server.authenticator(unavailable)),
        TestServer::with_registry(registry(), |server| server.authenticator(panicking)),
    ] {
        let answer = send(server.addr, BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "{}", answer.body);
        let message = "authentication is unavailable at the moment";
        assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": message}}));
    }
}

#[test]
fn treats_stdio_clients_as_local() {
    let mut client = StdioClient::start_with("authentication");
    let called = client.exchange(modern_body("tools/call", json!({"name": "whoami"})));
    assert_eq!(called["result"]["content"][0]["text"], "local");
    assert_eq!(client.exchange(modern_body("tools/list", json!({})))["result"]["cacheScope"], "private");
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn applies_permissions_to_prompts() {
    let server = guarded();
    let names = |caller| -> Vec<String> {
        let list = result(server.addr, caller, "prompts/list", json!({}));
        let prompts = list["prompts"].as_array().unwrap();
        prompts.iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(ADA), ["appraise", "me", "sign"]);
    assert_eq!(names(BOB), ["me", "sign"]);
    let get = |caller| send(server.addr, caller, "prompts/get", json!({"name": "appraise"})).json();
    assert_eq!(get(ADA)["result"]["messages"][0]["content"]["text"], "What is it worth?");
    let error = &get(BOB)["error"];
    let denied = "`appraise` needs the permission `safe.open`, which the caller does not have";
    assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(denied)));

    let hiding = registry_with(RegistryBuilder::hide_denied);
    let server = TestServer::with_registry(hiding, |server| server.authenticator(bearer()));
    let error = send(server.addr, BOB, "prompts/get", json!({"name": "appraise"})).json()["error"].take();
    assert_eq!(error, json!({"code": -32602, "message": "Prompt not found: appraise"}));
    let reference = json!({"type": "ref/prompt", "name": "appraise"});
    let params = json!({"ref": reference, "argument": {"name": "nope", "value": ""}});
    let error = send(server.addr, BOB, "completion/complete", params).json()["error"].take();
    assert_eq!(error["message"], "Prompt not found: appraise");
}

/// The names of the listed tools, each with the permissions that it is marked with.
fn listed(addr: SocketAddr, caller: &str, params: Value) -> Vec<(String, Value)> {
    let list = result(addr, caller, "tools/list", params);
    let tools = list["tools"].as_array().unwrap().iter();
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["_meta"].clone())).collect()
}

#[test]
fn lists_denied_tools_with_their_permissions_on_request() {
    let required = json!({"tool-core/requiredPermissions": ["safe.open"]});
    let all = |meta: &Value| {
        let tools = [("open_safe", meta), ("safe_content", meta), ("whoami", &Value::Null)];
        tools.map(|(name, meta)| (name.to_owned(), meta.clone())).to_vec()
    };
    let serve =
        |registry| TestServer::with_registry(registry, |it| it.authenticator(bearer()).list_denied(true));
    let server = serve(registry());
    assert_eq!(listed(server.addr, BOB, json!({})), all(&required));
    assert_eq!(listed(server.addr, ADA, json!({})), all(&Value::Null));
    // A listed tool is not a permission.
    let params = json!({"name": "open_safe", "arguments": {}});
    assert_eq!(result(server.addr, BOB, "tools/call", params)["isError"], true);

    // No permission would help, or the tools do not exist for this caller.
    for settings in
        [RegistryBuilder::read_only as fn(RegistryBuilder) -> RegistryBuilder, RegistryBuilder::hide_denied]
    {
        let server = serve(registry_with(settings));
        let names: Vec<String> =
            listed(server.addr, BOB, json!({})).into_iter().map(|(name, _)| name).collect();
        assert!(!names.contains(&"open_safe".to_owned()), "{names:?}");
    }

    // In pages, and beside the usual `_meta`.
    let server = TestServer::with_registry(registry(), |it| {
        it.authenticator(bearer()).list_denied(true).tool_meta(true).page_size(1)
    });
    let first = result(server.addr, BOB, "tools/list", json!({}));
    let meta = &first["tools"][0]["_meta"];
    assert_eq!(meta["tool-core/requiredPermissions"], json!(["safe.open"]));
    assert_eq!(meta["tool-core/operation"], "trigger");
    let second = listed(server.addr, BOB, json!({"cursor": first["nextCursor"]}));
    assert_eq!(second[0].0, "safe_content");
}

/// Gives more permissions to callers who ask for them.
struct OnRequest;

impl Authenticator for OnRequest {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let token = head.headers.get("authorization").and_then(|token| token.to_str().ok());
        let abroad = token == Some(ADA_ABROAD);
        Box::pin(async move {
            let ada = Principal::new("ada");
            Ok(if abroad { ada.grant("safe.open").grant("abroad") } else { ada })
        })
    }

    fn insufficient_scope(&self, permissions: &[&str]) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("Bearer scope=\"{}\"", permissions.join(" "))).ok()
    }
}

#[test]
fn challenges_callers_who_lack_a_permission() {
    let server = TestServer::with_registry(registry(), |server| server.authenticator(OnRequest));
    for (caller, method, name, status, challenge) in [
        (BOB, "tools/call", "open_safe", 403, Some("Bearer scope=\"safe.open\"")),
        (BOB, "prompts/get", "appraise", 403, Some("Bearer scope=\"safe.open\"")),
        (BOB, "tools/call", "whoami", 200, None),
        (BOB, "tools/call", "nothing", 200, None),
        (BOB, "prompts/get", "sign", 200, None),
        (ADA_ABROAD, "tools/call", "open_safe", 200, None),
        // No permission helps against the access function.
        (ADA_ABROAD, "prompts/get", "appraise", 200, None),
    ] {
        let answer = send(server.addr, caller, method, json!({"name": name}));
        let found = (answer.status, answer.header("www-authenticate"));
        assert_eq!(found, (status, challenge), "{caller} {name}: {}", answer.body);
    }
}
