//! Processes and databases that stop for a while.

use std::time::Duration;

use serde_json::json;
use tool_core::tasks::TaskState;

use crate::postgres_server::PostgresServer;
use crate::process::{Place, create, until};

/// A worker is stopped longer than three heartbeats, another one takes its task, and the first goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_does_not_overwrite() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::sqlite(folder.path());
    let engine = place.engine();
    let process = place.spawn("work");
    let id = create(&engine, "hold", "hold", 1).await;
    until(&engine, &id, |task| task.attempt == 1).await;
    place.until_notes("begun", 1).await;
    process.signal("-STOP");
    let worker = place.work();
    let taken = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((taken.attempt, taken.outcome.unwrap().result().unwrap().value()), (2, json!(2)));
    worker.stop().await;
    process.signal("-CONT");
    place.note("go", "all");
    let other = create(&engine, "quick", "quick", 0).await;
    until(&engine, &other, |task| task.state == TaskState::Completed).await;
    let after = until(&engine, &id, |_| true).await;
    assert_eq!((after.version, place.begun(&id)), (taken.version, 2));
}

/// `PostgreSQL` is killed and comes back while 200 tasks run.
#[tokio::test(flavor = "multi_thread")]
async fn a_crash_of_postgres_ends_no_running_task() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    let stop = tokio_util::sync::CancellationToken::new();
    let engine = std::sync::Arc::new(tool_tasks::PostgresEngine::at(server.url()).concurrency(200));
    let (run, stopped, worker) = (std::sync::Arc::new(place.clone()), stop.clone(), engine.clone());
    let work = tokio::spawn(async move { tool_core::tasks::TaskEngine::work(&*worker, run, stopped).await });
    let engine = engine as std::sync::Arc<dyn tool_core::tasks::TaskEngine>;
    let mut ids = Vec::new();
    for number in 0..200 {
        ids.push(create(&engine, "hold", &number.to_string(), 0).await);
    }
    place.until_notes("begun", 200).await;
    server.crash();
    place.note("go", "all");
    for id in &ids {
        let task = until(&engine, id, |task| task.state.has_ended()).await;
        assert_eq!(task.outcome.unwrap().result().unwrap().value(), json!("late"));
        assert_eq!(place.begun(id), 1);
    }
    stop.cancel();
    work.await.unwrap().unwrap();
}

/// Another program locks the file for six seconds while a task runs, and a second worker watches.
#[tokio::test(flavor = "multi_thread")]
async fn a_locked_file_takes_no_task_from_its_worker() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::sqlite(folder.path());
    let engine = place.engine();
    let process = place.spawn("work");
    let id = create(&engine, "hold", "hold", 0).await;
    place.until_notes("begun", 1).await;
    let worker = place.work();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&place.database);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    let lock = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    // The fault itself: the file is locked for this time.
    tokio::time::sleep(Duration::from_secs(6)).await;
    lock.rollback().await.unwrap();
    let other = create(&engine, "quick", "quick", 0).await;
    until(&engine, &other, |task| task.state == TaskState::Completed).await;
    place.note("go", "all");
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.attempt, task.outcome.unwrap().result().unwrap().value()), (1, json!("late")));
    worker.stop().await;
    process.kill();
}
