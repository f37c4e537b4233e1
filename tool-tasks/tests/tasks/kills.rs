//! Processes that are killed lose nothing and repeat nothing that they must not.

use std::collections::HashSet;

use serde_json::json;
use tool_core::tasks::TaskState;

use crate::both::on_both;
use crate::process::{Place, ada, create, rounds, until};

/// Kills a process that creates and runs tasks at many moments: before and after a task is stored, when it was taken, and before and
/// after its result is recorded.
async fn survives_kills_at_any_moment(place: &Place) {
    let engine = place.engine();
    for round in 0..rounds() {
        let process = place.spawn(&format!("create {round}"));
        // The moments differ by what the process has done so far.
        let file = if round % 2 == 0 { "created" } else { "begun" };
        place.until_notes(file, place.notes(file).len() + 1 + round * 7 % 23).await;
        process.kill();
    }
    let confirmed = place.notes("created");
    let worker = place.work();
    let mut ids = HashSet::new();
    for round in 0..rounds() {
        for number in 0..30 {
            let key = format!("{round}-{number}");
            let id = create(&engine, "quick", &key, u32::from(number % 2 == 1)).await;
            let was_confirmed = confirmed.iter().find_map(|line| line.strip_suffix(&format!(" {key}")));
            assert!(was_confirmed.is_none_or(|confirmed| confirmed == id.to_string()), "{key} was lost");
            let task = until(&engine, &id, |task| task.state.has_ended()).await;
            let begun = place.begun(&id);
            assert!(begun <= 1 + number % 2, "{key} began {begun} times");
            match task.state {
                TaskState::Completed => assert!(begun >= 1),
                // A kill between the claim and the function.
                TaskState::Failed => assert!(number % 2 == 0 || begun <= 2),
                other => panic!("{other:?}"),
            }
            assert!(ids.insert(id));
        }
    }
    worker.stop().await;
}

/// Kills a process in the middle of a function.
async fn takes_over_what_a_killed_process_ran(place: &Place) {
    let engine = place.engine();
    for round in 0..rounds() {
        let other = create(&engine, "ask", &format!("other {round}"), 0).await;
        let process = place.spawn("work");
        until(&engine, &other, |task| task.state == TaskState::InputRequired).await;
        let before = place.notes("begun").len();
        let mut tasks = Vec::new();
        for retries in [0, 1] {
            let id = create(&engine, "stuck", &format!("stuck {round} {retries}"), retries).await;
            until(&engine, &id, |task| task.attempt == 1).await;
            tasks.push(id);
        }
        place.until_notes("begun", before + 2).await;
        process.kill();
        let worker = place.work();
        let interrupted = until(&engine, &tasks[0], |task| task.state.has_ended()).await;
        assert_eq!((interrupted.state, interrupted.attempt), (TaskState::Failed, 1));
        let outcome = interrupted.outcome.unwrap();
        assert_eq!(outcome.result().unwrap_err().kind().codes().error_type, "interrupted");
        let again = until(&engine, &tasks[1], |task| task.state.has_ended()).await;
        assert_eq!((again.state, again.attempt), (TaskState::Completed, 2));
        assert!(place.begun(&tasks[0]) <= 1 && place.begun(&tasks[1]) <= 2);
        let other = until(&engine, &other, |_| true).await;
        assert_eq!((other.state, other.attempt), (TaskState::InputRequired, 1), "others are unharmed");
        worker.stop().await;
    }
}

/// A task asks, every process is killed, the answer comes, and another process sees it.
async fn answers_reach_another_process(place: &Place) {
    let engine = place.engine();
    for round in 0..rounds() {
        let process = place.spawn("work");
        let id = create(&engine, "ask", &format!("ask {round}"), 0).await;
        until(&engine, &id, |task| task.state == TaskState::InputRequired).await;
        process.kill();
        let answer = json!({"name": round}).as_object().unwrap().clone();
        assert!(engine.answer(&ada(), &id, answer).await.unwrap());
        // Another process may be killed after it took the task: that is a matter of retries. This one lives.
        let process = place.spawn("work");
        let task = until(&engine, &id, |task| task.state.has_ended()).await;
        assert_eq!(task.outcome.unwrap().result().unwrap().value(), json!(round));
        assert_eq!((task.attempt, place.begun(&id)), (2, 2));
        process.kill();
    }
}

/// A function that ends its process each time ends as failed, after as many begins as are declared.
async fn stops_poison(place: &Place) {
    let engine = place.engine();
    let poison = create(&engine, "abort", "poison", 2).await;
    for _ in 0..3 {
        place.spawn("work").wait_for_signal(6).await;
    }
    let worker = place.work();
    let task = until(&engine, &poison, |task| task.state.has_ended()).await;
    assert_eq!((task.state, task.attempt, place.begun(&poison)), (TaskState::Failed, 3, 3));
    worker.stop().await;
}

async fn all(place: &Place) {
    survives_kills_at_any_moment(place).await;
    takes_over_what_a_killed_process_ran(place).await;
    answers_reach_another_process(place).await;
    stops_poison(place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn are_survived() {
    on_both(|place| async move { all(&place).await }).await;
}
