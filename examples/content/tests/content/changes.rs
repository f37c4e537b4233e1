//! Changes of one process reach the clients of another one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::pin::pin;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;
use tool_mcp::Update;
use tool_replicas::PostgresChanges;

use crate::store::{Place, Store};

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Changes a page with the program, as a process of its own.
fn edit(place: &Place, title: &str) {
    let title = format!("title={title}");
    let edit = place.content("june", &["run", "edit_node", "id=3", &title, "log=x"]).output().unwrap();
    assert!(edit.status.success(), "{edit:?}");
}

#[tokio::test]
async fn notifies_of_resources_with_the_commit() {
    let place = Store::postgres().place_alone().await;
    let changes = PostgresChanges::at(place.variable().1, "content").unwrap();
    let mut updates = pin!(changes.listen());
    let connected = timeout(PATIENCE, updates.next()).await.unwrap();
    assert_eq!(connected, Some(Update::Any));
    edit(&place, "Home");
    let mut changed = Vec::new();
    for _ in 0..6 {
        changed.push(timeout(PATIENCE, updates.next()).await.unwrap().unwrap());
    }
    let addresses = ["site", "node/3", "node/3/revision", "node/3/translation/de", "node/3/translation/fr"];
    for address in addresses {
        assert!(
            changed.contains(&Update::resource(format!("content://{address}"))),
            "{address}: {changed:?}"
        );
    }
}

/// A server on stdio, killed on drop.
struct Server {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
}

impl Server {
    fn start(place: &Place) -> Self {
        let mut program = place.content("vera", &["serve", "mcp"]);
        let mut process = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // The receiver is gone if the test has failed.
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { process, input, messages }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Reads until a message has this member.
    fn read_until(&self, pointer: &str, expected: &Value) {
        while self.messages.recv_timeout(PATIENCE).unwrap().pointer(pointer) != Some(expected) {}
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn notifies_clients_of_other_processes() {
    let place = Store::postgres().place_alone().await;
    let mut server = Server::start(&place);
    // Once it listens, it checks that notifications arrive, and tells its clients, of which there is none, that anything may have
    // changed.
    let listening = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_notify($1, %'";
    let mut connection = place.connect().await;
    let listens = async {
        while sqlx::query_scalar::<_, i64>(listening).fetch_one(&mut connection).await.unwrap() == 0 {}
    };
    timeout(PATIENCE, listens).await.expect("the server listens");
    let parameters = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}));
    server.read_until("/id", &json!(1));
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let uri = json!("content://node/3");
    server.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": uri}}));
    server.read_until("/id", &json!(2));
    edit(&place, "Home");
    server.read_until("/params/uri", &uri);
}
