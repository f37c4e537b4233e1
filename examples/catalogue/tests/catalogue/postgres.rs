//! Several servers with one catalogue in PostgreSQL.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fixture_postgres::PostgresServer;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::administration::administers;
use crate::discovery::{lists_changes, skips_invalid_rows};
use crate::mcp::{self, run_blocking};
use crate::program::{Fixture, PATIENCE, Server};
use crate::service::Library;

/// Ends all connections but that of the statement, and waits until they have ended.
const CUT: &str = "SELECT pg_terminate_backend(pid, 10000)::int FROM pg_stat_activity \
     WHERE pid <> pg_backend_pid() AND usename = 'tasks'";

#[test]
fn administers_tools_in_postgres() {
    let database = PostgresServer::start();
    administers(&Fixture::on_postgres(&database.url()));
}

#[test]
fn lists_changes_in_postgres_without_a_restart() {
    let database = PostgresServer::start();
    lists_changes(Fixture::on_postgres(&database.url()));
}

#[test]
fn skips_and_reports_invalid_rows_in_postgres() {
    let database = PostgresServer::start();
    skips_invalid_rows(Fixture::on_postgres(&database.url()));
}

/// The messages of `subscriptions/listen` over HTTP, which a client of 2026-07-28 reads.
struct Listening(Box<dyn Iterator<Item = Value>>);

impl Listening {
    fn start(server: &Server) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
        let answer = ureq::post(format!("{}/mcp", server.origin))
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "subscriptions/listen")
            .content_type("application/json")
            .send(body.to_string())
            .unwrap();
        let lines = BufReader::new(answer.into_body().into_reader()).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| line.strip_prefix("data:")?.trim().parse().ok());
        let mut listening = Listening(Box::new(data));
        assert_eq!(listening.method(), "notifications/subscriptions/acknowledged");
        listening
    }

    fn method(&mut self) -> String {
        self.0.next().expect("the server goes on")["method"].as_str().unwrap().to_owned()
    }

    /// Waits until a notification leads to a list of these names.
    fn until_notified(&mut self, server: &Server, names: &[&str]) {
        loop {
            assert_eq!(self.method(), "notifications/tools/list_changed");
            if modern_names(server) == names {
                return;
            }
        }
    }
}

/// The names of the tools that a client of 2026-07-28 is listed.
fn modern_names(server: &Server) -> Vec<String> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let mut answer = ureq::post(format!("{}/mcp", server.origin))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/list")
        .content_type("application/json")
        .send(body.to_string())
        .unwrap();
    let text = answer.body_mut().read_to_string().unwrap();
    let json = text.lines().find_map(|line| line.strip_prefix("data:")).unwrap_or(&text);
    let list: Value = json.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn changes_reach_clients_of_both_eras_at_other_servers() {
    let database = PostgresServer::start();
    let fixture = Fixture::on_postgres(&database.url()).with("CATALOGUE_TTL", "3600");
    let fixture = Arc::new(fixture.with_library("http://127.0.0.1:1"));
    let runtime = Runtime::new().unwrap();
    // Two servers, each a process of its own with its own client.
    let legacy = runtime.block_on(mcp::connect(&fixture));
    let server = fixture.serve(&["mcp", "--addr", "127.0.0.1:0"]);
    let mut all = vec!["borrow_book", "find_books", "get_book", "get_cover"];
    assert_eq!(runtime.block_on(legacy.names()), all);
    assert_eq!(modern_names(&server), all);
    let mut modern = Listening::start(&server);
    let mut sql = fixture.sql();

    // A command, which is a third process.
    let administrator = Arc::clone(&fixture);
    let disable = move || administrator.run_ok("disable_tool", &json!({"code": "get_cover"}));
    runtime.block_on(run_blocking(disable));
    all.retain(|name| *name != "get_cover");
    runtime.block_on(legacy.until_notified(&all));
    modern.until_notified(&server, &all);

    // A person with `psql`.
    sql.execute("DELETE FROM tool WHERE code = 'borrow_book'");
    all.retain(|name| *name != "borrow_book");
    runtime.block_on(legacy.until_notified(&all));
    modern.until_notified(&server, &all);

    // A change that is made while nobody listens.
    sql.execute(CUT);
    sql.execute("UPDATE tool SET enabled = 0 WHERE code = 'find_books'");
    all.retain(|name| *name != "find_books");
    runtime.block_on(legacy.until_notified(&all));
    modern.until_notified(&server, &all);
}

