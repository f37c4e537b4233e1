//! Processes and databases that stop for a while.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tool_core::tasks::TaskState;

use crate::process::{Place, create, hold, new, patiently, until};
use fixture_postgres::PostgresServer;

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
    // Not while it writes: the file would stay locked.
    let lock = lock(&place).await;
    process.signal("-STOP");
    lock.rollback().await.unwrap();
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
    let engine = Arc::new(tool_tasks::PostgresEngine::at(server.url()).concurrency(200));
    let (run, stopped, worker) = (Arc::new(place.clone()), stop.clone(), engine.clone());
    let work = tokio::spawn(async move { tool_core::tasks::TaskEngine::work(&*worker, run, stopped).await });
    let engine = engine as Arc<dyn tool_core::tasks::TaskEngine>;
    let ids = hold(&place, &engine, 200).await;
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

/// `PostgreSQL` is stopped for ten seconds while two workers run tasks, and while others are created.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_of_postgres_takes_no_task_from_its_worker() {
    let server = PostgresServer::start();
    let folder = tempfile::tempdir().unwrap();
    let place = Place { database: server.url(), folder: folder.path().to_owned() };
    let engine = place.engine();
    let _process = place.spawn("work");
    let worker = place.work();
    let ids = hold(&place, &engine, 12).await;
    let frozen = server.freeze();
    let creating = Arc::clone(&engine);
    let created = tokio::spawn(async move { creating.create(new("quick", "created", 0)).await });
    for number in 0..6 {
        place.note("go", &number.to_string());
    }
    // The fault itself: the server is stopped for this time.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!created.is_finished(), "nothing is confirmed before it is stored");
    drop(frozen);
    let created = patiently("an answer", created).await.unwrap();
    let id = create(&engine, "quick", "created", 0).await;
    assert!(created.is_err() || created.is_ok_and(|created| created.id == id));
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&id)), (TaskState::Completed, 1, 1));
    place.note("go", "all");
    for id in &ids {
        let task = until(&engine, id, |task| task.state.has_ended()).await;
        assert_eq!((task.attempt, place.begun(id)), (1, 1));
        assert_eq!(task.outcome.unwrap().result().unwrap().value(), json!("late"));
    }
    worker.stop().await;
}

/// A worker is stopped when its database does not answer, and a task of it ends: another worker takes the task over.
async fn ends_without_its_database<Fault>(place: &Place, fault: impl AsyncFnOnce() -> Fault) {
    let engine = place.engine();
    let worker = place.work();
    let id = create(&engine, "hold", "hold", 1).await;
    let other = create(&engine, "ask", "ask", 0).await;
    until(&engine, &other, |task| task.state == TaskState::InputRequired).await;
    place.until_notes("begun", 2).await;
    let fault = fault().await;
    place.note("go", "all");
    worker.stop().await;
    drop(fault);
    let worker = place.work();
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&id)), (TaskState::Completed, 2, 2));
    let other = until(&engine, &other, |_| true).await;
    assert_eq!((other.state, other.attempt), (TaskState::InputRequired, 1), "others are unharmed");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_ends_without_its_database() {
    let server = PostgresServer::start();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let postgres = Place { database: server.url(), folder: folders[0].path().to_owned() };
    let sqlite = Place::sqlite(folders[1].path());
    tokio::join!(
        ends_without_its_database(&postgres, async || server.freeze()),
        ends_without_its_database(&sqlite, async || lock(&sqlite).await),
    );
}

/// Locks the file until what is returned is dropped.
pub(crate) async fn lock(place: &Place) -> sqlx::Transaction<'static, sqlx::Sqlite> {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&place.database);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    pool.begin_with("BEGIN IMMEDIATE").await.unwrap()
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
    let lock = lock(&place).await;
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
