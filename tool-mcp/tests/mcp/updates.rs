//! Notifications of changed resources.

use futures_util::Stream;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::{Access, Failure, FailureKind, Output, Principal, Registry, tool};
use tool_mcp::{Changes, Update, Updates};

use crate::authentication;
use crate::changes::{EventStream, LIST_CHANGED};
use crate::support::{Answer, MODERN, TestServer, initialize, modern_body, request, send};

/// News of the day.
#[tool(operation = Read, path = "report")]
fn report() -> &'static str {
    "Nothing happened."
}

/// A page of a book.
#[tool(operation = Read, path = "book/{page}")]
fn book(#[arg(locator)] page: u32) -> u32 {
    page
}

fn is_owner(principal: &Principal, owner: &str) -> Access {
    if principal.id() == Some(owner) { Access::Allow } else { Access::deny("there is no such diary for you") }
}

/// A diary.
#[tool(operation = Read, path = "diary/{owner}", access = is_owner(owner))]
fn diary(#[arg(locator)] owner: String) -> String {
    format!("{owner} was here.")
}

pub(crate) fn registry() -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).build().unwrap()
}

fn start_server(updates: &Updates) -> TestServer {
    TestServer::with_registry(registry(), |server| server.updates(updates))
}

/// The URI of the next update.
pub(crate) fn updated_uri(events: &mut EventStream) -> String {
    let message = events.next().unwrap();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    message["params"]["uri"].as_str().unwrap().to_owned()
}

/// Subscribes to resources with these headers.
pub(crate) fn listen(server: &TestServer, uris: &[&str], headers: &[(&str, &str)]) -> EventStream {
    let (acknowledged, events) = try_listen(server, uris, headers);
    assert_eq!(acknowledged, json!(uris));
    events
}

/// Subscribes to resources with these headers. Returns those that are acknowledged.
fn try_listen(server: &TestServer, uris: &[&str], headers: &[(&str, &str)]) -> (Value, EventStream) {
    let params = json!({"notifications": {"resourceSubscriptions": uris}});
    let body = modern_body("subscriptions/listen", params).to_string();
    let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    all.extend(headers);
    let mut events = EventStream::new(send(server.addr, &all, &body));
    let acknowledged = events.next().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    (acknowledged["params"]["notifications"]["resourceSubscriptions"].clone(), events)
}

#[test]
fn notifies_legacy_clients_of_subscribed_resources() {
    let updates = Updates::new();
    let server = start_server(&updates);
    let session = server.session();
    assert_eq!(session.initialize_answer["result"]["capabilities"]["resources"], json!({"subscribe": true}));
    let mut events = EventStream::opened(session.stream());
    let request = |method: &str, uri: &str| session.request(method, json!({"uri": uri}));
    for uri in ["fixture://report", "fixture://book/7", "fixture://book/8"] {
        assert_eq!(request("resources/subscribe", uri)["result"], json!({}), "{uri}");
    }
    assert_eq!(request("resources/unsubscribe", "fixture://book/8")["result"], json!({}));
    for uri in ["fixture://book/8", "fixture://book/9", "fixture://book/7", "fixture://book/7"] {
        updates.notify(uri);
    }
    assert_eq!(updated_uri(&mut events), "fixture://book/7");
    updates.notify("fixture://report");
    // Two updates gave one notification, and unsubscribed resources gave none.
    assert_eq!(updated_uri(&mut events), "fixture://report");
    // Another client is not subscribed.
    let mut other = EventStream::opened(server.session().stream());
    session.request("resources/unsubscribe", json!({"uri": "fixture://report"}));
    updates.notify("fixture://report");
    server.stop().wait();
    assert!(events.next().is_none() && other.next().is_none());
}