#[test]
fn many_servers_start_at_once_without_tables() {
    let database = PostgresServer::start();
    let fixture = Fixture::on_postgres(&database.url());
    let servers: Vec<Server> = thread::scope(|scope| {
        let starts: Vec<_> = (0..6).map(|_| scope.spawn(|| fixture.http())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for server in &servers {
        server.wait_until("a catalogue without tools", |names| names.as_ref().is_ok_and(Vec::is_empty));
    }
    let fixture = fixture.with_library("http://127.0.0.1:1");
    for server in &servers {
        server.wait_until("after the import", |names| names.as_ref().is_ok_and(|names| names.len() == 4));
        assert!(!server.log().contains("ERROR"), "{}", server.log());
    }
    drop(fixture);
}

#[test]
fn the_lock_of_migrations_delays_nothing_once_there_are_tables() {
    let database = PostgresServer::start();
    let fixture = Fixture::on_postgres(&database.url()).with_library("http://127.0.0.1:1");
    let running = fixture.http();
    let lock = fixture.sql().lock_migrations();
    let started = fixture.http();
    fixture.sql().execute("UPDATE tool SET title = 'Other' WHERE code = 'get_cover'");
    for server in [&running, &started] {
        server.wait_until("the change", |_| server.get("/tools/get_cover").1["title"] == "Other");
    }
    fixture.run_ok("disable_tool", &json!({"code": "get_cover"}));
    for server in [&running, &started] {
        server.wait_until("the command", |names| names.as_ref().is_ok_and(|names| names.len() == 3));
        assert!(!server.log().contains("ERROR"), "{}", server.log());
    }
    lock.assert_held();
}

#[test]
fn the_lock_of_migrations_is_reported_by_a_first_start() {
    const LOCKED: &str = "the tables of the catalogue cannot be created or updated: another connection to the database holds the \
         lock of migrations: try again";
    let database = PostgresServer::start();
    let fixture = Fixture::on_postgres(&database.url());
    let lock = fixture.sql().lock_migrations();
    let server = fixture.http();
    assert!(server.log().contains(LOCKED), "{}", server.log());
    let provider = json!({"code": "shelf", "base_url": "http://127.0.0.1:1"});
    assert_eq!(fixture.run("add_provider", &provider), Err(LOCKED.to_owned()));
    lock.assert_held();
    // Later, a command creates them, and the server has its tools.
    let fixture = fixture.with_library("http://127.0.0.1:1");
    server.wait_until("the import", |names| names.as_ref().is_ok_and(|names| names.len() == 4));
    drop(fixture);
}

#[test]
fn sigterm_ends_a_first_start_that_waits_for_the_lock_of_migrations() {
    let database = PostgresServer::start();
    let fixture = Fixture::on_postgres(&database.url());
    let lock = fixture.sql().lock_migrations();
    let mut program = fixture.program();
    program.args(["serve", "http", "--addr", "127.0.0.1:0"]).stderr(Stdio::piped());
    let child = program.spawn().unwrap();
    let mut sql = fixture.sql();
    let start = Instant::now();
    while !sql.is("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") {
        assert!(start.elapsed() < PATIENCE, "it waits for the lock");
        thread::yield_now();
    }
    let sent = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    lock.assert_held();
}

#[test]
fn requests_take_no_query_while_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let database = PostgresServer::start_in(folder.path());
    let library = Library::start();
    let fixture = Fixture::on_postgres(&database.url()).with("CATALOGUE_TTL", "3600");
    let fixture = fixture.with_library(&library.origin);
    let mut sql = fixture.sql();
    sql.execute("ALTER SYSTEM SET log_statement = 'all'");
    sql.execute("SELECT pg_reload_conf()::int");
    let server = fixture.http();
    server.wait_until("the list is read", |names| names.as_ref().is_ok_and(|names| names.len() == 4));
    let log = folder.path().join("log");
    let queries = || std::fs::read_to_string(&log).unwrap().matches("FROM tool").count();
    sql.execute("UPDATE tool SET title = 'Other' WHERE code = 'get_cover'");
    server.wait_until("the change is read", |_| server.get("/tools/get_cover").1["title"] == "Other");
    // The notification may arrive after the change was read, and nothing tells that it has: wait until no query is added.
    let mut before = 0;
    while before != queries() {
        before = queries();
        thread::sleep(Duration::from_millis(500));
    }
    assert!(before >= 1, "the log has the queries");
    for _ in 0..50 {
        assert_eq!(server.names().unwrap().len(), 4);
        assert_eq!(server.call("get_book", &json!({"isbn": "9780142437247"})).0, 200);
    }
    assert_eq!(queries(), before);
}

#[test]
fn serves_the_cached_list_while_postgres_is_away() {
    let database = PostgresServer::start();
    let library = Library::start();
    let fixture = Fixture::on_postgres(&database.url()).with("CATALOGUE_TTL", "3600");
    let fixture = fixture.with_library(&library.origin);
    let server = fixture.http();
    server.wait_until("the list is read", |names| names.as_ref().is_ok_and(|names| names.len() == 4));
    database.crash();
    assert_eq!(server.names().unwrap().len(), 4);
    fixture.run_ok("disable_tool", &json!({"code": "get_cover"}));
    server.wait_until("the change after its return", |names| {
        names.as_ref().is_ok_and(|names| names.len() == 3)
    });
    drop(database);
    for _ in 0..3 {
        assert_eq!(server.names().unwrap().len(), 3);
        assert_eq!(server.call("get_book", &json!({"isbn": "9780142437247"})).0, 200);
    }
}

#[test]
fn reports_an_invalid_url_without_its_password() {
    for url in ["sqlite:hunter2", "postgres://catalogue:hunter2@127.0.0.1:port/", ""] {
        let output = Fixture::on_postgres(url).output(&["list"]);
        let expected = "error: DATABASE_URL is invalid: expected `postgres://user@host/database`\n";
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(1), expected)
        );
    }
}
