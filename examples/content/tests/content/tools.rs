//! Every tool, called through the registry as a user of the site.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use content::{Settings, SigningKey, Site};
use serde_json::{Value, json};
use tool_core::completion::CompletionRequest;
use tool_core::failure::Reason;
use tool_core::{FailureKind, Principal, Registry, adapter};

use crate::on_both;
use crate::store::{Place, Store};

mod with {
    super::on_both![
        runs_every_example,
        accepts_the_seed_as_tool_input,
        completes_owners_of_nodes_without_other_users,
        reads_nodes_with_revisions_and_translations,
        finds_nodes_by_all_criteria,
        finds_nodes_in_texts_that_match_in_part_everywhere,
        creates_edits_and_compares_pages,
        compares_long_pages_without_common_lines_in_a_short_time,
        allows_edits_by_owners_and_editors,
        requires_an_author_of_the_site,
        replaces_earlier_translations,
        announces_published_changes,
        signs_messages_in_the_outbox,
        requires_a_key_for_signing,
        shows_a_preview_to_anyone_with_the_link,
        reports_invalid_inputs_with_what_is_expected,
        refuses_texts_that_hide_something,
        completes_inputs_from_stored_data,
    ];
}

/// A temporary site.
struct Museum {
    place: Place,
    site: Site,
    registry: Registry,
}

impl Museum {
    async fn new(store: &Store) -> Self {
        Self::with(store, Settings { signing_key: SigningKey::new("correct horse battery") }).await
    }

    async fn with(store: &Store, settings: Settings) -> Self {
        let place = store.place().await;
        let site = place.site();
        let registry = content::registry(site.clone(), settings).unwrap();
        Self { place, site, registry }
    }

    async fn user(&self, name: &str) -> Principal {
        self.site.principal(name).await.unwrap().unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    async fn call(&self, user: &str, tool: &str, arguments: Value) -> Result<Value, (FailureKind, String)> {
        let registry = self.registry.as_principal(self.user(user).await);
        let called = registry.call(tool, arguments).await;
        called.map(|output| output.value()).map_err(|failure| (failure.kind(), failure.message().to_owned()))
    }

    async fn call_ok(&self, user: &str, tool: &str, arguments: Value) -> Value {
        self.call(user, tool, arguments).await.unwrap_or_else(|failure| panic!("{tool}: {failure:?}"))
    }
}

fn failed(reason: Reason, message: &str) -> Result<Value, (FailureKind, String)> {
    Err((FailureKind::Failed(reason), message.to_owned()))
}

async fn runs_every_example(store: &Store) {
    let registry = Museum::new(store).await.registry;
    // There is no result before a tool has stored one.
    for tool in registry.tools().filter(|tool| tool.name() != "read_result") {
        // Each tool runs on a fresh site.
        let museum = Museum::new(store).await;
        let mut examples: Vec<Value> = tool.examples().to_vec();
        examples.push(tool.example().clone());
        for mut example in examples {
            if tool.name() == "open_preview" {
                // A link is a secret, and so has no example.
                let link = museum.call_ok("mira", "preview_link", json!({"id": 6})).await;
                example = json!({"link": link["link"]});
            }
            let result = museum.call("otto", tool.name(), example.clone()).await;
            assert!(result.is_ok(), "{} with {example}: {result:?}", tool.name());
            if tool.modifies() {
                break;
            }
        }
    }
}

/// Returns the content of a revision as input of `create_node`.
fn content(revision: &Value) -> Value {
    let mut content = revision.clone();
    content
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !["id", "vid", "author", "created", "log"].contains(&name.as_str()));
    content["kind"] = json!("page");
    content
}