#[test]
fn follows_streams_for_clients_of_both_eras() {
    let (changes, updates) = (Changes::new(), Updates::new());
    let server = TestServer::with_registry(registry(), |server| server.changes(&changes).updates(&updates));
    let session = server.session();
    let mut legacy = EventStream::opened(session.stream());
    for uri in ["fixture://report", "fixture://book/7"] {
        session.request("resources/subscribe", json!({"uri": uri}));
    }
    let mut modern = listen(&server, &["fixture://report"], &[]);

    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let (update, updated) = channel();
    let (change, changed) = channel();
    let following = [runtime.spawn(updates.follow(updated)), runtime.spawn(changes.follow(changed))];
    update.send(Update::resource("fixture://report")).unwrap();
    assert_eq!([updated_uri(&mut legacy), updated_uri(&mut modern)], ["fixture://report"; 2]);
    // Whoever lost messages reports that any resource may have changed.
    update.send(Update::Any).unwrap();
    let both = [updated_uri(&mut legacy), updated_uri(&mut legacy)];
    assert_eq!(both, ["fixture://book/7", "fixture://report"]);
    assert_eq!(updated_uri(&mut modern), "fixture://report");
    change.send(()).unwrap();
    assert_eq!(legacy.methods(3), LIST_CHANGED);

    // The streams end, and the server goes on.
    drop((update, change));
    for task in following {
        runtime.block_on(task).unwrap();
    }
    updates.notify("fixture://report");
    assert_eq!([updated_uri(&mut legacy), updated_uri(&mut modern)], ["fixture://report"; 2]);
}

fn channel<T>() -> (UnboundedSender<T>, impl Stream<Item = T> + Send + use<T>)
where
    T: Send,
{
    let (sender, mut receiver) = unbounded_channel();
    (sender, futures_util::stream::poll_fn(move |context| receiver.poll_recv(context)))
}

#[test]
fn notifies_once_after_repeated_initialized() {
    let (changes, updates) = (Changes::new(), Updates::new());
    let server = TestServer::with_registry(registry(), |server| server.changes(&changes).updates(&updates));
    let session = server.session();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    for _ in 0..5 {
        assert_eq!(session.post(&initialized).status, 202);
    }
    let mut events = EventStream::opened(session.stream());
    // These answers show that the server has handled the earlier messages.
    for _ in 0..3 {
        session.request("resources/subscribe", json!({"uri": "fixture://report"}));
    }
    changes.notify();
    assert_eq!(events.methods(3), LIST_CHANGED);
    updates.notify("fixture://report");
    assert_eq!(updated_uri(&mut events), "fixture://report");
}

#[test]
fn rejects_subscriptions_to_missing_resources() {
    let server = start_server(&Updates::new());
    let session = server.session();
    for uri in ["fixture://nothing", "fixture://book/one/two", "other://report"] {
        let rejected = session.request("resources/subscribe", json!({"uri": uri}));
        assert_eq!(
            (&rejected["error"]["code"], &rejected["error"]["data"]["uri"]),
            (&json!(-32002), &json!(uri))
        );
    }
    let invalid = session.request("resources/subscribe", json!({"uri": 5}));
    assert_eq!(invalid["error"]["code"], -32602);
}

#[test]
fn notifies_modern_clients_of_named_resources() {
    let updates = Updates::new();
    let server = start_server(&updates);
    let mut first = listen(&server, &["fixture://report"], &[]);
    let mut second = listen(&server, &["fixture://report", "fixture://book/7"], &[]);
    for _ in 0..50 {
        updates.notify("fixture://book/7");
    }
    assert_eq!(updated_uri(&mut second), "fixture://book/7");
    updates.notify("fixture://report");
    let message = first.next().unwrap();
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 1});
    assert_eq!(message["params"], json!({"uri": "fixture://report", "_meta": meta}));
    assert_eq!(updated_uri(&mut second), "fixture://report");

    server.stop().wait();
    let end: Value = first.next().unwrap();
    assert_eq!(end["result"]["resultType"], "complete", "{end}");
}

#[test]
fn hides_updates_of_denied_resources() {
    let updates = Updates::new();
    let server = TestServer::with_registry(authentication::registry(), |server| {
        server.authenticator(authentication::bearer()).updates(&updates)
    });
    let safe = "fixture://safe_content";
    let open = "fixture://whoami";
    let mut ada = listen(&server, &[safe, open], &[("authorization", "Bearer swordfish-of-room-1")]);
    let (accepted, mut bob) = try_listen(
        &server,
        &[safe, open, "fixture://nope"],
        &[("authorization", "Bearer swordfish-of-room-2")],
    );
    // What is denied looks like what is missing.
    assert_eq!(accepted, json!([open]));
    updates.notify(safe);
    assert_eq!(updated_uri(&mut ada), safe);
    updates.notify(open);
    assert_eq!((updated_uri(&mut ada).as_str(), updated_uri(&mut bob).as_str()), (open, open));
}

