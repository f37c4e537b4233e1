//! Several processes write to one site at once, and are killed while they do.
//!
//! The test runs itself again as a writer, which calls the tools, says on its standard output what was confirmed, and
//! stops when its standard input ends, or when it is killed.

// A child tells its parent on stdout what was confirmed.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use content::{NodeId, Settings, SigningKey, Site};
use rusqlite::Connection;
use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::{FailureKind, Registry};

/// What a child does; it says so to the test of that name.
const ROLE: &str = "CONTENT_TEST_ROLE";
const FILE: &str = "CONTENT_TEST_FILE";
const NUMBER: &str = "CONTENT_TEST_NUMBER";

/// The node that everybody edits.
const SHARED: u32 = 1;

fn shared() -> NodeId {
    NodeId(SHARED.try_into().unwrap())
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    const EDITS: usize = 30;
    if env::var_os(ROLE).is_some() {
        return play("two_processes_that_write_at_once_lose_nothing");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("museum.sqlite");
    // Nobody has made the file yet: that happens at once, too.
    let mut writers: Vec<Writer> = (1..=2)
        .map(|number| Writer::start("two_processes_that_write_at_once_lose_nothing", &file, "editor", number))
        .collect();
    let mut confirmed = Vec::new();
    for _ in 0..EDITS {
        for writer in &mut writers {
            confirmed.push(writer.next().expect("it ended early"));
        }
    }
    for writer in writers {
        confirmed.extend(writer.stop());
    }

    let site = Site::at(&file);
    let revisions: BTreeSet<u32> = confirmed.iter().map(|said| said.number).collect();
    assert_eq!(revisions.len(), confirmed.len(), "two writers were given one revision");
    let node = site.reader().node(shared()).unwrap();
    assert_eq!(node.revision as usize, 3 + confirmed.len());
    assert_eq!(site.reader().revisions(shared()).unwrap().len(), node.revision as usize);
    // Each added its line to what the others had written.
    let lines: BTreeSet<&str> = node.content.body.lines().filter(|line| line.starts_with("line ")).collect();
    let expected: BTreeSet<String> = confirmed.iter().map(Said::line).collect();
    assert_eq!(lines, expected.iter().map(String::as_str).collect());
    assert_intact(&file);
}

#[test]
fn what_was_confirmed_outlives_a_kill() {
    const ROUNDS: usize = 30;
    if env::var_os(ROLE).is_some() {
        return play("what_was_confirmed_outlives_a_kill");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("museum.sqlite");
    let mut created: BTreeMap<u32, Said> = BTreeMap::new();
    let mut unconfirmed = 0;
    for round in 0..ROUNDS {
        let numbers = [2 * round + 1, 2 * round + 2];
        let mut writers: Vec<Writer> = numbers
            .iter()
            .map(|number| Writer::start("what_was_confirmed_outlives_a_kill", &file, "creator", *number))
            .collect();
        // Another moment each round, and never one in which nobody writes.
        let mut confirmed = Vec::new();
        for turn in 0..=round % 5 {
            confirmed.push(writers[turn % 2].next().expect("it ended early"));
        }
        for writer in &mut writers {
            // On Unix, this is SIGKILL.
            writer.process.kill().unwrap();
        }
        for writer in writers {
            confirmed.extend(writer.bury());
        }
        for said in confirmed {
            assert!(created.insert(said.number, said).is_none(), "a number was given twice");
        }
        unconfirmed = assert_all_there(&file, &created);
        assert!(unconfirmed <= 2 * (round + 1), "more than the one that each was at when it died");
    }
    assert!(created.len() >= ROUNDS);
    eprintln!("{} confirmed; {unconfirmed} done and not said", created.len());
    assert_intact(&file);
}

/// Every node that was confirmed is there in full, and so is every other; how many others there are.
fn assert_all_there(file: &Path, created: &BTreeMap<u32, Said>) -> usize {
    let site = Site::at(file);
    let mut unconfirmed = 0;
    let announced = announced(&site);
    // The last that each writer has confirmed: what it was at when it died came after it.
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for said in created.values() {
        let turn = last.entry(said.writer).or_default();
        *turn = said.turn.max(*turn);
    }
    for id in site.reader().ids().unwrap().into_iter().filter(|id| id.number() > 6) {
        let node = site.reader().node(id).unwrap();
        assert_eq!((node.revision, node.content.tags.len(), node.content.components.len()), (1, 2, 1));
        assert_eq!(
            node.published.is_some(),
            announced.contains(&id),
            "{id} is shown and not announced, or reverse"
        );
        match created.get(&id.number()) {
            Some(said) => {
                assert_eq!(node.content.title, said.line());
                assert!(
                    node.published.is_some() || last[&said.writer] == said.turn,
                    "not published: {said:?}"
                );
            }
            None => unconfirmed += 1,
        }
    }
    for said in created.values() {
        let id = NodeId(said.number.try_into().unwrap());
        assert!(site.reader().node(id).is_ok(), "lost: {said:?}");
    }
    unconfirmed
}

/// The nodes that messages in the outbox tell of, each of which there is once.
fn announced(site: &Site) -> BTreeSet<NodeId> {
    let events: Vec<String> = site
        .reader()
        .with(|connection| {
            let mut statement = connection.prepare("SELECT event FROM outbox")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .unwrap();
    let node = |event: &String| serde_json::from_str::<Value>(event).unwrap()["node"].clone();
    let nodes: BTreeSet<NodeId> =
        events.iter().map(node).map(|id| serde_json::from_value(id).unwrap()).collect();
    assert_eq!(nodes.len(), events.len(), "something is announced twice");
    nodes
}

fn assert_intact(file: &Path) {
    let connection = Connection::open(file).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    let dangling = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!dangling, "a reference leads nowhere");
}

/// What a writer has said: which of its changes was confirmed, and the number that it was given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    writer: u32,
    turn: u32,
    number: u32,
}

impl Said {
    fn line(&self) -> String {
        line(self.writer, self.turn)
    }

    /// The test harness talks too, even on the same line.
    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.trim_end().strip_suffix(';')?.split(' ').collect();
        let [.., "confirmed", writer, turn, number] = words[..] else { return None };
        Some(Said { writer: writer.parse().ok()?, turn: turn.parse().ok()?, number: number.parse().ok()? })
    }
}

fn line(writer: u32, turn: u32) -> String {
    format!("line {writer} {turn}")
}

/// A child, seen from the test.
struct Writer {
    process: Child,
    said: Receiver<Said>,
}

impl Writer {
    fn start(test: &str, file: &Path, role: &str, number: usize) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture", "--test-threads", "1"])
            .env(ROLE, role)
            .env(FILE, file)
            .env(NUMBER, number.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, said) = mpsc::channel();
        // Reads until the output ends, so that the child never waits for the test.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).filter_map(|line| Said::read(&line)).for_each(|said| {
                // Nobody listens any more when the test has failed.
                let _ = sender.send(said);
            });
        });
        Self { process, said }
    }

    fn next(&mut self) -> Option<Said> {
        self.said.recv_timeout(Duration::from_secs(60)).ok()
    }

    /// Lets it finish what it is at, and returns what else it said.
    fn stop(mut self) -> Vec<Said> {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
        self.said.iter().collect()
    }

    /// The same of one that was killed: what it said before counts.
    fn bury(mut self) -> Vec<Said> {
        assert!(!self.process.wait().unwrap().success(), "it was not killed");
        self.said.iter().collect()
    }
}

/// A child, from inside: changes the site until its standard input ends.
fn play(test: &str) {
    let (role, file) = (env::var(ROLE).unwrap(), env::var(FILE).unwrap());
    let writer: u32 = env::var(NUMBER).unwrap().parse().unwrap();
    let site = Site::at(file);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
    let registry = content::registry(site.clone(), settings).unwrap();
    let registry = registry.as_principal(site.principal("mira").unwrap().unwrap());
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        // Ends with the parent, whatever became of it.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        let _ = sender.send(());
    });
    let mut before = None;
    for turn in 1.. {
        if ended.try_recv().is_ok() {
            return;
        }
        let number = match role.as_str() {
            "editor" => runtime.block_on(edit(&registry, writer, turn)),
            _ => runtime.block_on(create(&registry, writer, turn, &mut before)),
        };
        println!("{test} confirmed {writer} {turn} {number};");
    }
}

/// Adds a line to the shared node, as often as it takes; the number of the revision.
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

/// Publishes what was created before, and creates a node; its number.
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
