//! Who asks: what an authenticator lets in over HTTP, what each caller then sees and may do, and whose a session is.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::request::Parts;
use axum::{Extension, Router};
use serde_json::{Value, json};
use tool_core::authentication::{AuthenticationError, Bearer};
use tool_core::{Access, Context, Principal, Registry, RegistryBuilder, prompt, tool};
use tool_mcp::{Discovery, DynamicPrompt, DynamicResource, Request, ServeError, Server};

use crate::stdio::Spoken;
use crate::support::{Answer, LEGACY, MODERN, Served, initialize, modern_body, post, request};

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

const ADA: &str = "Bearer swordfish-1";
const BOB: &str = "Bearer swordfish-2";
/// Ada again, with another token and nothing granted.
const ADA_ABROAD: &str = "Bearer swordfish-3";

pub(crate) fn bearer() -> Bearer {
    Bearer::new()
        .token("swordfish-1", Principal::new("ada").grant("safe.open"))
        .and_then(|bearer| bearer.token("swordfish-2", Principal::new("bob")))
        .and_then(|bearer| bearer.token("swordfish-3", Principal::new("ada")))
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

/// A server with something written by hand, that knows its callers.
fn guarded() -> Served {
    let answer = async |request: Request| Ok(request.principal().id().unwrap_or("nobody").to_owned());
    Served::serving(registry(), |server| {
        server
            .authenticator(bearer())
            .resource(DynamicResource::new("docs://me", "me", answer))
            .prompt(DynamicPrompt::new("me", "Who it is.", answer))
    })
}

#[tokio::test]
async fn execution_is_not_offered_to_the_network() {
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
    // Any host is no caller.
    assert!(server.clone().allow_any_host().serve_http("0.0.0.0:0").await.is_err());
    assert!(server.authenticator(bearer()).serve_http("0.0.0.0:0").await.is_ok());
}

/// A request of 2026-07-28 by whoever this header is of.
fn send(addr: SocketAddr, who: &str, method: &str, params: Value) -> Answer {
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    headers.extend(Some(("authorization", who)).filter(|_| !who.is_empty()));
    post(addr, &headers, &modern_body(method, params).to_string())
}

fn result(addr: SocketAddr, who: &str, method: &str, params: Value) -> Value {
    let answer = send(addr, who, method, params);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut answer = answer.json();
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].take()
}

/// A session of an older client.
struct Opened(SocketAddr, String);

impl Opened {
    fn by(addr: SocketAddr, who: &str) -> Self {
        let answer = post(addr, &[("authorization", who)], &initialize().to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let opened = Opened(addr, answer.header("mcp-session-id").unwrap().to_owned());
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(opened.post(who, &initialized).status, 202);
        opened
    }

    fn post(&self, who: &str, message: &Value) -> Answer {
        let mut headers = vec![("mcp-session-id", &*self.1), ("mcp-protocol-version", LEGACY)];
        headers.extend(Some(("authorization", who)).filter(|_| !who.is_empty()));
        post(self.0, &headers, &message.to_string())
    }

    fn result(&self, who: &str, method: &str, params: Value) -> Value {
        let answer = self.post(who, &request(1, method, params));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()["result"].take()
    }

    /// The status of a request whose body, if it says that it has one, never comes.
    fn bare(&self, who: &str, method: &str) -> String {
        use std::io::{BufRead as _, Write as _};
        let mut stream = std::net::TcpStream::connect(self.0).unwrap();
        stream.set_read_timeout(Some(crate::support::PATIENCE)).unwrap();
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\n\
             mcp-protocol-version: {LEGACY}\r\nauthorization: {who}\r\n{}\r\n",
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
fn without_a_token_or_with_a_wrong_one_nothing_is_told() {
    let served = guarded();
    let session = Opened::by(served.addr, ADA);
    for (who, challenge) in [("", "Bearer"), ("Bearer nope", "Bearer error=\"invalid_token\"")] {
        let refused = |answer: Answer| {
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(challenge)));
            let error = json!({"code": -32600, "message": "Unauthorized"});
            assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "error": error}));
        };
        for method in ["server/discover", "tools/list", "tools/call", "resources/list", "nope"] {
            refused(send(served.addr, who, method, json!({"name": "whoami"})));
        }
        let mut headers = vec![("authorization", who)];
        headers.retain(|_| !who.is_empty());
        refused(post(served.addr, &headers, &initialize().to_string()));
        refused(session.post(who, &request(1, "tools/list", json!({}))));
        // Before anything is said of the message or of what it claims to be.
        refused(post(served.addr, &headers, "{"));
        headers.push(("content-type", "text/plain"));
        refused(post(served.addr, &headers, "{"));
        assert_eq!(session.bare(who, "GET"), "401");
        assert_eq!(session.bare(who, "DELETE"), "401");
        // Before it is read.
        assert_eq!(session.bare(who, "POST"), "401");
    }
}

