//! Questions and their answers.

use serde_json::{Map, Value, json};
use tool_core::Principal;
use tool_core::tasks::{TaskAnswer, TaskAttempt, TaskId, TaskState};

use super::support::{
    Engine, Worker, asks, completed, create, get, new, output, patiently, principal, until, until_state,
};

fn answers(answers: &Value) -> Map<String, Value> {
    answers.as_object().expect("an object").clone()
}

async fn answer(engine: &Engine, owner: &Principal, id: &TaskId, given: &Value) {
    assert!(engine.answer(owner, id, answers(given)).await.expect("an answer"));
}

/// Asks `name`, then `name` and `size`, then returns the answers.
async fn run(attempt: TaskAttempt) -> tool_core::tasks::TaskEnd {
    match (attempt.answers.get("name"), attempt.answers.get("size")) {
        (None, _) => asks(&["name", "kind"]),
        (Some(_), None) => asks(&["size"]),
        (Some(name), Some(size)) => {
            assert_eq!((&*name.digest, &*size.digest), ("digest of name", "digest of size"));
            completed(&json!([
                name.answer,
                attempt.answers["kind"].answer,
                size.answer,
                attempt.task.attempt
            ]))
        }
    }
}

pub(super) async fn waits_for_all_answers(here: &Engine, there: &Engine) {
    let ada = principal("ada");
    let task = create(here, &ada, "questions").await;
    let early = answers(&json!({"name": "too early"}));
    assert!(here.answer(&ada, &task.id, early).await.expect("an answer"));
    let worker = Worker::start(here, run);
    let open = until_state(there, &ada, &task.id, TaskState::InputRequired).await;
    assert_eq!(open.questions.keys().collect::<Vec<_>>(), ["kind", "name"]);
    assert_eq!(open.questions["name"].request["method"], "elicitation/create");

    answer(there, &ada, &task.id, &json!({"no_question": 1})).await;
    assert_eq!(get(here, &ada, &task.id).await.version, open.version, "an unknown answer changes nothing");
    answer(there, &ada, &task.id, &json!({"name": "first", "no_question": 1})).await;
    let partial = get(here, &ada, &task.id).await;
    assert_eq!((partial.state, partial.questions.len()), (TaskState::InputRequired, 1));
    assert!(partial.version > open.version);
    answer(there, &ada, &task.id, &json!({"name": "second"})).await;
    assert_eq!(get(here, &ada, &task.id).await.version, partial.version, "the first answer counts");

    answer(here, &ada, &task.id, &json!({"kind": {"action": "decline"}})).await;
    let open = until(here, &ada, &task.id, |task| task.questions.contains_key("size")).await;
    assert_eq!(open.questions.len(), 1);
    answer(there, &ada, &task.id, &json!({"size": 3})).await;
    let ended = until_state(there, &ada, &task.id, TaskState::Completed).await;
    assert_eq!(output(&ended), json!(["first", {"action": "decline"}, 3, 3]));
    assert!(ended.questions.is_empty());

    answer(there, &ada, &task.id, &json!({"size": 4})).await;
    assert_eq!(get(here, &ada, &task.id).await.version, ended.version, "a late answer changes nothing");
    worker.stop().await;
}

pub(super) async fn begins_with_the_answers_of_its_creation(here: &Engine, there: &Engine) {
    let ada = principal("ada");
    let mut task = new(&ada, "questions_before", &json!({}));
    for key in ["name", "kind"] {
        let answer = TaskAnswer { digest: format!("digest of {key}"), answer: json!({"action": key}) };
        task.answers.insert(key.to_owned(), answer);
    }
    let task = here.create(task).await.expect("a task");
    let worker = Worker::start(there, run);
    let open = until_state(here, &ada, &task.id, TaskState::InputRequired).await;
    assert_eq!(open.questions.keys().collect::<Vec<_>>(), ["size"]);
    assert_eq!(open.attempt, 1);
    answer(here, &ada, &task.id, &json!({"size": 3})).await;
    let ended = until_state(here, &ada, &task.id, TaskState::Completed).await;
    assert_eq!(output(&ended), json!([{"action": "name"}, {"action": "kind"}, 3, 2]));
    worker.stop().await;
}

pub(super) async fn does_not_count_as_retry(engine: &Engine) {
    let ada = principal("ada");
    let task = create(engine, &ada, "questions_again").await;
    let worker = Worker::start(engine, |attempt| async move {
        let answered = attempt.answers.len();
        if answered < 4 { asks(&[&format!("question {answered}")]) } else { completed(&json!(answered)) }
    });
    patiently("five attempts", async {
        loop {
            let task = until(engine, &ada, &task.id, |task| task.state != TaskState::Working).await;
            if task.state == TaskState::Completed {
                return assert_eq!((output(&task), task.attempt), (json!(4), 5));
            }
            for key in task.questions.keys() {
                answer(engine, &ada, &task.id, &json!({key: true})).await;
            }
        }
    })
    .await;
    worker.stop().await;
}