async fn accepts_the_seed_as_tool_input(store: &Store) {
    let museum = Museum::new(store).await;
    let overview = museum.call_ok("vera", "site_overview", json!({})).await;
    assert_eq!(
        overview,
        json!({
            "nodes": {"article": 3, "event": 1, "page": 2}, "published": 5, "revisions": 11,
            "translations": {"de": 2, "fr": 1, "nl": 1}, "waiting": 0
        })
    );
    let mut revisions = 0;
    for id in museum.site.reader().ids().await.unwrap() {
        for summary in museum.site.reader().revisions(id).await.unwrap() {
            let revision =
                museum.call_ok("vera", "get_revision", json!({"id": id, "vid": summary.vid})).await;
            let arguments = content(&revision).to_string();
            let valid = museum.registry.validate("create_node", arguments.as_bytes());
            assert!(valid.is_ok(), "{arguments}: {}", valid.unwrap_err().text());
            revisions += 1;
        }
        let node = museum.call_ok("vera", "get_node", json!({"id": id})).await;
        let languages = node["translations"].as_array().unwrap().iter().chain([&Value::Null]);
        for langcode in languages {
            let page = museum.call_ok("vera", "render_node", json!({"id": id, "langcode": langcode})).await;
            assert!(page.as_str().unwrap().starts_with("<h1>"), "{page}");
        }
    }
    assert_eq!(revisions, 11);
    for name in museum.site.reader().user_names().await.unwrap() {
        assert!(museum.user(&name).await.has("node.view"), "{name}");
    }
}

/// Everybody who sees a node sees its owner, but not all users.
async fn completes_owners_of_nodes_without_other_users(store: &Store) {
    let museum = Museum::new(store).await;
    let nodes = museum.call_ok("vera", "find_nodes", json!({})).await;
    let owners = nodes.as_array().unwrap().iter().map(|node| node["owner"].as_str().unwrap());
    let owners: BTreeSet<&str> = owners.collect();
    let registry = museum.registry.as_principal(museum.user("vera").await);
    let complete = async |tool, input| {
        adapter::complete(&registry, tool, input, CompletionRequest::new("")).await.map(|found| found.values)
    };
    assert_eq!(complete("find_nodes", "owner").await.unwrap(), owners.into_iter().collect::<Vec<_>>());
    assert_eq!(complete("get_user", "name").await.unwrap_err().kind(), FailureKind::Denied);
}

async fn reads_nodes_with_revisions_and_translations(store: &Store) {
    let museum = Museum::new(store).await;
    let node = museum.call_ok("vera", "get_node", json!({"id": 2})).await;
    assert_eq!(node["title"], "The tide road");
    assert_eq!(node["revision"], 2);
    assert_eq!(node["translations"], json!(["de"]));
    assert_eq!(node["components"][0]["variant"], "warning");
    let revision = museum.call_ok("vera", "get_revision", json!({"id": 2, "vid": 1})).await;
    assert_eq!((&revision["author"], &revision["components"]), (&json!("tomas"), &json!([])));
    let revisions = museum.call_ok("vera", "list_revisions", json!({"id": 1})).await;
    let vids: Vec<&Value> = revisions.as_array().unwrap().iter().map(|revision| &revision["vid"]).collect();
    assert_eq!(vids, [3, 2, 1]);
    assert_eq!(revisions[0]["published"], true);
    let translation = |id: u32, langcode: &str| json!({"id": id, "langcode": langcode});
    let french = museum.call_ok("vera", "get_translation", translation(1, "fr")).await;
    assert_eq!((&french["revision"], &french["outdated"]), (&json!(2), &json!(true)));
    assert_eq!(museum.call_ok("vera", "get_translation", translation(1, "de")).await["outdated"], false);

    assert_eq!(
        museum.call("vera", "get_node", json!({"id": 99})).await,
        failed(Reason::NotFound, "there is no node 99")
    );
    assert_eq!(
        museum.call("vera", "get_revision", json!({"id": 2, "vid": 3})).await,
        failed(Reason::NotFound, "node 2 has no revision 3: the newest is 2")
    );
    assert_eq!(
        museum.call("vera", "get_translation", translation(3, "de")).await,
        failed(Reason::NotFound, "node 3 is not translated into `de`")
    );
}

