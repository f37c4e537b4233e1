//! Changes reach all replicas over a real PostgreSQL, and none is lost with a connection.

use std::pin::Pin;
use std::time::Duration;

use fixture_postgres::PostgresServer;
use futures_util::{Stream, StreamExt as _};
use tool_mcp::Update;
use tool_replicas::{ChangesError, PostgresChanges};

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

type Updates = Pin<Box<dyn Stream<Item = Update> + Send>>;

/// Starts to listen, and waits until the stream has connected.
async fn listen(changes: &PostgresChanges) -> Updates {
    let mut updates: Updates = Box::pin(changes.listen());
    assert_eq!(next(&mut updates).await, Update::Any, "anything may have changed before");
    updates
}

async fn next(updates: &mut Updates) -> Update {
    let next = tokio::time::timeout(PATIENCE, updates.next()).await;
    next.expect("an update arrives").expect("the stream does not end")
}

fn page(number: u32) -> Update {
    Update::resource(format!("site://page/{number}"))
}

#[tokio::test]
async fn what_one_replica_notifies_of_reaches_all() {
    let server = PostgresServer::start();
    let replicas = [0, 1, 2].map(|_| PostgresChanges::at(&server.url(), "Pages \"of\" x").unwrap());
    let other = PostgresChanges::at(&server.url(), "pages \"of\" x").unwrap();
    let mut streams = Vec::new();
    for replica in replicas.iter().chain([&other]) {
        streams.push(listen(replica).await);
    }
    let long = Update::resource("x".repeat(8_000));
    for (replica, update) in replicas.iter().zip([page(1), Update::Any, long]) {
        replica.notify(&update).await.unwrap();
    }
    other.notify(&page(7)).await.unwrap();
    let mut in_other = streams.pop().unwrap();
    for updates in &mut streams {
        let received = [next(updates).await, next(updates).await, next(updates).await];
        assert_eq!(received, [page(1), Update::Any, Update::Any]);
    }
    // The name of a channel is compared as it is, and channels are apart.
    assert_eq!(next(&mut in_other).await, page(7));
}

#[tokio::test]
async fn a_transaction_notifies_when_it_commits() {
    let server = PostgresServer::start();
    let pages = PostgresChanges::at(&server.url(), "pages").unwrap();
    let mut updates = listen(&pages).await;
    let mut connection = server.connect().await;
    for statement in [
        "BEGIN; SELECT pg_notify('pages', 'site://page/1'); ROLLBACK",
        "BEGIN; SELECT pg_notify('pages', 'site://page/2'); COMMIT",
        "NOTIFY pages",
    ] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
    }
    assert_eq!([next(&mut updates).await, next(&mut updates).await], [page(2), Update::Any]);
}

#[tokio::test]
async fn a_cut_connection_loses_no_change() {
    let server = PostgresServer::start();
    let pages = PostgresChanges::at(&server.url(), "pages").unwrap();
    let mut updates = listen(&pages).await;
    let mut connection = server.connect().await;
    for number in 0..3 {
        // The change is made when nobody listens.
        let cut = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'tasks'";
        sqlx::query(cut).execute(&mut connection).await.unwrap();
        sqlx::query("SELECT pg_notify('pages', 'site://page/0')").execute(&mut connection).await.unwrap();
        assert_eq!(next(&mut updates).await, Update::Any);
        pages.notify(&page(number)).await.unwrap();
        assert_eq!(next(&mut updates).await, page(number), "it listens again");
    }
}

#[tokio::test]
async fn a_database_that_returns_is_listened_to_again() {
    let server = PostgresServer::start();
    let pages = PostgresChanges::at(&server.url(), "pages").unwrap();
    let mut updates = listen(&pages).await;
    server.crash();
    assert_eq!(next(&mut updates).await, Update::Any);
    // Connections to the database before are replaced.
    pages.notify(&page(1)).await.unwrap();
    assert_eq!(next(&mut updates).await, page(1));
}

#[tokio::test]
async fn a_silent_connection_counts_as_lost() {
    let server = PostgresServer::start();
    let pages = PostgresChanges::at(&server.url(), "pages").unwrap().keepalive(Duration::from_secs(1));
    let mut updates = listen(&pages).await;
    // Checks that are answered are no updates.
    let quiet = tokio::time::timeout(Duration::from_secs(3), updates.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    let frozen = server.freeze();
    let thawed = async {
        tokio::time::sleep(Duration::from_secs(9)).await;
        drop(frozen);
    };
    let (update, ()) = tokio::join!(next(&mut updates), thawed);
    assert_eq!(update, Update::Any);
}

#[tokio::test]
async fn reports_a_database_that_is_away() {
    let server = PostgresServer::start();
    let url = server.url();
    let pages = PostgresChanges::at(&url, "pages").unwrap();
    pages.notify(&page(1)).await.unwrap();
    drop(server);
    let error = pages.notify(&page(2)).await.unwrap_err();
    assert!(matches!(error, ChangesError::Database(_)), "{error}");
    // Who listens meanwhile waits for it.
    let mut updates = Box::pin(pages.listen());
    let waiting = tokio::time::timeout(Duration::from_millis(300), updates.next()).await;
    assert!(waiting.is_err(), "{waiting:?}");
}