#[test]
fn each_caller_is_known_in_everything() {
    let served = guarded();
    for (who, id) in [(ADA, "ada"), (BOB, "bob"), (ADA, "ada")] {
        let session = Opened::by(served.addr, who);
        let ask = |method: &str, params: Value| {
            let modern = result(served.addr, who, method, params.clone());
            let legacy = session.result(who, method, params);
            [modern, legacy]
        };
        for called in ask("tools/call", json!({"name": "whoami"})) {
            assert_eq!(called["content"][0]["text"], id);
        }
        for uri in ["fixture://whoami", "docs://me"] {
            for read in ask("resources/read", json!({"uri": uri})) {
                assert_eq!(read["contents"][0]["text"], id, "{uri}");
            }
        }
        for prompt in ["sign", "me"] {
            for got in ask("prompts/get", json!({"name": prompt})) {
                assert_eq!(got["messages"][0]["content"]["text"], id, "{prompt}");
            }
        }
    }
}

#[test]
fn each_caller_sees_and_does_what_it_may() {
    let served = guarded();
    for (who, may) in [(ADA, true), (BOB, false), (ADA, true), (ADA_ABROAD, false)] {
        let session = Opened::by(served.addr, who);
        let ask = |method: &str, params: Value| {
            [result(served.addr, who, method, params.clone()), session.result(who, method, params)]
        };
        let all = if may { vec!["open_safe", "safe_content", "whoami"] } else { vec!["whoami"] };
        for list in ask("tools/list", json!({})) {
            assert_eq!(names(&list["tools"]), all);
        }
        for list in ask("resources/list", json!({})) {
            assert_eq!(list.to_string().contains("safe_content"), may, "{list}");
        }
        for registry in ask("resources/read", json!({"uri": "fixture://tools"})) {
            let text = registry["contents"][0]["text"].as_str().unwrap();
            assert_eq!(names(&serde_json::from_str(text).unwrap()), all);
        }
        let template = json!({"type": "ref/resource", "uri": "fixture://tool/{name}"});
        let typed = json!({"ref": template, "argument": {"name": "name", "value": ""}});
        for completed in ask("completion/complete", typed) {
            assert_eq!(completed["completion"]["values"], json!(all));
        }
        for called in ask("tools/call", json!({"name": "open_safe"})) {
            assert_eq!(called["isError"], !may);
        }
    }
    // The same session, with what is granted now.
    let session = Opened::by(served.addr, ADA);
    let safe = |who: &str| session.result(who, "tools/call", json!({"name": "open_safe"}))["isError"].take();
    assert_eq!([safe(ADA), safe(ADA_ABROAD), safe(ADA)], [json!(false), json!(true), json!(false)]);
}

#[test]
fn two_step_discovery_is_the_callers_own() {
    let served =
        Served::serving(registry(), |server| server.authenticator(bearer()).discovery(Discovery::TwoStep));
    for (who, may) in [(ADA, true), (BOB, false)] {
        for arguments in [json!({}), json!({"search": "open the safe"})] {
            let asked = json!({"name": "list_available_tools", "arguments": arguments});
            let found = result(served.addr, who, "tools/call", asked);
            assert_eq!(found.to_string().contains("open_safe"), may, "{found}");
        }
        let arguments = json!({"server": "fixture", "tool_name": "open_safe", "arguments": {}});
        let called =
            result(served.addr, who, "tools/call", json!({"name": "call_tool", "arguments": arguments}));
        assert_eq!(called["isError"], !may, "{called}");
    }
}

