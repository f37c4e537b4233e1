//! Attempts of tasks, as an engine runs them, and the creation of tasks.

mod creation;
mod declaration;
mod preparation;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_core::audit::AuditEvent;
use tool_core::failure::Reason;
use tool_core::tasks::{
    RunningTask, TaskAnswer, TaskAttempt, TaskEnd, TaskId, TaskKey, TaskOutcome, TaskQuestion, TaskRun as _,
    TaskState,
};
use tool_core::{
    CallOptions, Context, Failure, FailureKind, Principal, Registry, State, ToolError, TraceParent, tool,
};

use crate::builder_of;

#[derive(Default)]
struct World {
    begun: Notify,
    /// Notified when a function notices that its call is canceled.
    heard: Notify,
}

#[derive(Deserialize, JsonSchema)]
struct Approval {
    #[schemars(range(min = 1, max = 9))]
    level: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Login {
    #[schemars(extend("writeOnly" = true))]
    #[expect(dead_code, reason = "never answered")]
    password: String,
}

/// Returns what a function sees of its task.
#[tool(operation = Trigger, destructive = false, task(optional, retries = 1))]
async fn seen(#[inject] context: Context, #[inject] key: TaskKey, n: u8) -> Value {
    let trace = context.traceparent().map(|trace| trace.to_string());
    json!([n, *key, context.task().map(|task| (&task.key, task.attempt)), context.principal().id(), trace])
}

/// Fails as the arguments say.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn fail(how: String) -> Result<(), ToolError> {
    match how.as_str() {
        "unavailable" => Err(ToolError::unavailable("down")),
        "conflict" => Err(ToolError::conflict("taken")),
        _ => panic!("as told"),
    }
}

/// Waits until it is canceled.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn wait(
    #[inject] context: Context,
    #[inject] world: State<World>,
    succeed: bool,
) -> Result<&'static str, String> {
    world.begun.notify_one();
    context.cancelled().await;
    world.heard.notify_one();
    if succeed { Ok("was done") } else { Err("stopped at 3 of 7".to_owned()) }
}

/// Asks before it deploys.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn deploy(#[inject] context: Context) -> Result<String, Failure> {
    let Approval { level } = context.elicit("Which level?").key("level").await?.required()?;
    Ok(format!("level {level}"))
}

/// Asks for a secret.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn login(#[inject] context: Context) -> Result<(), Failure> {
    context.elicit::<Login>("Your password?").await?.required()?;
    Ok(())
}

/// Needs a permission.
#[tool(operation = Trigger, destructive = false, permission = "site.export", task(optional))]
async fn export() -> &'static str {
    "exported"
}

/// Is only called.
#[tool(operation = Trigger, destructive = false)]
async fn ping() {}

fn registry() -> (Registry, Arc<World>) {
    let world = Arc::<World>::default();
    (builder_of(module_path!()).shared_state(Arc::clone(&world)).build().unwrap(), world)
}

fn attempt(tool: &str, arguments: &str, number: u32) -> TaskAttempt {
    let task = RunningTask::new(TaskId::from_bytes([7; 16]), "order-7", number);
    TaskAttempt::new(task, tool, arguments, Principal::new("ada"))
}

/// Returns the outcome of an attempt that ended, and whether it may be tried again.
fn ended(end: TaskEnd) -> (TaskOutcome, bool) {
    match end {
        TaskEnd::Ended { outcome, may_retry } => (outcome, may_retry),
        end => panic!("it did not end: {end:?}"),
    }
}

fn open_questions(end: TaskEnd) -> BTreeMap<String, TaskQuestion> {
    match end {
        TaskEnd::InputRequired(questions) => questions,
        end => panic!("nothing was asked: {end:?}"),
    }
}

async fn run(attempt: TaskAttempt) -> TaskEnd {
    registry().0.run(attempt).await
}

