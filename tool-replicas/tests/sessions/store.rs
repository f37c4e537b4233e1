//! The store by itself.

use std::time::Duration;

use fixture_postgres::PostgresServer;
use tool_mcp::{SessionStore as _, StoredSession};
use tool_replicas::PostgresSessions;

const IDLE: Duration = Duration::from_secs(300);

fn session(revision: u64) -> StoredSession {
    let text = format!(
        r#"{{"revision":{revision},"owner":"ada","client":{{"version":"2025-11-25","capabilities":{{}}}}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

async fn column(server: &PostgresServer, sql: &'static str) -> Vec<String> {
    sqlx::query_scalar(sql).fetch_all(&mut server.connect().await).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_that_start_at_once_create_the_table_once() {
    let server = PostgresServer::start();
    let found = (0..12).map(|_| {
        let replica = PostgresSessions::at(&server.url(), "fixture").unwrap();
        tokio::spawn(async move { replica.find("a", IDLE).await })
    });
    for found in futures_util::future::join_all(found).await {
        assert_eq!(found.unwrap().unwrap(), None);
    }
}

#[tokio::test]
async fn only_the_preceding_revision_is_replaced() {
    let server = PostgresServer::start();
    let [one, other] = [0; 2].map(|_| PostgresSessions::at(&server.url(), "fixture").unwrap());
    one.insert("a", &session(0), IDLE).await.unwrap();
    assert!(other.replace("a", &session(1), IDLE).await.unwrap());
    assert!(!one.replace("a", &session(1), IDLE).await.unwrap(), "another replica was faster");
    assert!(!one.replace("b", &session(1), IDLE).await.unwrap(), "it is unknown");
    assert_eq!(one.find("a", IDLE).await.unwrap(), Some(session(1)));
    other.remove("a").await.unwrap();
    assert_eq!(one.find("a", IDLE).await.unwrap(), None);
    assert!(!one.replace("a", &session(2), IDLE).await.unwrap(), "it is removed");
}

#[tokio::test]
async fn expired_rows_are_not_found_and_are_deleted() {
    let server = PostgresServer::start();
    let sessions = PostgresSessions::at(&server.url(), "fixture").unwrap();
    sessions.insert("expired", &session(0), Duration::ZERO).await.unwrap();
    assert_eq!(sessions.find("expired", IDLE).await.unwrap(), None);
    assert!(!sessions.replace("expired", &session(1), IDLE).await.unwrap());
    assert_eq!(column(&server, "SELECT key FROM tool_session").await, ["fixture/expired"]);
    sessions.insert("other", &session(0), IDLE).await.unwrap();
    assert_eq!(column(&server, "SELECT key FROM tool_session").await, ["fixture/other"]);
}

#[tokio::test]
async fn a_session_in_use_does_not_expire_and_writes_rarely() {
    let server = PostgresServer::start();
    let sessions = PostgresSessions::at(&server.url(), "fixture").unwrap();
    sessions.insert("a", &session(0), IDLE).await.unwrap();
    let row = "SELECT xmin::text || ' ' || expires::text FROM tool_session";
    let inserted = column(&server, row).await;
    sessions.find("a", IDLE).await.unwrap();
    assert_eq!(column(&server, row).await, inserted, "it was used shortly before");
    sessions.find("a", 2 * IDLE).await.unwrap();
    let used = column(&server, row).await;
    assert_ne!(used, inserted, "less than nine tenths of the time are left");
    let minutes = "SELECT round(extract(epoch FROM expires - now()) / 60)::text FROM tool_session";
    assert_eq!(column(&server, minutes).await, ["10"]);
}

#[tokio::test]
async fn a_user_who_may_not_create_tables_uses_the_one_that_exists() {
    let server = PostgresServer::start();
    let sessions = PostgresSessions::at(&server.url(), "fixture").unwrap();
    sessions.insert("a", &session(0), IDLE).await.unwrap();
    let statements = "CREATE ROLE app LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON tool_session TO app";
    sqlx::raw_sql(statements).execute(&mut server.connect().await).await.unwrap();
    let as_app = server.url().replace("tasks@", "app@");
    let sessions = PostgresSessions::at(&as_app, "fixture").unwrap();
    assert_eq!(sessions.find("a", IDLE).await.unwrap(), Some(session(0)));
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_unknown() {
    let server = PostgresServer::start();
    let sessions = PostgresSessions::at(&server.url(), "fixture").unwrap();
    sessions.insert("a", &session(0), IDLE).await.unwrap();
    column(&server, "UPDATE tool_session SET session = '{\"format\":2}' RETURNING key").await;
    assert_eq!(sessions.find("a", IDLE).await.unwrap(), None);
}

#[tokio::test]
async fn servers_do_not_know_the_sessions_of_others() {
    let server = PostgresServer::start();
    let [one, other] = ["one", "other"].map(|name| PostgresSessions::at(&server.url(), name).unwrap());
    one.insert("a", &session(0), IDLE).await.unwrap();
    assert_eq!(other.find("a", IDLE).await.unwrap(), None);
    assert!(one.find("a", IDLE).await.unwrap().is_some());
}
