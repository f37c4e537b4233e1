//! Clients are told that a resource has changed, if they asked to be.

use serde_json::{Value, json};
use tool_core::{Registry, tool};
use tool_mcp::{Changes, Updates};

use crate::changes::{ALL, Events};
use crate::identity;
use crate::support::{Answer, MODERN, Served, modern_body, send};

/// News of the day.
#[tool(operation = Read, path = "news")]
fn news() -> &'static str {
    "Nothing happened."
}

/// A page of a book.
#[tool(operation = Read, path = "book/{page}")]
fn book(#[arg(locator)] page: u32) -> u32 {
    page
}

fn registry() -> Registry {
    let here = |tool: &tool_core::ToolDefinition| tool.source().module == module_path!();
    Registry::builder().linked().select(here).select_prompts(|_| false).build().unwrap()
}

fn serving(updates: &Updates) -> Served {
    Served::serving(registry(), |server| server.updates(updates))
}

/// The URI that a notification tells of.
fn told(events: &mut Events) -> String {
    let message = events.next().unwrap();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    message["params"]["uri"].as_str().unwrap().to_owned()
}

/// Listens to changes of resources, as whoever sends these headers.
fn listen(served: &Served, uris: &[&str], headers: &[(&str, &str)]) -> Events {
    let params = json!({"notifications": {"resourceSubscriptions": uris}});
    let body = modern_body("subscriptions/listen", params).to_string();
    let mut all = vec![("mcp-protocol-version", MODERN), ("mcp-method", "subscriptions/listen")];
    all.extend(headers);
    let mut events = Events::of(send(served.addr, &all, &body));
    let acknowledged = events.next().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"], json!(uris));
    events
}

#[test]
fn an_older_client_is_told_of_what_it_subscribed_to() {
    let updates = Updates::new();
    let served = serving(&updates);
    let session = served.session();
    assert_eq!(session.opening["result"]["capabilities"]["resources"], json!({"subscribe": true}));
    let mut events = Events::opened(session.stream());
    let ask = |method: &str, uri: &str| session.request(method, json!({"uri": uri}));
    for uri in ["fixture://news", "fixture://book/7", "fixture://book/8"] {
        assert_eq!(ask("resources/subscribe", uri)["result"], json!({}), "{uri}");
    }
    assert_eq!(ask("resources/unsubscribe", "fixture://book/8")["result"], json!({}));
    for uri in ["fixture://book/8", "fixture://book/9", "fixture://book/7", "fixture://book/7"] {
        updates.notify(uri);
    }
    assert_eq!(told(&mut events), "fixture://book/7");
    updates.notify("fixture://news");
    // Of two changes one was told, of what is not subscribed to none.
    assert_eq!(told(&mut events), "fixture://news");
    // Another client has not asked.
    let mut other = Events::opened(served.session().stream());
    session.request("resources/unsubscribe", json!({"uri": "fixture://news"}));
    updates.notify("fixture://news");
    served.stop().ended();
    assert!(events.next().is_none() && other.next().is_none());
}

#[test]
fn a_client_that_begins_twice_is_told_once() {
    let (changes, updates) = (Changes::new(), Updates::new());
    let served = Served::serving(registry(), |server| server.changes(&changes).updates(&updates));
    let session = served.session();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    for _ in 0..5 {
        assert_eq!(session.post(&initialized).status, 202);
    }
    let mut events = Events::opened(session.stream());
    // One after the other: once this is answered, what came before was heard.
    for _ in 0..3 {
        session.request("resources/subscribe", json!({"uri": "fixture://news"}));
    }
    changes.notify();
    assert_eq!(events.methods(3), ALL);
    updates.notify("fixture://news");
    assert_eq!(told(&mut events), "fixture://news");
}

#[test]
fn what_is_not_there_is_not_subscribed_to() {
    let served = serving(&Updates::new());
    let session = served.session();
    for uri in ["fixture://nothing", "fixture://book/one/two", "other://news"] {
        let refused = session.request("resources/subscribe", json!({"uri": uri}));
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["data"]["uri"]),
            (&json!(-32002), &json!(uri))
        );
    }
    let odd = session.request("resources/subscribe", json!({"uri": 5}));
    assert_eq!(odd["error"]["code"], -32602);
}

#[test]
fn who_listens_is_told_of_the_resources_that_it_names() {
    let updates = Updates::new();
    let served = serving(&updates);
    let mut news = listen(&served, &["fixture://news"], &[]);
    let mut both = listen(&served, &["fixture://news", "fixture://book/7"], &[]);
    for _ in 0..50 {
        updates.notify("fixture://book/7");
    }
    assert_eq!(told(&mut both), "fixture://book/7");
    updates.notify("fixture://news");
    let message = news.next().unwrap();
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 1});
    assert_eq!(message["params"], json!({"uri": "fixture://news", "_meta": meta}));
    assert_eq!(told(&mut both), "fixture://news");

    served.stop().ended();
    let end: Value = news.next().unwrap();
    assert_eq!(end["result"]["resultType"], "complete", "{end}");
}

#[test]
fn whoever_may_not_read_a_resource_is_not_told_of_it() {
    let updates = Updates::new();
    let served = Served::serving(identity::registry(), |server| {
        server.authenticator(identity::bearer()).updates(&updates)
    });
    let safe = "fixture://safe_content";
    let open = "fixture://whoami";
    let mut ada = listen(&served, &[safe, open], &[("authorization", "Bearer swordfish-1")]);
    let mut bob = listen(&served, &[safe, open], &[("authorization", "Bearer swordfish-2")]);
    updates.notify(safe);
    assert_eq!(told(&mut ada), safe);
    updates.notify(open);
    assert_eq!((told(&mut ada).as_str(), told(&mut bob).as_str()), (open, open));
}

#[test]
fn without_updates_there_is_nothing_to_subscribe_to() {
    let served = Served::serving(registry(), |server| server);
    let session = served.session();
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let refused = session.request(method, json!({"uri": "fixture://news"}));
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
    let params = json!({"notifications": {"resourceSubscriptions": ["fixture://news"]}});
    let answer: Answer = served.modern("subscriptions/listen", params);
    assert_eq!(answer.json()["error"]["code"], -32601);
}

#[test]
fn the_later_era_subscribes_by_listening_alone() {
    let served = serving(&Updates::new());
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = served.modern(method, json!({"uri": "fixture://news"}));
        assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (404, Some(-32601)), "{method}");
    }
}
