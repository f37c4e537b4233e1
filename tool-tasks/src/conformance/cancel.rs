//! Cancellation.

use serde_json::{Map, json};
use tool_core::tasks::TaskState;
use tool_core::{Failure, FailureKind};

use super::support::{
    Engine, Worker, asks, completed, create, failed, get, output, principal, until, until_state,
};

pub(super) async fn ends_a_task_that_waits_for_a_worker(engine: &Engine) {
    let ada = principal("ada");
    let task = create(engine, &ada, "cancel_waiting").await;
    assert!(engine.cancel(&ada, &task.id).await.expect("an answer"));
    let canceled = get(engine, &ada, &task.id).await;
    assert_eq!((canceled.state, canceled.is_canceled), (TaskState::Cancelled, true));
    assert!(canceled.outcome.is_some() && canceled.version > task.version);

    let other = create(engine, &ada, "cancel_other").await;
    let worker = Worker::start(engine, |attempt| async move {
        assert_ne!(attempt.tool, "cancel_waiting", "a canceled task does not begin");
        completed(&json!(null))
    });
    until_state(engine, &ada, &other.id, TaskState::Completed).await;
    worker.stop().await;
    assert_eq!(get(engine, &ada, &task.id).await.version, canceled.version);
}

pub(super) async fn cancels_a_running_call(here: &Engine, there: &Engine) {
    for (canceling, ends_well) in [(here, false), (there, false), (there, true)] {
        let ada = principal("ada");
        let worker = Worker::start(here, move |attempt| async move {
            attempt.cancellation.cancelled().await;
            match ends_well {
                true => completed(&json!("done anyway")),
                false => failed(Failure::new(FailureKind::Cancelled, "stopped"), true),
            }
        });
        let task = create(here, &ada, "cancel_running").await;
        until(there, &ada, &task.id, |task| task.attempt == 1).await;
        assert!(canceling.cancel(&ada, &task.id).await.expect("an answer"));
        let ended = until(there, &ada, &task.id, |task| task.state.has_ended()).await;
        assert!(ended.is_canceled);
        match ends_well {
            true => assert_eq!(output(&ended), json!("done anyway")),
            false => assert_eq!(ended.state, TaskState::Cancelled),
        }
        worker.stop().await;
    }
}

pub(super) async fn ends_a_task_that_waits_for_answers(engine: &Engine) {
    let ada = principal("ada");
    let worker = Worker::start(engine, |_| async { asks(&["question"]) });
    let task = create(engine, &ada, "cancel_asking").await;
    until_state(engine, &ada, &task.id, TaskState::InputRequired).await;
    assert!(engine.cancel(&ada, &task.id).await.expect("an answer"));
    let canceled = get(engine, &ada, &task.id).await;
    assert_eq!((canceled.state, canceled.questions.len()), (TaskState::Cancelled, 0));
    let answers: Map<_, _> = json!({"question": 1}).as_object().expect("an object").clone();
    assert!(engine.answer(&ada, &task.id, answers).await.expect("an answer"));
    assert_eq!(get(engine, &ada, &task.id).await.version, canceled.version);
    worker.stop().await;
}

pub(super) async fn leaves_an_ended_task(engine: &Engine) {
    let ada = principal("ada");
    let worker = Worker::start(engine, |_| async { completed(&json!(1)) });
    let task = create(engine, &ada, "cancel_ended").await;
    let ended = until_state(engine, &ada, &task.id, TaskState::Completed).await;
    assert!(engine.cancel(&ada, &task.id).await.expect("an answer"));
    let after = get(engine, &ada, &task.id).await;
    assert_eq!((after.version, after.is_canceled, output(&after)), (ended.version, false, json!(1)));
    worker.stop().await;
}