#[test]
fn what_is_answered_is_kept_for_nobody_else() {
    let open = Served::serving(registry(), |server| server);
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
    let legacy = Opened::by(guarded.addr, ADA).result(ADA, "resources/read", json!({"uri": "docs://me"}));
    assert_eq!(legacy.get("cacheScope"), None);
}

#[test]
fn a_session_is_its_own_who_opened_it() {
    let served = guarded();
    let session = Opened::by(served.addr, ADA);
    let call = request(1, "tools/call", json!({"name": "whoami"}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    for message in [&call, &cancel, &initialize()] {
        let answer = session.post(BOB, message);
        assert_eq!(answer.status, 404, "{}", answer.body);
        let message = "there is no such session: open one with `initialize`";
        let error = json!({"code": -32600, "message": message});
        assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "error": error}));
    }
    assert_eq!(session.bare(BOB, "GET"), "404");
    assert_eq!(session.bare(BOB, "DELETE"), "404");
    // It is still there, whatever its owner is granted now.
    for who in [ADA, ADA_ABROAD] {
        let called = session.result(who, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "ada");
    }
    assert_eq!(session.bare(ADA, "GET"), "200");
    assert_eq!(session.bare(ADA, "DELETE"), "202");
    assert_eq!(session.post(ADA, &call).status, 404);
}

// Row 73 of the list of faults.
#[test]
fn a_request_that_stands_alone_may_name_anybodys_session() {
    let served = guarded();
    let session = Opened::by(served.addr, ADA);
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "whoami"),
        ("authorization", BOB),
        ("mcp-session-id", session.1.as_str()),
    ];
    let answer =
        post(served.addr, &headers, &modern_body("tools/call", json!({"name": "whoami"})).to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["result"]["content"][0]["text"], "bob");
    let called = session.result(ADA, "tools/call", json!({"name": "whoami"}));
    assert_eq!(called["content"][0]["text"], "ada");
}

#[test]
fn sessions_stay_their_owners_while_others_come_and_go() {
    let served = guarded();
    let session = Opened::by(served.addr, ADA);
    for _ in 0..200 {
        let other = Opened::by(served.addr, BOB);
        assert_eq!(other.bare(BOB, "DELETE"), "202");
    }
    let list = request(1, "tools/list", json!({}));
    assert_eq!((session.post(BOB, &list).status, session.post(ADA, &list).status), (404, 200));
}

/// Serves a router behind a layer that puts a principal into every request.
fn behind(runtime: &tokio::runtime::Runtime, server: Server, principal: Principal) -> SocketAddr {
    let mcp = server.name("fixture").into_axum_router().unwrap();
    let app: Router = Router::new().nest_service("/mcp", mcp).layer(Extension(principal));
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let addr = listener.local_addr().unwrap();
    runtime.spawn(async { axum::serve(listener, app).await });
    addr
}

/// What a session layer leaves behind that found nobody signed in.
#[test]
fn an_anonymous_principal_of_an_outer_layer_does_not_replace_the_authenticator() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let nobody = || Principal::anonymous().grant("safe.open");
    let addr = behind(&runtime, Server::new(registry()).authenticator(bearer()), nobody());
    for (who, challenge) in [("", "Bearer"), ("Bearer nope", "Bearer error=\"invalid_token\"")] {
        for method in ["tools/list", "tools/call", "resources/list"] {
            let answer = send(addr, who, method, json!({"name": "open_safe"}));
            assert_eq!(
                (answer.status, answer.header("www-authenticate")),
                (401, Some(challenge)),
                "{method}"
            );
        }
        let headers = if who.is_empty() { vec![] } else { vec![("authorization", who)] };
        assert_eq!(post(addr, &headers, &initialize().to_string()).status, 401);
    }
    let called = |who| result(addr, who, "tools/call", json!({"name": "open_safe"}))["isError"].take();
    assert_eq!([called(ADA), called(BOB)], [json!(false), json!(true)]);
    assert_eq!(
        Opened::by(addr, BOB).result(BOB, "tools/call", json!({"name": "whoami"}))["content"][0]["text"],
        "bob"
    );

    // Without an authenticator, the layer alone says what an anonymous caller may do.
    let addr = behind(&runtime, Server::new(registry()), nobody());
    assert_eq!(result(addr, "", "tools/call", json!({"name": "open_safe"}))["isError"], false);
    assert_eq!(result(addr, "", "tools/list", json!({}))["cacheScope"], "private");
}