async fn finds_nodes_by_all_criteria(store: &Store) {
    let museum = Museum::new(store).await;
    for (query, expected) in [
        (json!({}), vec![1, 2, 3, 4, 5, 6]),
        (json!({"limit": 2}), vec![1, 2]),
        (json!({"text": "LOW water"}), vec![2]),
        (json!({"text": "100%"}), vec![]),
        (json!({"text": "_"}), vec![]),
        (json!({"kind": "article"}), vec![3, 4, 6]),
        (json!({"tags": ["boats"]}), vec![3, 6]),
        (json!({"tags": ["boats", "research"]}), vec![6]),
        (json!({"owner": "june"}), vec![3, 5, 6]),
        (json!({"published": false}), vec![6]),
        (json!({"published": true, "owner": "june", "kind": "event"}), vec![5]),
    ] {
        let found = museum.call_ok("vera", "find_nodes", query.clone()).await;
        let ids: Vec<u64> =
            found.as_array().unwrap().iter().map(|node| node["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
    }
}

async fn finds_nodes_in_texts_that_match_in_part_everywhere(store: &Store) {
    let museum = Museum::new(store).await;
    let page =
        |number| json!({"kind": "page", "title": format!("Page {number}"), "body": "a".repeat(100_000)});
    let pages: Vec<Value> = (0..60).map(page).collect();
    museum.call_ok("june", "import_pages", json!({"pages": pages})).await;
    let begun = Instant::now();
    let text = format!("{}b", "a".repeat(199));
    assert_eq!(museum.call_ok("vera", "find_nodes", json!({"text": text})).await, json!([]));
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

async fn creates_edits_and_compares_pages(store: &Store) {
    let museum = Museum::new(store).await;
    let page = json!({"kind": "article", "title": "Ropes", "body": "Hemp.\n", "meta": {"lang": "en"}});
    assert_eq!(museum.call_ok("june", "create_node", page).await, json!({"id": 7, "revision": 1}));
    let edit = json!({"id": 7, "base": 1, "body": "Hemp and sisal.\n", "log": "More"});
    assert_eq!(museum.call_ok("june", "edit_node", edit.clone()).await, json!({"id": 7, "revision": 2}));
    assert_eq!(
        museum.call("june", "edit_node", edit).await,
        failed(
            Reason::Conflict,
            "node 7 is at revision 2 and not at 1 any more: read it again, and change that"
        )
    );
    assert_eq!(
        museum.call("june", "edit_node", json!({"id": 7, "title": "Ropes", "log": "Nothing"})).await,
        failed(
            Reason::Other,
            "node 7 is like that already: give a `title`, `body`, `tags` or `meta` that differs"
        )
    );
    let callout = json!({"id": 7, "variant": "info", "props": {"text": "Touch them!"}, "place": 9});
    assert_eq!(museum.call_ok("june", "add_callout", callout).await["revision"], 3);
    assert_eq!(
        museum.call_ok("june", "compare_revisions", json!({"id": 7, "from": 1, "to": 2})).await,
        "--- node/7/revision/1\n+++ node/7/revision/2\n@@ -1,4 +1,4 @@\n # Ropes\n \n-Hemp.\n+Hemp and sisal.\n lang: en\n"
    );
    assert_eq!(
        museum.call_ok("june", "render_node", json!({"id": 7})).await,
        "<h1>Ropes</h1>\n<p>Hemp and sisal.</p>\n<aside class=\"callout callout-info\">\n<p>Touch them!</p>\n</aside>\n"
    );
    let german = museum.call_ok("vera", "render_node", json!({"id": 2, "langcode": "de"})).await;
    assert!(german.as_str().unwrap().starts_with("<h1>Der Gezeitenweg</h1>\n"), "{german}");
}

async fn compares_long_pages_without_common_lines_in_a_short_time(store: &Store) {
    let museum = Museum::new(store).await;
    let lines = |word: char, period: u32| {
        (0..25_000).map(|line| format!("{word}{}\n", line % period)).collect::<String>()
    };
    let page = json!({"kind": "page", "title": "Ropes", "body": lines('a', 97)});
    let id = museum.call_ok("june", "create_node", page).await["id"].clone();
    let edit = json!({"id": id, "body": lines('b', 89), "log": "All of it"});
    museum.call_ok("june", "edit_node", edit).await;
    let begun = Instant::now();
    let compared = museum.call_ok("vera", "compare_revisions", json!({"id": id, "from": 1, "to": 2})).await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let compared = compared.as_str().unwrap();
    assert!(compared.contains("\n # Ropes\n \n-a0\n-a1\n"), "{}", &compared[..200]);
    assert!(compared.contains("\n+b0\n+b1\n"));
}

async fn allows_edits_by_owners_and_editors(store: &Store) {
    let museum = Museum::new(store).await;
    let edit = json!({"id": 4, "title": "Eels, counted", "log": "Shorter"});
    assert_eq!(
        museum.call("june", "edit_node", edit.clone()).await,
        Err((FailureKind::Denied, "node 4 belongs to tomas: ask tomas or an editor".to_owned()))
    );
    assert!(museum.call("tomas", "edit_node", edit).await.is_ok());
    let back = json!({"id": 4, "title": "How we count eels", "log": "As it was"});
    assert_eq!(museum.call_ok("mira", "edit_node", back).await["revision"], 3);
    assert_eq!(museum.call_ok("vera", "get_node", json!({"id": 4})).await["owner"], "tomas");
    // It may be created before the change runs, by somebody else.
    for (tool, arguments) in [
        ("edit_node", json!({"id": 99, "log": "?"})),
        ("add_callout", json!({"id": 99, "variant": "info", "props": {"text": "?"}})),
        ("delete_node", json!({"id": 99})),
    ] {
        let denied = Err((FailureKind::Denied, "there is no node 99".to_owned()));
        assert_eq!(museum.call("june", tool, arguments).await, denied, "{tool}");
    }
    assert_eq!(
        museum.call("mira", "edit_node", json!({"id": 99, "log": "?"})).await,
        failed(Reason::NotFound, "there is no node 99")
    );
    let (kind, message) = museum.call("vera", "edit_node", json!({"id": 4, "log": "?"})).await.unwrap_err();
    assert_eq!(kind, FailureKind::Denied);
    assert!(message.contains("`node.edit`"), "{message}");
}

async fn requires_an_author_of_the_site(store: &Store) {
    let museum = Museum::new(store).await;
    let stranger = Principal::new("eve").grant("node.create");
    let page = json!({"kind": "page", "title": "Mine", "body": ""});
    let failure = museum.registry.as_principal(stranger).call("create_node", page.clone()).await.unwrap_err();
    assert_eq!(failure.message(), "nobody on this site is called `eve`");
    let anonymous = Principal::anonymous().grant("node.create");
    let failure = museum.registry.as_principal(anonymous).call("create_node", page).await.unwrap_err();
    assert_eq!(failure.message(), "a change needs an author: say who you are");
    assert_eq!(museum.site.reader().ids().await.unwrap().len(), 6);
}

async fn replaces_earlier_translations(store: &Store) {
    let museum = Museum::new(store).await;
    let french =
        json!({"id": 1, "langcode": "fr", "title": "Visiter le musée", "body": "Au bout de la rue."});
    assert_eq!(museum.call_ok("liv", "translate_node", french).await, json!({"id": 1, "revision": 3}));
    let stored = museum.call_ok("vera", "get_translation", json!({"id": 1, "langcode": "fr"})).await;
    assert_eq!((&stored["title"], &stored["outdated"]), (&json!("Visiter le musée"), &json!(false)));
    assert!(museum.call("tomas", "translate_node", json!({})).await.is_err());
}

async fn announces_published_changes(store: &Store) {
    let museum = Museum::new(store).await;
    assert_eq!(
        museum.call_ok("mira", "publish_node", json!({"id": 6})).await,
        json!({"id": 6, "published": 1, "message": 1})
    );
    assert_eq!(museum.call_ok("vera", "get_node", json!({"id": 6})).await["published"], 1);
    assert_eq!(
        museum.call("june", "delete_node", json!({"id": 6})).await,
        failed(Reason::Conflict, "node 6 is published: withdraw it first")
    );
    let withdrawn = museum.call_ok("mira", "withdraw_node", json!({"id": 6})).await;
    assert_eq!(withdrawn, json!({"id": 6, "published": null, "message": 2}));
    // Withdrawing again sends no message.
    assert_eq!(museum.call_ok("mira", "withdraw_node", json!({"id": 6})).await["message"], Value::Null);
    assert_eq!(
        museum.call_ok("june", "delete_node", json!({"id": 6})).await,
        json!({"id": 6, "revisions": 1, "translations": 0})
    );
    assert_eq!(museum.call_ok("vera", "site_overview", json!({})).await["waiting"], 2);
    assert_eq!(
        museum.call("mira", "publish_node", json!({"id": 5, "vid": 7})).await,
        failed(Reason::NotFound, "node 5 has no revision 7: the newest is 2")
    );
    assert_eq!(museum.call_ok("vera", "site_overview", json!({})).await["waiting"], 2, "all or nothing");
    // Numbers are never reused.
    let page = json!({"kind": "page", "title": "Next", "body": ""});
    assert_eq!(museum.call_ok("june", "create_node", page).await["id"], 7);
}

async fn signs_messages_in_the_outbox(store: &Store) {
    let museum = Museum::new(store).await;
    museum.call_ok("mira", "publish_node", json!({"id": 3, "vid": 2})).await;
    let query = sqlx::query_as("SELECT event, signature FROM outbox");
    let (event, signature): (String, String) =
        query.fetch_one(&mut museum.place.connect().await).await.unwrap();
    let read: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(
        read,
        json!({
            "event": "published", "node": 3, "revision": 2, "kind": "article", "title": "The boat that came back"
        })
    );
    let key = SigningKey::new("correct horse battery").unwrap();
    assert!(key.verifies(&event, &signature));
    assert!(!key.verifies(&event.replace('3', "4"), &signature));
}

async fn requires_a_key_for_signing(store: &Store) {
    let museum = Museum::with(store, Settings::default()).await;
    for tool in ["open_preview", "preview_link", "publish_node", "withdraw_node"] {
        let requirements = museum.registry.requirements(tool).unwrap();
        assert!(!requirements.met, "{tool}");
        let (kind, message) = museum.call("otto", tool, json!({})).await.unwrap_err();
        assert_eq!(kind, FailureKind::Unmet, "{tool}");
        assert!(message.contains("set CONTENT_SIGNING_KEY"), "{message}");
    }
    assert!(museum.registry.requirements("get_node").is_none());
}

async fn shows_a_preview_to_anyone_with_the_link(store: &Store) {
    let museum = Museum::new(store).await;
    let link = museum.call_ok("june", "preview_link", json!({"id": 3, "vid": 1, "minutes": 5})).await;
    assert_eq!(link["revision"], 1);
    let anonymous = museum.registry.as_principal(Principal::anonymous());
    let page = anonymous.call("open_preview", json!({"link": link["link"]})).await.unwrap();
    assert!(page.value().as_str().unwrap().contains("a fisherman found her"), "{:?}", page.value());
    let failure =
        anonymous.call("open_preview", json!({"link": "/preview/3/1/9999999999/00"})).await.unwrap_err();
    assert_eq!(failure.message(), "this is no link to a preview, or not any more");
    let wrong = anonymous.call("open_preview", json!({"link": link["link"], "hello": 1})).await.unwrap_err();
    assert!(!wrong.text().contains(link["link"].as_str().unwrap()), "{}", wrong.text());
}

async fn reports_invalid_inputs_with_what_is_expected(store: &Store) {
    let museum = Museum::new(store).await;
    let problems = async |tool: &str, arguments: Value| -> Vec<String> {
        let registry = museum.registry.as_principal(museum.user("otto").await);
        let failure = registry.call(tool, arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{failure}");
        failure.problems().iter().map(|problem| problem.path.clone()).collect()
    };
    assert_eq!(problems("get_node", json!({"id": 0})).await, ["/id"]);
    assert_eq!(problems("get_translation", json!({"id": 1, "langcode": "es"})).await, ["/langcode"]);
    let callout = json!({"id": 1, "variant": "alarming", "props": {"text": "", "colour": "red"}});
    let mut paths = problems("add_callout", callout).await;
    paths.sort_unstable();
    assert_eq!(paths, ["/props/colour", "/props/text", "/variant"]);
    let button =
        json!({"kind": "button", "variant": "primary", "props": {"label": "x", "href": "javascript:1"}});
    let page = json!({"kind": "page", "title": "x", "body": "", "components": [button]});
    let paths = problems("create_node", page).await;
    assert!(paths.iter().all(|path| path.starts_with("/components/0")) && !paths.is_empty(), "{paths:?}");
    assert_eq!(
        problems("create_node", json!({"kind": "page", "title": "x", "body": "", "tags": [""]})).await,
        ["/tags/0"]
    );
}

async fn refuses_texts_that_hide_something(store: &Store) {
    let museum = Museum::new(store).await;
    let registry = museum.registry.as_principal(museum.user("otto").await);
    let page = |title: &str, body: &str| json!({"kind": "page", "title": title, "body": body});
    let mut more = page("x", "");
    more["tags"] = json!(["tides", "a\0b"]);
    more["meta"] = json!({"description": "a\0b", "a\0b": ""});
    more["components"] = json!([{"kind": "callout", "variant": "warning", "props": {"text": "a\0b"}}]);
    let callout = json!({"title": "a\nb", "text": "a\0b"});
    for (tool, arguments, expected) in [
        ("create_node", page("a\0b", "a\0hidden"), &["/body", "/title"][..]),
        ("create_node", page("two\nlines", "two\nlines"), &["/title"]),
        ("create_node", page("two\u{2028}lines", ""), &["/title"]),
        ("create_node", more, &["/components/0/props/text", "/meta", "/meta/description", "/tags/1"]),
        ("edit_node", json!({"id": 3, "title": "a\rb", "log": "a\0b"}), &["/log", "/title"]),
        (
            "add_callout",
            json!({"id": 6, "variant": "warning", "props": callout}),
            &["/props/text", "/props/title"],
        ),
        (
            "translate_node",
            json!({"id": 4, "langcode": "nl", "title": "a\nb", "body": "a\0b"}),
            &["/body", "/title"],
        ),
        (
            "import_pages",
            json!({"pages": [page("x", ""), page("a\nb", "a\0b")]}),
            &["/pages/1/body", "/pages/1/title"],
        ),
        (
            "find_nodes",
            json!({"text": "\0", "owner": "a\0b", "tags": ["a", "\0"]}),
            &["/owner", "/tags/1", "/text"],
        ),
    ] {
        let failure = registry.call(tool, arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{tool}: {failure}");
        let mut paths: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, expected, "{tool}");
        assert!(!failure.text().contains('\0'), "{tool}");
    }
    // Nothing was stored.
    let overview = museum.call_ok("vera", "site_overview", json!({})).await;
    assert_eq!(overview["revisions"], 11);
}

async fn completes_inputs_from_stored_data(store: &Store) {
    let museum = Museum::new(store).await;
    let registry = museum.registry.as_principal(museum.user("otto").await);
    let completed = async |tool, input, typed: &str| {
        adapter::complete(&registry, tool, input, CompletionRequest::new(typed)).await.unwrap().values
    };
    assert_eq!(completed("get_node", "id", "").await.len(), 6);
    assert_eq!(completed("get_user", "name", "m").await, ["mira"]);
    assert_eq!(completed("get_translation", "langcode", "").await, ["de", "fr", "nl"]);
    assert_eq!(completed("add_callout", "variant", "w").await, ["warning"]);
}
