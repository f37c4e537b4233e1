//! Expiry.

use serde_json::Map;
use tool_core::tasks::{NewTask, TaskId};
use tool_core::{Failure, FailureKind};

use super::support::{Engine, Worker, failed, get, options, patiently, principal, until};

pub(super) async fn hides_expired_tasks(engine: &Engine) {
    let ada = principal("ada");
    let new = |ttl| NewTask::new(&ada, "expire", "{}", options().ttl(ttl)).expect("randomness").key("key");
    let task = engine.create(new(300)).await.expect("a task");
    patiently("expiry", async {
        while engine.get(&ada, &task.id).await.expect("an answer").is_some() {
            engine.changed(&task.id, task.version).await;
        }
    })
    .await;
    let invented = TaskId::from_bytes([8; 16]);
    for id in [task.id, invented] {
        assert!(engine.get(&ada, &id).await.expect("an answer").is_none());
        assert!(!engine.answer(&ada, &id, Map::new()).await.expect("an answer"));
        assert!(!engine.cancel(&ada, &id).await.expect("an answer"));
    }
    assert!(engine.list(&ada, None, 10).await.expect("an answer").is_empty());
    let again = engine.create(new(60_000)).await.expect("a task");
    assert_ne!(again.id, task.id, "the key is free again");
    assert_eq!(get(engine, &ada, &again.id).await.id, again.id);
}

pub(super) async fn cancels_running_ones(engine: &Engine) {
    let ada = principal("ada");
    let (canceled, mut wait) = tokio::sync::mpsc::channel(1);
    let worker = Worker::start(engine, move |attempt| {
        let canceled = canceled.clone();
        async move {
            if attempt.tool == "expire_running" {
                attempt.cancellation.cancelled().await;
                let _ = canceled.send(()).await;
            }
            failed(Failure::new(FailureKind::Cancelled, "canceled"), false)
        }
    });
    let new = NewTask::new(&ada, "expire_running", "{}", options().ttl(2_500)).expect("randomness");
    let task = engine.create(new).await.expect("a task");
    until(engine, &ada, &task.id, |task| task.attempt == 1).await;
    patiently("cancellation of an expired task", wait.recv()).await.expect("a signal");
    worker.stop().await;
}