#[test]
fn what_the_application_found_out_overrules_the_authenticator() {
    static ASKED: AtomicBool = AtomicBool::new(false);
    let never = |_: &Parts| -> Result<Principal, AuthenticationError> {
        ASKED.store(true, Ordering::Relaxed);
        Ok(Principal::new("mallory"))
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let serve = |server: Server| behind(&runtime, server, Principal::new("eve"));
    for addr in [serve(Server::new(registry()).authenticator(never)), serve(Server::new(registry()))] {
        let called = result(addr, BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "eve");
        assert_eq!(result(addr, BOB, "tools/list", json!({}))["cacheScope"], "private");
        let session = Opened::by(addr, BOB);
        let called = session.result(BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!(called["content"][0]["text"], "eve");
    }
    assert!(!ASKED.load(Ordering::Relaxed));
}

#[test]
fn who_cannot_be_found_out_is_not_let_in() {
    let away = |_: &Parts| Err(AuthenticationError::unavailable("no route to a secret host"));
    let broken = |_: &Parts| -> Result<Principal, AuthenticationError> { panic!("a secret") };
    for server in [
        Served::serving(registry(), |server| server.authenticator(away)),
        Served::serving(registry(), |server| server.authenticator(broken)),
    ] {
        let answer = send(server.addr, BOB, "tools/call", json!({"name": "whoami"}));
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "{}", answer.body);
        let message = "authentication is unavailable at the moment";
        assert_eq!(answer.json(), json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": message}}));
    }
}

#[test]
fn over_stdio_the_client_is_local_and_nobody_is_asked() {
    let mut spoken = Spoken::with("identity");
    let called = spoken.ask(modern_body("tools/call", json!({"name": "whoami"})));
    assert_eq!(called["result"]["content"][0]["text"], "local");
    assert_eq!(spoken.ask(modern_body("tools/list", json!({})))["result"]["cacheScope"], "private");
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_prompt_is_listed_and_made_for_who_may_use_it() {
    let served = guarded();
    let names = |who| -> Vec<String> {
        let list = result(served.addr, who, "prompts/list", json!({}));
        let prompts = list["prompts"].as_array().unwrap();
        prompts.iter().map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(ADA), ["appraise", "me", "sign"]);
    assert_eq!(names(BOB), ["me", "sign"]);
    let get = |who| send(served.addr, who, "prompts/get", json!({"name": "appraise"})).json();
    assert_eq!(get(ADA)["result"]["messages"][0]["content"]["text"], "What is it worth?");
    let error = &get(BOB)["error"];
    let denied = "`appraise` needs the permission `safe.open`, which the caller does not have";
    assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!(denied)));

    let hiding = registry_with(RegistryBuilder::hide_denied);
    let served = Served::serving(hiding, |server| server.authenticator(bearer()));
    let error = send(served.addr, BOB, "prompts/get", json!({"name": "appraise"})).json()["error"].take();
    assert_eq!(error, json!({"code": -32602, "message": "Prompt not found: appraise"}));
    let reference = json!({"type": "ref/prompt", "name": "appraise"});
    let params = json!({"ref": reference, "argument": {"name": "nope", "value": ""}});
    let error = send(served.addr, BOB, "completion/complete", params).json()["error"].take();
    assert_eq!(error["message"], "Prompt not found: appraise");
}
