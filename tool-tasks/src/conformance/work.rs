//! Running tasks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tool_core::failure::Reason;
use tool_core::tasks::{NewTask, TaskAttempt, TaskEnd, TaskError, TaskState};
use tool_core::{Failure, FailureKind};

use super::support::{
    Engine, Worker, completed, create, failed, get, new, options, output, patiently, principal, until,
    until_state,
};

pub(super) async fn reports_progress(here: &Engine, there: &Engine) {
    let ada = principal("ada").grant("pages");
    let go_on = Arc::new(Notify::new());
    let wait = Arc::clone(&go_on);
    let worker = Worker::start(here, move |attempt| {
        let wait = Arc::clone(&wait);
        async move {
            assert!(attempt.owner.has("pages"), "{:?}", attempt.owner);
            assert_eq!((&*attempt.arguments, attempt.timeout), ("{}", Some(Duration::from_secs(5))));
            assert_eq!(attempt.task.key, attempt.task.id.to_string());
            report(&attempt, 3);
            wait.notified().await;
            report(&attempt, 10);
            completed(&json!("done"))
        }
    });
    let options = options().attempt_timeout(5_000);
    let task = here.create(NewTask::new(&ada, "progress", "{}", options).expect("randomness")).await;
    let id = task.expect("a task").id;
    let running = until(there, &ada, &id, |task| task.progress.is_some()).await;
    assert_eq!(
        running.progress.as_ref().map(|progress| (progress.done, progress.total)),
        Some((3, Some(10)))
    );
    assert_eq!((running.state, running.message()), (TaskState::Working, Some("pages")));
    go_on.notify_one();
    let ended = until_state(there, &ada, &id, TaskState::Completed).await;
    assert_eq!(ended.progress.map(|progress| progress.done), Some(10));
    worker.stop().await;
}

fn report(attempt: &TaskAttempt, done: u64) {
    let progress = tool_core::progress::Progress::new(done, Some(10), "pages");
    attempt.progress.as_ref().expect("a sink").report(&progress);
}

pub(super) async fn retries_as_often_as_declared(engine: &Engine) {
    let ada = principal("ada");
    let worker = Worker::start(engine, |attempt| async move {
        let failure =
            Failure::new(FailureKind::Failed(Reason::Unavailable), attempt.task.attempt.to_string());
        failed(failure, true)
    });
    let mut ids = Vec::new();
    for retries in [0, 1] {
        let task = NewTask::new(&ada, "retry", "{}", options().retries(retries)).expect("randomness");
        ids.push((retries, engine.create(task).await.expect("a task").id));
    }
    for (retries, id) in ids {
        let ended = until(engine, &ada, &id, |task| task.state.has_ended()).await;
        assert_eq!((ended.attempt, ended.message()), (retries + 1, Some(&*(retries + 1).to_string())));
    }
    worker.stop().await;
}

pub(super) async fn completes_after_a_panic(engine: &Engine) {
    let ada = principal("ada");
    let worker = Worker::start(engine, |attempt| async move {
        assert_ne!(attempt.tool, "panic", "on purpose");
        completed(&json!(null))
    });
    let panics = create(engine, &ada, "panic").await;
    let other = create(engine, &ada, "no_panic").await;
    let ended = until(engine, &ada, &panics.id, |task| task.state.has_ended()).await;
    let outcome = ended.outcome.expect("an outcome");
    assert_eq!(outcome.result().expect_err("a failure").kind(), FailureKind::Internal);
    until_state(engine, &ada, &other.id, TaskState::Completed).await;
    worker.stop().await;
}

pub(super) async fn leaves_tasks_without_tool(engine: &Engine) {
    let ada = principal("ada");
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let worker = Worker::start(engine, move |attempt| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move { if is_first { TaskEnd::NoTool } else { completed(&json!(attempt.task.attempt)) } }
    });
    let task = create(engine, &ada, "without_tool").await;
    let ended = until_state(engine, &ada, &task.id, TaskState::Completed).await;
    assert_eq!(output(&ended), json!(2), "an attempt without the tool is no retry");
    worker.stop().await;
}

pub(super) async fn finishes_before_it_stops(engine: &Engine) {
    let ada = principal("ada");
    let (begun, mut wait) = tokio::sync::mpsc::channel(1);
    // The later task may have begun, too.
    let go_on = CancellationToken::new();
    let end = go_on.clone();
    let worker = Worker::start(engine, move |_| {
        let (begun, end) = (begun.clone(), end.clone());
        async move {
            let _ = begun.send(()).await;
            end.cancelled().await;
            completed(&json!("done"))
        }
    });
    let task = create(engine, &ada, "stop").await;
    patiently("the begin", wait.recv()).await.expect("a signal");
    let stopping = tokio::spawn(worker.stop());
    let later = create(engine, &ada, "stop_later").await;
    go_on.cancel();
    stopping.await.expect("no panic");
    assert_eq!(get(engine, &ada, &task.id).await.state, TaskState::Completed);
    assert!(get(engine, &ada, &later.id).await.attempt <= 1);
}

pub(super) async fn limits_open_tasks_and_runs_each_once(here: &Engine, there: &Engine) {
    let ada = principal("ada");
    let mut creating = tokio::task::JoinSet::new();
    for part in 0..4 {
        let (engine, ada) = (Arc::clone(if part % 2 == 0 { here } else { there }), ada.clone());
        creating.spawn(async move {
            for number in 0..250 {
                let task = new(&ada, "thousand", &json!({"number": part * 250 + number}));
                engine.create(task).await.expect("a task");
            }
        });
    }
    creating.join_all().await;
    let refused = here.create(new(&ada, "thousand", &json!({"number": 1_000}))).await;
    assert_eq!(refused.expect_err("an error"), TaskError::TooMany(1_000));

    let runs: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let count = Arc::clone(&runs);
    let run = move |attempt: TaskAttempt| {
        let begun = Arc::clone(&count);
        async move {
            if attempt.tool == "thousand" {
                *begun.lock().expect("no panic").entry(attempt.arguments.clone()).or_default() += 1;
            }
            completed(&serde_json::from_str(&attempt.arguments).expect("JSON"))
        }
    };
    let workers = [Worker::start(here, run.clone()), Worker::start(there, run)];
    let mut after = None;
    let mut results = HashMap::new();
    loop {
        let page = here.list(&ada, after.as_ref(), 100).await.expect("an answer");
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for task in page {
            let ended = until_state(here, &ada, &task.id, TaskState::Completed).await;
            *results.entry(output(&ended)["number"].as_u64()).or_insert(0) += 1;
        }
    }
    assert_eq!(results.len(), 1_000);
    assert!(results.values().all(|times| *times == 1));
    for worker in workers {
        worker.stop().await;
    }
    let runs = runs.lock().expect("no panic");
    assert!(runs.len() == 1_000 && runs.values().all(|times| *times == 1), "{}", runs.len());
}
