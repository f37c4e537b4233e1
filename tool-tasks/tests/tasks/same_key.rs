//! The same key from two processes at once.

use tool_core::tasks::TaskState;

use crate::both::on_both;
use crate::process::{Place, create, until};

/// Two processes create a task with the same key, each of them 50 times at once, and both run tasks.
async fn is_one_task(place: &Place) {
    let processes = [place.spawn("same once"), place.spawn("same once")];
    place.until_notes("created", 100).await;
    let created = place.notes("created");
    assert!(created.iter().all(|id| *id == created[0]), "{created:?}");
    let engine = place.engine();
    let id = create(&engine, "quick", "once", 0).await;
    assert_eq!(id.to_string(), created[0]);
    let task = until(&engine, &id, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&id)), (TaskState::Completed, 1, 1));
    drop(processes);
}

#[tokio::test(flavor = "multi_thread")]
async fn from_two_processes_is_one_task() {
    on_both(|place| async move { is_one_task(&place).await }).await;
}
