//! The rows of workers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqliteConnection};
use tool_core::tasks::{TaskEngine, TaskId, TaskState};

use crate::both::on_both;
use crate::process::{HEARTBEAT, Place, create, patiently, until};

/// Returns the workers, with their beats, and the names in the queue.
async fn rows(place: &Place) -> (Vec<(String, i64)>, BTreeSet<String>) {
    let beats = "SELECT id, beat FROM tool_task_worker";
    let names = |table| AssertSqlSafe(format!("SELECT id FROM {table} WHERE worker_type = 'tool_task'"));
    if place.is_postgres() {
        let mut connection = PgConnection::connect(&place.database).await.unwrap();
        let beats = sqlx::query(beats).fetch_all(&mut connection).await.unwrap();
        let names = sqlx::query(names("apalis.workers")).fetch_all(&mut connection).await.unwrap();
        let beats = beats.iter().map(|row| (row.get(0), row.get(1))).collect();
        (beats, names.iter().map(|row| row.get(0)).collect())
    } else {
        let mut connection = SqliteConnection::connect(&place.database).await.unwrap();
        let beats = sqlx::query(beats).fetch_all(&mut connection).await.unwrap();
        let names = sqlx::query(names("Workers")).fetch_all(&mut connection).await.unwrap();
        let beats = beats.iter().map(|row| (row.get(0), row.get(1))).collect();
        (beats, names.iter().map(|row| row.get(0)).collect())
    }
}

async fn run_one(engine: &Arc<dyn TaskEngine>, key: &str) {
    let id = create(engine, "quick", key, 0).await;
    until(engine, &id, |task| task.state == TaskState::Completed).await;
}

/// Waits until the only worker with rows is `worker`, with a beat of at least `beat`.
async fn until_alone(place: &Place, worker: &str, beat: i64) -> i64 {
    patiently("the end of the rows of the other worker", async {
        loop {
            let (workers, names) = rows(place).await;
            let own = workers.iter().find(|(id, _)| id == worker).expect("the row of a worker that lives");
            assert!(names.contains(&format!("{worker}-1")), "{names:?}");
            if workers.len() == 1 && names.len() == 1 && own.1 >= beat {
                return own.1;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
}

async fn are_deleted(place: &Place) {
    let engine = place.engine_with_heartbeat(HEARTBEAT);
    let process = place.spawn("work_fast");
    run_one(&engine, "of a process").await;
    process.kill();
    let (workers, names) = rows(place).await;
    assert_eq!((workers.len(), names.len()), (1, 1));
    let gone = workers[0].0.clone();

    let first = place.work_with(Arc::clone(&engine));
    run_one(&engine, "of this process").await;
    let (workers, _) = rows(place).await;
    let (living, _) = workers.into_iter().find(|(id, _)| *id != gone).expect("the row of the other worker");
    let second = place.work_with(place.engine_with_heartbeat(HEARTBEAT));
    let beat = until_alone(place, &living, 0).await;
    // It has no tasks, and the other worker has swept about as often as it did.
    until_alone(place, &living, beat + 5).await;
    first.stop().await;
    second.stop().await;
    let (workers, names) = rows(place).await;
    assert!(workers.is_empty() && names.is_empty(), "{workers:?} {names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn that_are_gone_are_deleted() {
    on_both(|place| async move { are_deleted(&place).await }).await;
}

async fn execute(place: &Place, sql: String) {
    let sql = AssertSqlSafe(sql);
    if place.is_postgres() {
        let mut connection = PgConnection::connect(&place.database).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    } else {
        let mut connection = SqliteConnection::connect(&place.database).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    }
}

/// The rows of two tasks say that a worker runs them, which it does not: one that has its answer, and one that had begun.
async fn are_released(place: &Place) {
    let engine = place.engine_with_heartbeat(HEARTBEAT);
    let worker = place.work_with(Arc::clone(&engine));
    let mut ids = Vec::new();
    for key in ["answered", "begun"] {
        ids.push(create(&engine, "ask", key, 0).await);
        until(&engine, &ids[ids.len() - 1], |task| task.state == TaskState::InputRequired).await;
    }
    let name = &rows(place).await.0[0].0;
    for (id, resuming) in ids.iter().zip([1, 0]) {
        execute(
            place,
            format!(
                "UPDATE tool_task SET state = 'working', worker = '{name}', resuming = {resuming}, \
                 version = version + 1 WHERE id = '{id}'"
            ),
        )
        .await;
    }
    let answered = until(&engine, &ids[0], |task| task.attempt == 2).await;
    until(&engine, &ids[0], |task| task.state == TaskState::InputRequired).await;
    let begun = until(&engine, &ids[1], |task| task.state.has_ended()).await;
    assert!(!answered.state.has_ended(), "{answered:?}");
    assert_eq!((begun.state, begun.attempt, place.begun(&ids[1])), (TaskState::Failed, 1, 1));
    let outcome = begun.outcome.unwrap();
    assert_eq!(outcome.result().unwrap_err().kind().codes().error_type, "interrupted");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn release_tasks_that_they_do_not_run() {
    on_both(|place| async move { are_released(&place).await }).await;
}

/// Returns the version of a task.
async fn version(place: &Place, id: &TaskId) -> i64 {
    let query = AssertSqlSafe(format!("SELECT version FROM tool_task WHERE id = '{id}'"));
    if place.is_postgres() {
        let mut connection = PgConnection::connect(&place.database).await.unwrap();
        sqlx::query_scalar(query).fetch_one(&mut connection).await.unwrap()
    } else {
        let mut connection = SqliteConnection::connect(&place.database).await.unwrap();
        sqlx::query_scalar(query).fetch_one(&mut connection).await.unwrap()
    }
}

/// A task expires before a worker takes it. It waits for its deletion, and is not put into the queue again.
async fn leave_it(place: &Place) {
    let engine = place.engine_with_heartbeat(HEARTBEAT);
    let id = create(&engine, "quick", "expired", 0).await;
    let expired = SystemTime::now() - Duration::from_secs(60);
    let expired = expired.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    execute(place, format!("UPDATE tool_task SET expires = {expired} WHERE id = '{id}'")).await;
    let worker = place.work_with(Arc::clone(&engine));
    run_one(&engine, "other").await;
    let name = rows(place).await.0[0].0.clone();
    let beat = until_alone(place, &name, 0).await;
    // Without tasks, it increments its beat at each sweep.
    until_alone(place, &name, beat + 3).await;
    assert_eq!(version(place, &id).await, 1);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leave_an_expired_task() {
    on_both(|place| async move { leave_it(&place).await }).await;
}