#[tokio::test]
async fn each_attempt_sees_the_same_key_and_its_number() {
    let trace: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse().unwrap();
    for number in [1, 2] {
        let mut attempt = attempt("seen", r#"{"n": 3}"#, number);
        attempt.trace = Some(trace);
        let (outcome, may_retry) = ended(run(attempt).await);
        let expected = json!([3, "order-7", ["order-7", number], "ada", trace.to_string()]);
        assert_eq!(outcome.result().unwrap().value(), expected);
        assert_eq!((outcome.state(), may_retry), (TaskState::Completed, false));
    }
    // A call has a key of its own.
    let (registry, _) = registry();
    let keys = [registry.call("seen", json!({"n": 1})).await, registry.call("seen", json!({"n": 1})).await];
    let [one, other] = keys.map(|output| output.unwrap().value());
    assert_eq!((one[1].is_string(), &one[2]), (true, &Value::Null));
    assert_ne!(one[1], other[1]);
}

#[tokio::test]
async fn only_an_unavailable_service_is_tried_again() {
    for (how, kind, may_retry) in [
        ("unavailable", FailureKind::Failed(Reason::Unavailable), true),
        ("conflict", FailureKind::Failed(Reason::Conflict), false),
        ("panic", FailureKind::Internal, false),
    ] {
        let (outcome, retried) = ended(run(attempt("fail", &json!({"how": how}).to_string(), 1)).await);
        assert_eq!((outcome.result().unwrap_err().kind(), retried), (kind, may_retry), "{how}");
        assert_eq!(outcome.state(), TaskState::Completed, "{how}");
    }
}

#[tokio::test]
async fn the_function_hears_of_a_cancellation_and_decides_how_it_ends() {
    for (succeed, state) in [(true, TaskState::Completed), (false, TaskState::Cancelled)] {
        let (registry, world) = registry();
        let attempt = attempt("wait", &json!({"succeed": succeed}).to_string(), 1);
        let cancellation = attempt.cancellation.clone();
        let cancel = async {
            world.begun.notified().await;
            cancellation.cancel();
            world.heard.notified().await;
        };
        let (end, ()) = tokio::join!(registry.run(attempt), cancel);
        let (outcome, may_retry) = ended(end);
        assert_eq!((outcome.state(), may_retry), (state, false));
        match outcome.result() {
            Ok(output) => assert_eq!(output.value(), "was done"),
            Err(failure) => assert_eq!(failure.message(), "stopped at 3 of 7"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_attempt_is_limited() {
    let (registry, world) = registry();
    let mut attempt = attempt("wait", r#"{"succeed": true}"#, 1);
    attempt.timeout = Some(Duration::from_secs(3600));
    let (outcome, may_retry) = ended(registry.run(attempt).await);
    let failure = outcome.result().unwrap_err();
    assert_eq!((failure.kind(), may_retry), (FailureKind::Timeout, false));
    assert!(failure.message().contains("3600s"), "{failure}");
    world.heard.notified().await;
}

#[tokio::test]
async fn goes_on_with_the_answer_to_a_question() {
    let open = open_questions(run(attempt("deploy", "{}", 1)).await);
    let question = &open["level"];
    assert_eq!(open.len(), 1);
    let request = &question.request;
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Which level?");
    assert_eq!(request["params"]["requestedSchema"]["properties"]["level"]["maximum"], 9);

    let again = |digest: &str, answer: Value| {
        let mut attempt = attempt("deploy", "{}", 2);
        let answer: TaskAnswer = serde_json::from_value(json!({"digest": digest, "answer": answer})).unwrap();
        attempt.answers.insert("level".to_owned(), answer);
        run(attempt)
    };
    let accept = |level: Value| json!({"action": "accept", "content": {"level": level}});
    let (outcome, _) = ended(again(&question.digest, accept(json!(5))).await);
    assert_eq!(outcome.result().unwrap().value(), "level 5");

    // The answer to another question is none to this one.
    assert_eq!(open_questions(again("blake3:other", accept(json!(5))).await), open);

    // What is wrong with an answer is part of the question.
    for (answer, problem) in [(accept(json!(10)), "/level"), (json!({"action": "maybe"}), "maybe")] {
        let questions = open_questions(again(&question.digest, answer).await);
        let next = &questions["level"];
        assert_eq!(next.digest, question.digest);
        let message = next.request["params"]["message"].as_str().unwrap();
        assert!(message.starts_with("Which level?\n- ") && message.contains(problem), "{message}");
    }

    let (outcome, _) = ended(again(&question.digest, json!({"action": "decline"})).await);
    assert!(outcome.result().is_err());
}

#[tokio::test]
async fn a_task_cannot_ask_for_a_secret() {
    let (outcome, may_retry) = ended(run(attempt("login", "{}", 1)).await);
    let failure = outcome.result().unwrap_err();
    assert_eq!((failure.kind(), may_retry), (FailureKind::Unsupported, false));
    assert!(failure.message().contains("cannot ask for a secret"), "{failure}");
}

#[tokio::test]
async fn checks_tool_and_access_of_each_attempt() {
    assert!(matches!(run(attempt("later_tool", "{}", 1)).await, TaskEnd::NoTool));
    let (outcome, may_retry) = ended(run(attempt("export", "{}", 1)).await);
    assert_eq!((outcome.result().unwrap_err().kind(), may_retry), (FailureKind::Denied, false));
    let mut granted = attempt("export", "{}", 1);
    granted.owner = granted.owner.grant("site.export");
    assert_eq!(ended(run(granted).await).0.result().unwrap().value(), "exported");
}

#[tokio::test]
async fn audits_task_and_attempt() {
    let events = Arc::<Mutex<Vec<Value>>>::default();
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let registry =
        builder_of(module_path!()).shared_state(Arc::<World>::default()).audit(sink).build().unwrap();
    let (outcome, _) = ended(registry.run(attempt("seen", r#"{"n": 1}"#, 2)).await);
    registry.call_with("seen", br#"{"n": 1}"#, &CallOptions::new()).await.result.unwrap();
    let events = events.lock().unwrap();
    let [task, call] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&task["task"], &task["attempt"]), (&json!("07".repeat(16)), &json!(2)));
    assert_eq!(task["callId"], outcome.call_id().to_string());
    assert!(call.get("task").is_none() && call.get("attempt").is_none(), "{call}");
}
