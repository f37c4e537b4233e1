//! The engines pass the tests that an engine must pass.

use tool_tasks::{PostgresEngine, SqliteEngine, conformance};

use fixture_postgres::PostgresServer;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_passes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/tasks.db");
    conformance::run(|| SqliteEngine::at(&path)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_passes() {
    let server = PostgresServer::start();
    conformance::run(|| PostgresEngine::at(server.url())).await;
}
