//! What the processes do that tests start.

use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;
use tokio::task::JoinSet;
use tool_core::tasks::TaskEngine;

use crate::process::{HEARTBEAT, Place, ada, create, new};

/// Ends a process that a test started, as `kill -9` does.
pub(crate) fn die() -> ! {
    assert!(std::env::var_os("TOOL_TASKS_ROLE").is_some(), "not in the process of the tests");
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
    unreachable!("the process has ended");
}

/// Does what another test starts this binary for. It passes by itself.
#[tokio::test(flavor = "multi_thread")]
async fn is_the_process_of_other_tests() {
    let Ok(role) = std::env::var("TOOL_TASKS_ROLE") else { return };
    let folder = PathBuf::from(std::env::var_os("TOOL_TASKS_FOLDER").unwrap());
    let place = Place { database: std::env::var("TOOL_TASKS_DATABASE").unwrap(), folder };
    let words: Vec<_> = role.split(' ').collect();
    match words[..] {
        ["work"] => run(&place).await,
        ["work_fast"] => {
            let _worker = place.work_with(place.engine_with_heartbeat(HEARTBEAT));
            pending::<()>().await;
        }
        ["create", round] => {
            let _worker = place.work();
            create_and_note(&place, round).await;
        }
        ["create_only", key] => {
            place.note("created", &create(&place.engine(), "quick", key, 0).await.to_string());
        }
        ["same", key] => create_at_once(&place, key).await,
        ["die", moment, point, tool, key, retries] => {
            die_at(&place, &format!("{moment} {point}"), tool, key, retries.parse().unwrap()).await;
        }
        _ => panic!("no role: {role}"),
    }
    pending::<()>().await;
}

async fn run(place: &Place) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    place.note("clocks", &now.as_secs().to_string());
    let _worker = place.work();
    pending::<()>().await;
}

async fn create_and_note(place: &Place, round: &str) {
    let engine = place.engine();
    for number in 0..30 {
        let key = format!("{round}-{number}");
        let id = create(&engine, "quick", &key, number % 2).await;
        place.note("created", &format!("{id} {key}"));
    }
}

/// Creates a task 50 times at once, when another process does so, too.
async fn create_at_once(place: &Place, key: &str) {
    let engine = place.engine();
    let _worker = place.work();
    create(&engine, "quick", "connected", 0).await;
    place.note("ready", key);
    place.until_notes("ready", 2).await;
    let mut creating = JoinSet::new();
    for _ in 0..50 {
        let (engine, key) = (Arc::clone(&engine), key.to_owned());
        creating.spawn(async move { create(&engine, "quick", &key, 0).await });
    }
    for id in creating.join_all().await {
        place.note("created", &id.to_string());
    }
    pending::<()>().await;
}

/// Dies at a commit, or in the function of a task.
async fn die_at(place: &Place, point: &str, tool: &str, key: &str, retries: u32) {
    let at = point.to_owned();
    let engine: Arc<dyn TaskEngine> = place.observed_engine(move |commit| {
        if commit == at {
            die();
        }
    });
    let task = new(tool, key, retries);
    if point.ends_with("create") {
        place.note("created", &format!("{} {key}", task.id));
        engine.create(task).await.unwrap();
    } else if point.ends_with("answer") {
        let id = engine.create(task).await.unwrap().id;
        engine.answer(&ada(), &id, json!({"name": key}).as_object().unwrap().clone()).await.unwrap();
    } else {
        let _worker = place.work_with(engine);
        pending::<()>().await;
    }
    unreachable!("{point} did not come");
}
