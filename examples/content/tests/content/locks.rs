//! What several replicas do at the same moment, each with a handle of its own.

use std::sync::{Arc, Mutex};

use content::model::{Content, NodeKind};
use content::{NodeId, Settings, SigningKey, SiteError};
use fixture_postgres::PostgresServer;
use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::{FailureKind, Registry};

use crate::on_both;
use crate::store::{Place, Store};

mod with {
    super::on_both![
        creates_a_site_once,
        edits_one_page_without_loss,
        imports_a_page_once_at_once,
        reports_changed_resources,
    ];
}

/// How many replicas there are.
const REPLICAS: usize = 6;

async fn registry(place: &Place, user: &str) -> Registry {
    let site = place.site();
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    let user = site.principal(user).await.unwrap().unwrap();
    content::registry(site, settings).unwrap().as_principal(user)
}

/// Runs one function for each replica at once.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    replica: impl Fn(usize) -> F,
) -> Vec<T> {
    let running: Vec<_> = (0..REPLICAS).map(|number| tokio::spawn(replica(number))).collect();
    let mut outputs = Vec::new();
    for running in running {
        outputs.push(running.await.unwrap());
    }
    outputs
}

async fn creates_a_site_once(store: &Store) {
    let place = store.place().await;
    let overviews = at_once(|_| {
        let site = place.site();
        async move { site.reader().overview().await.unwrap() }
    })
    .await;
    for overview in overviews {
        assert_eq!((overview.revisions, overview.published), (11, 5));
    }
    if place.is_postgres() {
        let versions = sqlx::query_scalar::<_, i64>("SELECT version FROM content_version");
        assert_eq!(versions.fetch_all(&mut place.connect().await).await.unwrap(), [3]);
    }
}

async fn edits_one_page_without_loss(store: &Store) {
    const EDITS: usize = 10;
    let place = store.place().await;
    let first = registry(&place, "mira").await;
    let edit = async |registry: &Registry, base: Option<u32>, title: String| {
        let edit = json!({"id": 1, "base": base, "title": title, "log": "A title"});
        registry.call("edit_node", edit).await.map(|saved| saved.value()["revision"].as_u64().unwrap())
    };
    // Without a base, each edit becomes a revision of its own.
    let mut registries = Vec::new();
    for _ in 0..REPLICAS {
        registries.push(registry(&place, "mira").await);
    }
    let registries = Arc::new(registries);
    let revisions = at_once(|number| {
        let registries = Arc::clone(&registries);
        async move {
            let mut revisions = Vec::new();
            for turn in 0..EDITS {
                let title = json!({"id": 1, "title": format!("{number} {turn}"), "log": "A title"});
                let saved = registries[number].call("edit_node", title).await.unwrap();
                revisions.push(saved.value()["revision"].as_u64().unwrap());
            }
            revisions
        }
    })
    .await;
    let mut revisions: Vec<u64> = revisions.into_iter().flatten().collect();
    revisions.sort_unstable();
    assert_eq!(revisions, (4..4 + (REPLICAS * EDITS) as u64).collect::<Vec<_>>());

    // With the same base, one edit of all is stored.
    let base = u32::try_from(*revisions.last().unwrap()).unwrap();
    let outcomes = at_once(|number| {
        let registries = Arc::clone(&registries);
        async move {
            let edit = json!({"id": 1, "base": base, "title": format!("of {number}"), "log": "A title"});
            registries[number].call("edit_node", edit).await.map(|_| ()).map_err(|failure| failure.kind())
        }
    })
    .await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    let conflict = FailureKind::Failed(Reason::Conflict);
    assert!(outcomes.iter().flat_map(|outcome| outcome.err()).all(|kind| kind == conflict), "{outcomes:?}");
    assert_eq!(edit(&first, Some(base + 1), "The last".to_owned()).await.unwrap(), u64::from(base) + 2);
}

async fn imports_a_page_once_at_once(store: &Store) {
    let place = store.place().await;
    let content = Content {
        title: "Hours".to_owned(),
        body: "Every day.\n".to_owned(),
        tags: Vec::new(),
        meta: Default::default(),
        components: Vec::new(),
    };
    let mut registries = Vec::new();
    for _ in 0..REPLICAS {
        registries.push(registry(&place, "june").await);
    }
    let registries = Arc::new(registries);
    let page = json!([{"kind": NodeKind::Page, "title": content.title, "body": content.body}]);
    let nodes: Vec<Value> = at_once(|number| {
        let (registries, page) = (Arc::clone(&registries), page.clone());
        async move {
            registries[number].call("import_pages", json!({"pages": page})).await.unwrap().value()["nodes"]
                .clone()
        }
    })
    .await;
    assert!(nodes.iter().all(|node| *node == nodes[0]), "{nodes:?}");
    assert_eq!(place.site().reader().ids().await.unwrap().len(), 7);
}

async fn reports_changed_resources(store: &Store) {
    let place = store.place().await;
    let changed: Arc<Mutex<Vec<String>>> = Arc::default();
    let listener = Arc::clone(&changed);
    let site = place.site().on_change(move |addresses| listener.lock().unwrap().extend_from_slice(addresses));
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    let otto = site.principal("otto").await.unwrap().unwrap();
    let registry = content::registry(site, settings).unwrap().as_principal(otto);
    for (tool, arguments, expected) in [
        ("edit_node", json!({"id": 3, "title": "Home", "log": "x"}), "node/3"),
        (
            "translate_node",
            json!({"id": 3, "langcode": "nl", "title": "x", "body": "y"}),
            "node/3/translation/nl",
        ),
        ("publish_node", json!({"id": 6}), "node/6/revision"),
        ("withdraw_node", json!({"id": 6}), "site"),
        ("delete_node", json!({"id": 6}), "user/june"),
        ("create_node", json!({"kind": "page", "title": "x", "body": "y"}), "node/7"),
    ] {
        registry.call(tool, arguments).await.unwrap();
        let changed = std::mem::take(&mut *changed.lock().unwrap());
        assert!(changed.iter().any(|address| address == expected), "{tool}: {changed:?}");
    }
    // A change that fails, and one that changes nothing.
    assert!(registry.call("edit_node", json!({"id": 99, "title": "x", "log": "x"})).await.is_err());
    registry.call("withdraw_node", json!({"id": 7})).await.unwrap();
    assert_eq!(*changed.lock().unwrap(), [""; 0]);
}

#[tokio::test]
async fn reads_after_a_restart_of_postgres() {
    let server = PostgresServer::start();
    let site = content::Site::postgres(&server.url()).unwrap();
    let node = NodeId(2.try_into().unwrap());
    let before = site.reader().node(node).await.unwrap();
    server.crash();
    assert_eq!(site.reader().node(node).await.unwrap(), before);
}

#[tokio::test]
async fn refuses_to_look_for_a_character_that_postgres_cannot_store() {
    let server = PostgresServer::start();
    let site = content::Site::postgres(&server.url()).unwrap();
    let mira = site.principal("mira").await.unwrap().unwrap();
    let registry = content::registry(site, Settings::default()).unwrap().as_principal(mira);
    let failure = registry.call("get_user", json!({"name": "a\0b"})).await.unwrap_err();
    assert_eq!(failure.message(), SiteError::Character.to_string());
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    assert!(registry.call("get_user", json!({"name": "liv"})).await.is_ok());
}
