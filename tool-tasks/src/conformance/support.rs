//! What the tests share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{
    NewTask, Task, TaskAttempt, TaskEnd, TaskEngine, TaskError, TaskId, TaskOptions, TaskOutcome,
    TaskQuestion, TaskRun, TaskState, TaskSupport,
};
use tool_core::{BoxFuture, CallId, Failure, Output, Principal};

/// A handle to the engine under test.
pub(super) type Engine = Arc<dyn TaskEngine>;

/// How long a test waits for what must happen before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for what must happen.
pub(super) async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what} did not happen in {PATIENCE:?}"),
    }
}

/// Returns a principal that no other test has.
pub(super) fn principal(name: &str) -> Principal {
    Principal::new(format!("{name}-{}", CallId::new()))
}

pub(super) fn options() -> TaskOptions {
    TaskOptions::new(TaskSupport::Optional)
}

/// Creates a task of the tool `tool`.
pub(super) fn new(owner: &Principal, tool: &str, arguments: &Value) -> NewTask {
    NewTask::new(owner, tool, arguments.to_string(), options()).expect("randomness")
}

/// Creates a task of a tool that only this test has.
pub(super) async fn create(engine: &Engine, owner: &Principal, tool: &str) -> Task {
    engine.create(new(owner, tool, &json!({}))).await.expect("a task")
}

/// Returns the task, which exists.
pub(super) async fn get(engine: &Engine, owner: &Principal, id: &TaskId) -> Task {
    engine.get(owner, id).await.expect("an answer").expect("the task")
}

/// Waits until the task satisfies `condition`.
pub(super) async fn until(
    engine: &Engine,
    owner: &Principal,
    id: &TaskId,
    condition: impl Fn(&Task) -> bool,
) -> Task {
    patiently("a change of the task", async {
        loop {
            let task = get(engine, owner, id).await;
            if condition(&task) {
                return task;
            }
            engine.changed(id, task.version).await;
        }
    })
    .await
}

pub(super) async fn until_state(engine: &Engine, owner: &Principal, id: &TaskId, state: TaskState) -> Task {
    until(engine, owner, id, |task| {
        assert!(!task.state.has_ended() || task.state == state, "{task:?}");
        task.state == state
    })
    .await
}

/// A worker in this process.
pub(super) struct Worker {
    stop: CancellationToken,
    work: JoinHandle<Result<(), TaskError>>,
}

impl Worker {
    pub(super) fn start<F, R>(engine: &Engine, run: F) -> Self
    where
        F: Fn(TaskAttempt) -> R + Send + Sync + 'static,
        R: Future<Output = TaskEnd> + Send + 'static,
    {
        let stop = CancellationToken::new();
        let (engine, stopped) = (Arc::clone(engine), stop.clone());
        let run = Arc::new(Function(move |attempt| Box::pin(run(attempt)) as BoxFuture<'static, TaskEnd>));
        Worker { stop, work: tokio::spawn(async move { engine.work(run, stopped).await }) }
    }

    pub(super) async fn stop(self) {
        self.stop.cancel();
        patiently("the end of a worker", self.work).await.expect("no panic").expect("no error");
    }
}

struct Function<F>(F);

impl<F: Fn(TaskAttempt) -> BoxFuture<'static, TaskEnd> + Send + Sync> TaskRun for Function<F> {
    fn run(&self, attempt: TaskAttempt) -> BoxFuture<'_, TaskEnd> {
        (self.0)(attempt)
    }
}

/// Returns the end of a call with an output.
pub(super) fn completed(output: &Value) -> TaskEnd {
    let output = Output::json(output).map_err(|_| Failure::internal());
    TaskEnd::Ended { outcome: TaskOutcome::new(CallId::new(), output), may_retry: false }
}

/// Returns the end of a call with a failure.
pub(super) fn failed(failure: Failure, may_retry: bool) -> TaskEnd {
    TaskEnd::Ended { outcome: TaskOutcome::new(CallId::new(), Err(failure)), may_retry }
}

/// Returns the end of a call that waits for answers to these questions.
pub(super) fn asks(keys: &[&str]) -> TaskEnd {
    let question = |key: &&str| {
        let request = json!({"method": "elicitation/create", "params": {"message": key}});
        (key.to_string(), TaskQuestion { digest: format!("digest of {key}"), request })
    };
    TaskEnd::InputRequired(keys.iter().map(question).collect::<BTreeMap<_, _>>())
}

/// Returns the output of a task that has ended with one.
pub(super) fn output(task: &Task) -> Value {
    let outcome = task.outcome.as_ref().expect("an outcome");
    outcome.result().expect("an output").value()
}
