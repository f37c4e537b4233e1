//! What a call asks before its function: parameters that are awaited, also before a task exists.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::audit::AuditEvent;
use tool_core::elicitation::{AskKind, AskOutcome, ClientRequests, Question};
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::tasks::{RunningTask, TaskAttempt, TaskEnd, TaskId, TaskRun as _};
use tool_core::testing::Answers;
use tool_core::{
    Access, BoxFuture, CallOptions, Context, Failure, FailureKind, Principal, Registry, State, adapter, tool,
};

use crate::builder_of;

/// How many functions have begun.
#[derive(Default)]
struct RunCount(AtomicUsize);

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// The name of somebody, who is asked.
struct Somebody(String);

impl<Op> InjectAsync<Op> for Somebody {
    fn needs(_: &mut Needs) {}

    async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let Name { name } = source.context().elicit("Who?").await?.required()?;
        Ok(Somebody(name))
    }
}

/// Asks in a parameter, and the same in its function.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn twice(
    #[inject] Somebody(first): Somebody,
    #[inject] context: Context,
    #[inject] begun: State<RunCount>,
) -> Result<String, Failure> {
    begun.0.fetch_add(1, Ordering::Relaxed);
    let Name { name } = context.elicit("Who?").await?.required()?;
    Ok(format!("{first} and {name}"))
}

/// Asks in a parameter, and blocks.
#[tool(operation = Trigger, destructive = false, blocking, task(optional))]
fn blocking(#[inject] Somebody(name): Somebody, #[inject] begun: State<RunCount>) -> String {
    begun.0.fetch_add(1, Ordering::Relaxed);
    name
}

/// Asks in a parameter, and where it cannot wait.
#[tool(operation = Trigger, destructive = false)]
fn asks_at_once(#[inject] _first: Somebody, #[inject] context: Context) -> Result<String, Failure> {
    let asking = context.elicit::<Name>("Who?");
    polled_once(asking).map(|answer| answer.required().map(|it| it.name))?
}

/// Polls a future once.
fn polled_once<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(result) => result,
        std::task::Poll::Pending => Err(Failure::internal()),
    }
}

/// Asks nothing.
#[tool(operation = Trigger, destructive = false, task(optional))]
async fn silent(#[inject] begun: State<RunCount>) {
    begun.0.fetch_add(1, Ordering::Relaxed);
}

async fn asks(_: &Principal, context: &Context) -> Access {
    match context.elicit::<Name>("Who?").await {
        Ok(_) => Access::Allow,
        Err(failure) => Access::deny(failure.message().to_owned()),
    }
}

/// Is never a task.
#[tool(operation = Trigger, destructive = false)]
fn at_once(#[inject] begun: State<RunCount>) {
    begun.0.fetch_add(1, Ordering::Relaxed);
}

/// Asks in its access function.
#[tool(operation = Trigger, destructive = false, task(optional), access = asks(context))]
async fn guarded(#[inject] context: Context) -> String {
    context.tool().to_owned()
}

fn nobody(_: &Principal, begun: &State<RunCount>) -> Access {
    Access::deny(format!("{} have begun", begun.0.load(Ordering::Relaxed)))
}

/// Nobody may call it.
#[tool(operation = Trigger, destructive = false, task(optional), access = nobody(begun))]
async fn forbidden(#[inject] begun: State<RunCount>, #[inject] Somebody(name): Somebody) -> String {
    begun.0.fetch_add(1, Ordering::Relaxed);
    name
}

fn registry() -> (Registry, Arc<RunCount>) {
    let begun = Arc::<RunCount>::default();
    (builder_of(module_path!()).shared_state(Arc::clone(&begun)).build().unwrap(), begun)
}

fn name(name: &str) -> serde_json::Value {
    json!({"name": name})
}

/// A client whose answers arrive with another call.
struct Later;

impl ClientRequests for Later {
    fn supports(&self, kind: AskKind) -> bool {
        kind == AskKind::Form
    }

    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(async { Ok(AskOutcome::Deferred) })
    }
}