/// The access function decides by the values in the URI.
#[test]
fn hides_updates_of_resources_that_the_access_function_denies() {
    let updates = Updates::new();
    let server = TestServer::with_registry(registry(), |server| {
        server.authenticator(authentication::bearer()).updates(&updates)
    });
    let (diary, report) = ("fixture://diary/ada", "fixture://report");
    let (of_ada, of_bob) =
        (("authorization", "Bearer swordfish-of-room-1"), ("authorization", "Bearer swordfish-of-room-2"));
    let mut ada = listen(&server, &[diary, report], &[of_ada]);
    let (accepted, mut bob) = try_listen(&server, &[diary, report], &[of_bob]);
    assert_eq!(accepted, json!([report]));
    updates.notify(diary);
    assert_eq!(updated_uri(&mut ada), diary);
    updates.notify(report);
    assert_eq!((updated_uri(&mut ada).as_str(), updated_uri(&mut bob).as_str()), (report, report));

    for (caller, is_allowed) in [(of_ada, true), (of_bob, false)] {
        let opened = server.post(&[caller], &initialize().to_string());
        let session = opened.header("mcp-session-id").expect("a session");
        let subscribe = request(1, "resources/subscribe", json!({"uri": diary})).to_string();
        let answer = server.post(&[caller, ("mcp-session-id", session)], &subscribe).message();
        assert_eq!(answer["result"].is_object(), is_allowed, "{answer}");
        let missing = json!({"code": -32002, "message": format!("Resource not found: {diary}"), "data": {"uri": diary}});
        assert!(is_allowed || answer["error"] == missing, "{answer}");
    }
}

#[test]
fn rejects_subscriptions_without_updates() {
    let server = TestServer::with_registry(registry(), |server| server);
    let session = server.session();
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let rejected = session.request(method, json!({"uri": "fixture://report"}));
        assert_eq!(rejected["error"]["code"], -32601, "{method}");
    }
    let params = json!({"notifications": {"resourceSubscriptions": ["fixture://report"]}});
    let answer: Answer = server.request_modern("subscriptions/listen", params);
    assert_eq!(answer.json()["error"]["code"], -32601);
}

#[test]
fn rejects_legacy_subscriptions_of_modern_clients() {
    let server = start_server(&Updates::new());
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = server.request_modern(method, json!({"uri": "fixture://report"}));
        assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (404, Some(-32601)), "{method}");
    }
}

#[test]
fn rejects_modern_subscriptions_of_legacy_clients() {
    let server = start_server(&Updates::new());
    let params = json!({"notifications": {"resourceSubscriptions": ["fixture://report"]}});
    assert_eq!(server.session().request("subscriptions/listen", params)["error"]["code"], -32601);
}

/// A call that ends without a decision of the access function is no denial.
#[test]
fn says_why_it_cannot_tell_whether_a_resource_may_be_read() {
    #[derive(Debug)]
    struct Full;

    impl Layer for Full {
        async fn call(&self, _: &CallRequest<'_>, _: Next<'_>) -> Result<Output, Failure> {
            Err(Failure::new(FailureKind::Busy, "too many calls"))
        }
    }

    let updates = Updates::new();
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    let builder = Registry::builder().linked().select(here).select_prompts(|_| false).layer(Full);
    let server = TestServer::with_registry(builder.build().unwrap(), |server| server.updates(&updates));
    let opened = server.post(&[], &initialize().to_string());
    let session = opened.header("mcp-session-id").expect("a session");
    let subscribe = request(1, "resources/subscribe", json!({"uri": "fixture://diary/ada"})).to_string();
    let answer = server.post(&[("mcp-session-id", session)], &subscribe).message();
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["message"]),
        (&json!(-32603), &json!("too many calls\ntry again in 1 second"))
    );
    assert_eq!(answer["error"]["data"]["retryable"], true);
}
