//! A worker whose clock is ten minutes ahead.

use std::time::{Duration, SystemTime};

use serde_json::json;
use sqlx::{Connection, PgConnection, Row, SqliteConnection};
use tool_core::tasks::TaskState;

use crate::both::on_both;
use crate::process::{Place, Process, create, patiently, until};

/// Starts a process whose clock is ten minutes ahead.
fn spawn_ahead(place: &Place, role: &str) -> Process {
    let mut command = place.command(role);
    // `faketime` itself would be a process between this one and the other.
    command.env("LD_PRELOAD", "/usr/$LIB/faketime/libfaketimeMT.so.1");
    command.env("FAKETIME", "+600s").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    Process(command.spawn().unwrap())
}

/// Waits until other workers than this one have so many heartbeats.
async fn until_beats(place: &Place, beats: i64) {
    let query = "SELECT CAST(MIN(beat) AS BIGINT), COUNT(*) FROM tool_task_worker";
    patiently("heartbeats", async {
        loop {
            let (least, count): (Option<i64>, i64) = if place.is_postgres() {
                let mut connection = PgConnection::connect(&place.database).await.unwrap();
                let row = sqlx::query(query).fetch_one(&mut connection).await.unwrap();
                (row.get(0), row.get(1))
            } else {
                let mut connection = SqliteConnection::connect(&place.database).await.unwrap();
                let row = sqlx::query(query).fetch_one(&mut connection).await.unwrap();
                (row.get(0), row.get(1))
            };
            if count == 2 && least >= Some(beats) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

async fn need_not_agree(place: &Place) {
    let engine = place.engine();
    let worker = place.work();
    let hold = create(&engine, "hold", "hold", 0).await;
    place.until_notes("begun", 1).await;
    let ahead = spawn_ahead(place, "work");
    place.until_notes("clocks", 1).await;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let clock: u64 = place.notes("clocks")[0].parse().unwrap();
    assert!(clock > now + 300, "the clock of the other process is not ahead: is `faketime` installed?");
    // Both see each other, and neither takes what the other one runs.
    let there = create(&engine, "hold", "there", 0).await;
    place.until_notes("begun", 2).await;
    until_beats(place, 8).await;
    place.note("go", "all");
    for id in [&hold, &there] {
        let task = until(&engine, id, |task| task.state.has_ended()).await;
        assert_eq!((task.attempt, task.outcome.unwrap().result().unwrap().value()), (1, json!("late")));
    }
    ahead.kill();
    // What it creates is run here without waiting for its time to come.
    let creator = spawn_ahead(place, "create_only ahead");
    place.until_notes("created", 1).await;
    creator.kill();
    let id = create(&engine, "quick", "ahead", 0).await;
    assert_eq!(place.notes("created"), [id.to_string()]);
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&id)), (TaskState::Completed, 1, 1));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_processes_need_not_agree() {
    on_both(|place| async move { need_not_agree(&place).await }).await;
}
