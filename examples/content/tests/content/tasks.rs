//! The tools that run as tasks: as calls, and as tasks of several processes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use content::Settings;
use serde_json::{Value, json};
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::{FailureKind, Principal, Registry, failure::Reason};

use crate::on_both;
use crate::store::{Place, Store};

mod with {
    super::on_both![
        exports_what_visitors_see,
        reports_an_archive_that_is_too_large,
        imports_a_page_once,
        runs_tasks_in_a_server_and_in_a_worker
    ];
}

/// Returns the names of the files in an archive of `tar`, with their texts.
fn files(archive: &[u8]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().trim_end_matches('\0').to_owned();
    let (mut files, mut rest) = (Vec::new(), archive);
    while rest[0] != 0 {
        let size = usize::from_str_radix(&text(&rest[124..136]), 8).unwrap();
        let sum = u32::from_str_radix(&text(&rest[148..155]), 8).unwrap();
        let header = rest[..148].iter().chain(b"        ").chain(&rest[156..512]);
        assert_eq!(sum, header.map(|byte| u32::from(*byte)).sum::<u32>());
        files.push((text(&rest[..100]), text(&rest[512..512 + size])));
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    files
}

async fn registry(place: &Place, results: &ResultStore, user: &str) -> (Registry, Principal) {
    let site = place.site();
    let user = site.principal(user).await.unwrap().unwrap();
    let registry = content::builder_with_results(site, Settings::default(), results).build().unwrap();
    (registry.as_principal(user.clone()), user)
}

async fn exports_what_visitors_see(store: &Store) {
    let (place, results) = (store.place().await, ResultStore::memory());
    let (registry, vera) = registry(&place, &results, "vera").await;
    let exported = registry.call("export_site", json!({})).await.unwrap().value();
    let digest = exported["archive"].as_str().unwrap().parse().unwrap();
    let archive = results.read(&vera, digest).await.unwrap().unwrap();
    let files = files(&archive.bytes("0-".parse().unwrap()).unwrap());
    let published = registry.call("find_nodes", json!({"published": true})).await.unwrap().value();
    assert_eq!(exported["pages"], files.len());
    let names: Vec<String> = published["result"]
        .as_array()
        .or(published.as_array())
        .unwrap()
        .iter()
        .map(|node| format!("{}.html", node["id"]))
        .collect();
    assert_eq!(files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
    assert!(files.iter().all(|(_, text)| text.starts_with("<h1>")), "{files:?}");
    let again = registry.call("export_site", json!({})).await.unwrap().value();
    assert_eq!(again, exported);
}

/// It is still too large when it is exported again.
async fn reports_an_archive_that_is_too_large(store: &Store) {
    let place = store.place().await;
    let results = ResultStore::memory().limits(ResultLimits::new().largest(1_000));
    let (registry, _) = registry(&place, &results, "vera").await;
    let failure = registry.call("export_site", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    assert!(failure.message().contains("1000"), "{}", failure.message());
}

async fn imports_a_page_once(store: &Store) {
    let (place, results) = (store.place().await, ResultStore::memory());
    let (registry, _) = registry(&place, &results, "june").await;
    let page = |title: &str| json!({"kind": "page", "title": title, "body": "Every day.\n"});
    let import = async |pages: Value| {
        registry.call("import_pages", json!({ "pages": pages })).await.unwrap().value()["nodes"].clone()
    };
    let first = import(json!([page("Hours"), page("Prices")])).await;
    let second = import(json!([page("Prices"), page("Way"), page("Hours")])).await;
    assert_eq!((&second[0], &second[2]), (&first[1], &first[0]));
    assert!(second[1].as_u64() > first[1].as_u64());
    let admin = registry.as_principal(Principal::new("otto").grant("node.delete").grant("node.edit_any"));
    admin.call("delete_node", json!({"id": first[0]})).await.unwrap();
    assert_ne!(import(json!([page("Hours")])).await[0], first[0], "it does not exist any more");
}

#[track_caller]
fn output(place: &Place, arguments: &[&str]) -> String {
    let output = place.content("june", arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A process that runs tasks, killed on drop.
struct Worker(Child);

impl Worker {
    fn start(place: &Place, arguments: &[&str], first_line: &str) -> Self {
        let mut child = place.content("june", arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with(first_line), "{line}");
        Worker(child)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn runs_tasks_in_a_server_and_in_a_worker(store: &Store) {
    for (worker, first_line) in [
        (&["serve", "http", "--addr", "127.0.0.1:0"][..], "listening on "),
        (&["task", "work"], "running tasks"),
    ] {
        let place = store.place().await;
        let id = output(&place, &["run", "export_site", "--detach"]);
        let _worker = Worker::start(&place, worker, first_line);
        let exported: Value =
            serde_json::from_str(&output(&place, &["task", "wait", id.trim_end()])).unwrap();
        let digest = exported["archive"].as_str().unwrap();
        let page = output(&place, &["run", "read_result", &format!("digest={digest}"), "bytes=0-5"]);
        assert_eq!(page.lines().next(), Some("1.html"), "{page}");
        let pages = r#"pages:=[{"kind": "page", "title": "Hours", "body": "Every day."}]"#;
        let first = output(&place, &["run", "import_pages", pages, "--key", "hours"]);
        assert_eq!(output(&place, &["run", "import_pages", pages, "--key", "hours"]), first);
        let listed: Value =
            serde_json::from_str(&output(&place, &["task", "list", "--format", "json"])).unwrap();
        assert_eq!(listed.as_array().unwrap().len(), 2);
    }
}
