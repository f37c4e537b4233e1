//! Several processes write to one site at once, and are killed while they do.
//!
//! The test starts itself as a writer, which calls the tools and prints confirmed changes until its standard input ends
//! or it is killed.

// A child reports confirmed changes to its parent on stdout.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{self, BufRead, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use content::{NodeId, Settings, SigningKey, Site};
use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::{FailureKind, Registry};

use crate::store::{Place, Store};

/// The role of a child process.
const ROLE: &str = "CONTENT_TEST_ROLE";
const NUMBER: &str = "CONTENT_TEST_NUMBER";

/// The node that all writers edit.
const SHARED: u32 = 1;

fn shared() -> NodeId {
    NodeId(SHARED.try_into().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn loses_no_edits_of_concurrent_processes() {
    run("loses_no_edits_of_concurrent_processes", Store::sqlite, loses_no_edits).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn loses_no_edits_of_concurrent_processes_with_postgres() {
    run("loses_no_edits_of_concurrent_processes_with_postgres", Store::postgres, loses_no_edits).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn keeps_confirmed_changes_after_a_kill() {
    run("keeps_confirmed_changes_after_a_kill", Store::sqlite, keeps_confirmed_changes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn keeps_confirmed_changes_after_a_kill_with_postgres() {
    run("keeps_confirmed_changes_after_a_kill_with_postgres", Store::postgres, keeps_confirmed_changes).await;
}

/// Runs a test with a place of this store, or, in a child, what the child does.
async fn run(name: &str, store: fn() -> Store, test: impl AsyncFn(&str, &Place)) {
    match env::var(ROLE) {
        Ok(role) => write_until_stopped(name, &role).await,
        Err(_) => test(name, &store().place().await).await,
    }
}

async fn loses_no_edits(name: &str, place: &Place) {
    const EDITS: usize = 30;
    // The site does not exist yet: both create it at once.
    let mut writers: Vec<Writer> =
        (1..=2).map(|number| Writer::start(name, place, "editor", number)).collect();
    let mut confirmed = Vec::new();
    for _ in 0..EDITS {
        for writer in &mut writers {
            confirmed.push(writer.next().expect("it ended early"));
        }
    }
    for writer in writers {
        confirmed.extend(writer.stop());
    }

    let site = place.site();
    let revisions: BTreeSet<u32> = confirmed.iter().map(|confirmation| confirmation.number).collect();
    assert_eq!(revisions.len(), confirmed.len(), "two writers got the same revision");
    let node = site.reader().node(shared()).await.unwrap();
    assert_eq!(node.revision as usize, 3 + confirmed.len());
    assert_eq!(site.reader().revisions(shared()).await.unwrap().len(), node.revision as usize);
    // Each edit added its line to the previous body.
    let lines: BTreeSet<&str> = node.content.body.lines().filter(|line| line.starts_with("line ")).collect();
    let expected: BTreeSet<String> = confirmed.iter().map(Confirmation::line).collect();
    assert_eq!(lines, expected.iter().map(String::as_str).collect());
    assert_intact(place).await;
}

async fn keeps_confirmed_changes(name: &str, place: &Place) {
    const ROUNDS: usize = 30;
    let mut created: BTreeMap<u32, Confirmation> = BTreeMap::new();
    let mut unconfirmed = 0;
    for round in 0..ROUNDS {
        let numbers = [2 * round + 1, 2 * round + 2];
        let mut writers: Vec<Writer> =
            numbers.iter().map(|number| Writer::start(name, place, "creator", *number)).collect();
        // Each round kills at another moment, always during writes.
        let mut confirmed = Vec::new();
        for turn in 0..=round % 5 {
            confirmed.push(writers[turn % 2].next().expect("it ended early"));
        }
        for writer in &mut writers {
            // On Unix, this is SIGKILL.
            writer.process.kill().unwrap();
        }
        for writer in writers {
            confirmed.extend(writer.wait_killed());
        }
        for confirmation in confirmed {
            assert!(
                created.insert(confirmation.number, confirmation).is_none(),
                "a number was assigned twice"
            );
        }
        place.wait_until_unused().await;
        unconfirmed = assert_nodes_exist(place, &created).await;
        assert!(unconfirmed <= 2 * (round + 1), "more than one unconfirmed change per writer");
    }
    assert!(created.len() >= ROUNDS);
    eprintln!("{} confirmed; {unconfirmed} done but not confirmed", created.len());
    assert_intact(place).await;
}

/// Asserts that every node is complete and no confirmed one is lost; returns the number of unconfirmed nodes.
async fn assert_nodes_exist(place: &Place, created: &BTreeMap<u32, Confirmation>) -> usize {
    let site = place.site();
    let mut unconfirmed = 0;
    let announced_nodes = announced_nodes(place).await;
    // The last confirmed turn of each writer; only the turn after it may be unfinished.
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for confirmation in created.values() {
        let turn = last.entry(confirmation.writer).or_default();
        *turn = confirmation.turn.max(*turn);
    }
    for id in site.reader().ids().await.unwrap().into_iter().filter(|id| id.number() > 6) {
        let node = site.reader().node(id).await.unwrap();
        assert_eq!((node.revision, node.content.tags.len(), node.content.components.len()), (1, 2, 1));
        assert_eq!(
            node.published.is_some(),
            announced_nodes.contains(&id),
            "{id} is published but not announced, or the reverse"
        );
        match created.get(&id.number()) {
            Some(confirmation) => {
                assert_eq!(node.content.title, confirmation.line());
                assert!(
                    node.published.is_some() || last[&confirmation.writer] == confirmation.turn,
                    "not published: {confirmation:?}"
                );
            }
            None => unconfirmed += 1,
        }
    }
    for confirmation in created.values() {
        let id = NodeId(confirmation.number.try_into().unwrap());
        assert!(site.reader().node(id).await.is_ok(), "lost: {confirmation:?}");
    }
    unconfirmed
}

/// Returns the nodes named by messages in the outbox, each exactly once.
async fn announced_nodes(place: &Place) -> BTreeSet<NodeId> {
    let query = sqlx::query_scalar("SELECT event FROM outbox");
    let events: Vec<String> = query.fetch_all(&mut place.connect().await).await.unwrap();
    let node = |event: &String| serde_json::from_str::<Value>(event).unwrap()["node"].clone();
    let nodes: BTreeSet<NodeId> =
        events.iter().map(node).map(|id| serde_json::from_value(id).unwrap()).collect();
    assert_eq!(nodes.len(), events.len(), "a node is announced twice");
    nodes
}

/// Asserts that the file of a site is sound. PostgreSQL checks its foreign keys itself.
async fn assert_intact(place: &Place) {
    if place.is_postgres() {
        return;
    }
    let mut connection = place.connect().await;
    let verdict: String =
        sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut connection).await.unwrap();
    assert_eq!(verdict, "ok");
    let dangling = sqlx::query("PRAGMA foreign_key_check").fetch_optional(&mut connection).await.unwrap();
    assert!(dangling.is_none(), "a foreign key dangles");
}

/// A change that a writer reported as confirmed, with its assigned number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Confirmation {
    writer: u32,
    turn: u32,
    number: u32,
}

impl Confirmation {
    fn line(&self) -> String {
        line(self.writer, self.turn)
    }

    /// Parses a line of output, which may begin with output of the test harness.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.trim_end().strip_suffix(';')?.split(' ').collect();
        let [.., "confirmed", writer, turn, number] = words[..] else { return None };
        Some(Confirmation {
            writer: writer.parse().ok()?,
            turn: turn.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

fn line(writer: u32, turn: u32) -> String {
    format!("line {writer} {turn}")
}

/// A child process, as the test sees it.
struct Writer {
    process: Child,
    confirmations: Receiver<Confirmation>,
}

impl Writer {
    fn start(test: &str, place: &Place, role: &str, number: usize) -> Self {
        let (variable, value) = place.variable();
        let mut process = Command::new(env::current_exe().unwrap())
            .args([&format!("processes::{test}"), "--exact", "--nocapture", "--test-threads", "1"])
            .env(ROLE, role)
            .env(variable, value)
            .env(NUMBER, number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, confirmations) = mpsc::channel();
        // Reads until the output ends, so that the child never waits for the test.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).filter_map(|line| Confirmation::parse(&line)).for_each(
                |confirmation| {
                    // The receiver is gone if the test has failed.
                    let _ = sender.send(confirmation);
                },
            );
        });
        Self { process, confirmations }
    }

    fn next(&mut self) -> Option<Confirmation> {
        self.confirmations.recv_timeout(Duration::from_secs(60)).ok()
    }

    /// Stops the child after its current change and returns the remaining confirmations.
    fn stop(mut self) -> Vec<Confirmation> {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
        self.confirmations.iter().collect()
    }

    /// Waits for a killed child and returns the remaining confirmations.
    fn wait_killed(mut self) -> Vec<Confirmation> {
        assert!(!self.process.wait().unwrap().success(), "it was not killed");
        self.confirmations.iter().collect()
    }
}

/// Runs the child: changes the site until standard input ends.
async fn write_until_stopped(test: &str, role: &str) {
    let site = match env::var("DATABASE_URL") {
        Ok(url) => Site::postgres(&url).unwrap(),
        Err(_) => Site::at(env::var_os("CONTENT_DATABASE").unwrap()),
    };
    let writer: u32 = env::var(NUMBER).unwrap().parse().unwrap();
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    let registry = content::registry(site.clone(), settings).unwrap();
    let registry = registry.as_principal(site.principal("mira").await.unwrap().unwrap());
    let (sender, parent_exited) = mpsc::channel();
    thread::spawn(move || {
        // Standard input ends when the parent does.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        let _ = sender.send(());
    });
    let mut before = None;
    for turn in 1.. {
        if parent_exited.try_recv().is_ok() {
            return;
        }
        let number = match role {
            "editor" => edit(&registry, writer, turn).await,
            _ => create(&registry, writer, turn, &mut before).await,
        };
        println!("{test} confirmed {writer} {turn} {number};");
    }
}

/// Adds a line to the shared node, retrying on conflicts, and returns the revision.
async fn edit(registry: &Registry, writer: u32, turn: u32) -> u64 {
    loop {
        let node = registry.call("get_node", json!({"id": SHARED})).await.unwrap().value();
        let body = format!("{}{}\n", node["body"].as_str().unwrap(), line(writer, turn));
        let edit = json!({"id": SHARED, "base": node["revision"], "body": body, "log": "A line"});
        match registry.call("edit_node", edit).await {
            Ok(saved) => return saved.value()["revision"].as_u64().unwrap(),
            Err(failure) => assert_eq!(failure.kind(), FailureKind::Failed(Reason::Conflict), "{failure}"),
        }
    }
}

/// Publishes the previous node, creates another one and returns its number.
async fn create(registry: &Registry, writer: u32, turn: u32, before: &mut Option<u64>) -> u64 {
    if let Some(id) = *before {
        registry.call("publish_node", json!({"id": id})).await.unwrap();
    }
    let callout: Value = json!({"kind": "callout", "variant": "info", "props": {"text": "Made to be lost."}});
    let page = json!({
        "kind": "page", "title": line(writer, turn), "body": "…", "tags": ["a", "b"], "components": [callout]
    });
    let id = registry.call("create_node", page).await.unwrap().value()["id"].as_u64().unwrap();
    *before = Some(id);
    id
}
