//! PostgreSQL notifies processes of tasks.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tool_core::tasks::{TaskEngine, TaskState};
use tool_tasks::PostgresEngine;

use crate::process::{Place, create, patiently, until};
use fixture_postgres::PostgresServer;

/// Waits until both engines listen. They poll fast until then.
async fn until_listening(engines: [&PostgresEngine; 2]) {
    patiently("the first notification", async {
        while !engines.iter().all(|engine| engine.is_listening()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Creates tasks one after the other, and waits for the end of each. Only notifications wake the worker, and the one who waits:
/// together they would poll for much longer than this test is patient.
async fn run_tasks(engines: [&PostgresEngine; 2], engine: &Arc<dyn TaskEngine>, prefix: &str) {
    until_listening(engines).await;
    patiently("a notification", async {
        for number in 0..20 {
            let id = create(engine, "quick", &format!("{prefix} {number}"), 0).await;
            let task = until(engine, &id, |task| task.state.has_ended()).await;
            assert_eq!((task.state, task.attempt), (TaskState::Completed, 1));
        }
    })
    .await;
    until_listening(engines).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_wake_workers_and_those_who_wait() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    // Two engines share nothing but the database, as two processes do.
    let engine = || PostgresEngine::at(server.url()).listening_poll(Duration::from_secs(3_600));
    let (worker, caller) = (Arc::new(engine()), Arc::new(engine()));
    let engines = [&*worker, &*caller];
    let engine = Arc::clone(&caller) as Arc<dyn TaskEngine>;
    let stop = CancellationToken::new();
    let (stopped, working) = (stop.clone(), Arc::clone(&worker));
    let work = tokio::spawn(async move { working.work(Arc::new(place), stopped).await });
    // The caller listens from its first wait on.
    let id = create(&engine, "quick", "to listen", 0).await;
    until(&engine, &id, |task| task.state.has_ended()).await;
    run_tasks(engines, &engine, "first").await;

    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'tasks'";
    let mut connection = server.connect().await;
    sqlx::query(end).execute(&mut connection).await.unwrap();
    run_tasks(engines, &engine, "after the connections were lost").await;
    stop.cancel();
    patiently("the end of the worker", work).await.unwrap().unwrap();
}