#[tokio::test]
async fn asks_for_a_parameter() {
    let (registry, begun) = registry();
    for (tool, expected, runs) in [("twice", "Ada and Bob", 2), ("blocking", "Ada", 1)] {
        // Each answer starts the call again.
        let answers = Answers::new().accept(name("Ada")).accept(name("Bob"));
        let output = answers.call(&registry, tool, json!({})).await.unwrap();
        assert_eq!((output.value(), begun.0.swap(0, Ordering::Relaxed)), (json!(expected), runs), "{tool}");
    }
    let waiting = Answers::new().accept(name("Ada"));
    let waiting = registry.with_options(&CallOptions::new().client(Arc::new(waiting)));
    assert_eq!(waiting.call("blocking", json!({})).await.unwrap().value(), "Ada");
}

#[tokio::test]
async fn does_not_ask_in_an_access_function() {
    let (registry, _) = registry();
    let failure = Answers::new().accept(name("Ada")).call(&registry, "guarded", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Internal);
    assert!(failure.message().starts_with("`guarded` asks where it cannot wait"), "{failure}");
}

#[tokio::test]
async fn does_not_ask_in_a_function_that_returns_at_once() {
    let (registry, _) = registry();
    let answers = Answers::new().accept(name("Ada")).accept(name("Bob"));
    let failure = answers.call(&registry, "asks_at_once", json!({})).await.unwrap_err();
    assert!(failure.message().starts_with("`asks_at_once` asks where it cannot wait"), "{failure}");
}

#[tokio::test]
async fn passes_the_answers_to_the_task() {
    let (registry, begun) = registry();
    let options = CallOptions::new().client(Arc::new(Answers::new().accept(name("Ada"))));
    for tool in ["twice", "blocking"] {
        let options = CallOptions::new().client(Arc::new(Answers::new().accept(name("Ada"))));
        let answers = adapter::ask_before_task(&registry, tool, b"{}", &options).await.unwrap();
        assert_eq!((answers.len(), begun.0.load(Ordering::Relaxed)), (1, 0), "{tool}");
        let task = RunningTask::new(TaskId::from_bytes([1; 16]), "key", 1);
        let mut attempt = TaskAttempt::new(task, tool, "{}", Principal::anonymous());
        attempt.answers = answers;
        match (tool, registry.run(attempt).await) {
            ("twice", TaskEnd::InputRequired(questions)) => assert_eq!(questions.len(), 1),
            (_, TaskEnd::Ended { outcome, .. }) => assert_eq!(outcome.result().unwrap().value(), "Ada"),
            (_, end) => panic!("{tool}: {end:?}"),
        }
        assert_eq!(begun.0.swap(0, Ordering::Relaxed), 1, "{tool}");
    }
    let none = adapter::ask_before_task(&registry, "silent", b"{}", &options).await.unwrap();
    assert_eq!((none.len(), begun.0.load(Ordering::Relaxed)), (0, 0));
}

#[tokio::test]
async fn ends_before_the_task_exists() {
    let events = Arc::<std::sync::Mutex<Vec<String>>>::default();
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| {
            let outcome = event.outcome.map_or_else(|kind| kind.codes().error_type, |()| "ok");
            events.lock().unwrap().push(format!("{}: {outcome}", event.name));
        }
    };
    let begun = Arc::<RunCount>::default();
    let registry = builder_of(module_path!()).shared_state(Arc::clone(&begun)).audit(sink).build().unwrap();
    let later = CallOptions::new().client(Arc::new(Later));
    let declines = CallOptions::new().client(Arc::new(Answers::new().decline()));
    for (tool, options, expected) in [
        ("twice", &later, "InputRequired"),
        ("forbidden", &later, "Denied"),
        ("blocking", &declines, "Failed(Other)"),
        ("at_once", &later, "Failed(Conflict)"),
        ("nope", &later, "NotFound"),
    ] {
        let failure = adapter::ask_before_task(&registry, tool, b"{}", options).await.unwrap_err();
        assert_eq!(format!("{:?}", failure.kind()), expected, "{tool}");
    }
    let nothing = adapter::ask_before_task(&registry, "silent", b"{}", &later).await.unwrap();
    assert_eq!((nothing.len(), begun.0.load(Ordering::Relaxed)), (0, 0));
    // Nobody is there to answer: the task asks.
    let none = adapter::ask_before_task(&registry, "twice", b"{}", &CallOptions::new()).await.unwrap();
    assert_eq!((none.len(), begun.0.load(Ordering::Relaxed)), (0, 0));
    let audited = events.lock().unwrap().clone();
    assert_eq!(audited.len(), 3, "what was not made is no call: {audited:?}");
    assert!(audited[0].starts_with("twice: ") && audited[1].starts_with("forbidden: "), "{audited:?}");
}
