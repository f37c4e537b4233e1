//! Layers around calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use tool_core::audit::AuditEvent;
use tool_core::elicitation::{AskKind, AskOutcome, ClientRequests, Question};
use tool_core::failure::Reason;
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::provider::{IntoToolsProvider, Providers};
use tool_core::{
    BoxFuture, CallOptions, Context, DynamicTool, Extensions, Failure, FailureKind, Output, Principal,
    Registry, RegistryBuilder, State, ToolDefinition, ToolError, Unmet, tool,
};

use crate::builder_of;

/// What the tools below count and wait for.
#[derive(Default)]
struct World {
    runs: AtomicUsize,
    begun: Notify,
    door: Semaphores,
}

struct Semaphores(Semaphore);

impl Default for Semaphores {
    fn default() -> Self {
        Semaphores(Semaphore::new(0))
    }
}

impl World {
    fn run(&self) -> usize {
        self.runs.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

/// Succeeds at the second attempt.
#[tool(operation = Read)]
async fn layered_flaky(#[inject] world: State<World>) -> Result<usize, ToolError> {
    match world.run() {
        1 => Err(ToolError::unavailable("not yet")),
        run => Ok(run),
    }
}

/// Fails, perhaps after a change.
#[tool(operation = Write, destructive = false)]
async fn layered_change(#[inject] world: State<World>) -> Result<(), ToolError> {
    world.run();
    Err(ToolError::unavailable("not yet"))
}

/// Counts a letter.
#[tool(operation = Read, open_world = false)]
fn layered_length(
    #[inject] world: State<World>,
    /** What to count. */
    text: String,
) -> usize {
    world.run();
    text.len()
}

/// Needs a permission.
#[tool(operation = Read, permission = "see")]
fn layered_permitted(#[inject] world: State<World>) {
    world.run();
}

fn missing() -> Result<(), Unmet> {
    Err(Unmet::new("set it up"))
}

/// Needs what is not there.
#[tool(operation = Read, requires = [missing])]
fn layered_required() {}

/// Takes a secret.
#[tool(operation = Explain)]
fn layered_login(
    /** Who. */
    user: String,
    #[arg(secret)]
    /** The password. */
    password: String,
) -> usize {
    user.len() + password.len()
}

/// Changes something after a while.
#[tool(operation = Write, destructive = false)]
async fn layered_slow(#[inject] world: State<World>) -> &'static str {
    world.begun.notify_one();
    world.door.0.acquire().await.unwrap().forget();
    world.run();
    "done"
}

/// Reads something after a while.
#[tool(operation = Read)]
async fn layered_waiting(#[inject] world: State<World>) {
    world.begun.notify_one();
    world.door.0.acquire().await.unwrap().forget();
    world.run();
}

/// Is on a thread of its own.
#[tool(operation = Read, blocking)]
fn layered_blocking(#[inject] world: State<World>) -> usize {
    world.run()
}

/// Calls another tool.
#[tool(operation = Trigger, destructive = false)]
async fn layered_outer(#[inject] registry: Registry) -> Result<Value, Failure> {
    Ok(registry.call("layered_length", json!({"text": "four"})).await?.value())
}

/// Asks for a name.
#[tool(operation = Read)]
async fn layered_asking(#[inject] context: Context, #[inject] world: State<World>) -> Result<(), Failure> {
    #[derive(schemars::JsonSchema, serde::Deserialize)]
    struct Name {
        #[expect(dead_code, reason = "nobody answers")]
        name: String,
    }
    world.run();
    context.elicit::<Name>("What is your name?").await.map(drop)
}

type Lines = Arc<Mutex<Vec<String>>>;

/// Notes what it sees.
#[derive(Debug)]
struct Note(&'static str, Lines);

impl Layer for Note {
    async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        let line = |text: String| self.1.lock().unwrap().push(format!("{}: {text}", self.0));
        line(format!("{:?} {}", request.kind(), request.definition().name()));
        let result = next.run().await;
        line(match &result {
            Ok(output) => output.value().to_string(),
            Err(failure) => failure.kind().codes().error_type.to_owned(),
        });
        result
    }
}

/// A layer of a function.
struct With<F>(F);

impl<F> std::fmt::Debug for With<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("With")
    }
}

impl<F> Layer for With<F>
where
    F: for<'c> Fn(&'c CallRequest<'c>, Next<'c>) -> BoxFuture<'c, Result<Output, Failure>>
        + Send
        + Sync
        + 'static,
{
    async fn call(&self, request: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        (self.0)(request, next).await
    }
}

/// Returns a layer of a function.
fn with<F>(layer: F) -> With<F>
where
    F: for<'c> Fn(&'c CallRequest<'c>, Next<'c>) -> BoxFuture<'c, Result<Output, Failure>>
        + Send
        + Sync
        + 'static,
{
    With(layer)
}

struct Fixture {
    registry: Registry,
    world: Arc<World>,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Fixture {
    fn new(layers: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        let (world, events) = (Arc::<World>::default(), Arc::<Mutex<Vec<Value>>>::default());
        let sink = {
            let events = Arc::clone(&events);
            move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
        };
        let builder = builder_of(module_path!()).shared_state(Arc::clone(&world)).audit(sink);
        Fixture { registry: layers(builder).build().unwrap(), world, events }
    }

    /// Calls a tool, and returns the outcome with that of the one audit event.
    async fn call(&self, name: &str, arguments: Value) -> (Result<Value, Failure>, Value) {
        let reply =
            self.registry.call_with(name, arguments.to_string().as_bytes(), &CallOptions::new()).await;
        let event = self.event();
        assert_eq!((&event["name"], &event["callId"]), (&json!(name), &json!(reply.call_id.to_string())));
        (reply.result.map(|output| output.value()), event["outcome"].clone())
    }

    /// Returns the only audit event.
    fn event(&self) -> Value {
        let events = std::mem::take(&mut *self.events.lock().unwrap());
        let [event] = &events[..] else { panic!("not one event: {events:?}") };
        event.clone()
    }
}

fn kind(result: &Result<Value, Failure>) -> FailureKind {
    result.as_ref().unwrap_err().kind()
}

#[tokio::test]
async fn run_in_order_around_every_outcome() {
    let lines = Lines::default();
    let fixture = Fixture::new(|builder| {
        let [outer, inner] = ["outer", "inner"].map(|name| Note(name, Arc::clone(&lines)));
        builder.layer(outer).layer(inner)
    });
    for (name, arguments, outcome, audited) in [
        ("layered_length", json!({"text": "four"}), "4", "success"),
        ("layered_length", json!({"txt": "four"}), "invalid_input", "invalid_input"),
        ("layered_permitted", json!({}), "access_denied", "access_denied"),
        ("layered_required", json!({}), "requirements", "requirements"),
        ("layered_change", json!({}), "execution_failed", "execution_failed"),
        ("layered_blocking", json!({}), "3", "success"),
    ] {
        let (result, event) = fixture.call(name, arguments).await;
        assert_eq!(event, audited, "{name}: {result:?}");
        let seen = std::mem::take(&mut *lines.lock().unwrap());
        let begun = ["outer", "inner"].map(|layer| format!("{layer}: Tool {name}"));
        let ended = ["inner", "outer"].map(|layer| format!("{layer}: {outcome}"));
        assert_eq!(seen, [begun, ended].concat());
    }
    // A name that does not exist has no layers.
    assert_eq!(fixture.call("layered_nothing", json!({})).await.1, "tool_not_found");
    assert!(lines.lock().unwrap().is_empty());

    let debug = format!("{:?}", fixture.registry);
    assert!(debug.starts_with(r#"Registry { tools: ["layered_asking", "#), "{debug}");
    assert!(
        debug.contains(r#"layers: [Note("outer", "#) && debug.contains(r#"), Note("inner", "#),
        "{debug}"
    );
}

#[tokio::test]
async fn are_not_part_of_what_a_registry_promises() {
    let [plain, layered] = [
        Fixture::new(|builder| builder),
        Fixture::new(|builder| builder.layer(with(|_, next| Box::pin(next.run())))),
    ];
    assert_eq!(plain.registry.digest(), layered.registry.digest());
    assert_eq!(format!("{:?}", plain.registry).split_once("], ").unwrap().1, "layers: [] }");
}

#[tokio::test]
async fn refuse_a_call_before_it_runs() {
    let fixture = Fixture::new(|builder| {
        builder.layer(with(|_, _| {
            Box::pin(async {
                Err(Failure::new(FailureKind::RateLimited, "later").with_retry_after(Duration::from_secs(5)))
            })
        }))
    });
    for name in ["layered_length", "layered_change", "layered_blocking"] {
        let (result, audited) = fixture.call(name, json!({"text": "four"})).await;
        assert_eq!((kind(&result), audited), (FailureKind::RateLimited, json!("rate_limited")), "{name}");
    }
    assert_eq!(fixture.world.runs(), 0);
}

#[tokio::test]
async fn run_again_what_modifies_nothing() {
    fn is_unavailable(failure: &Failure) -> bool {
        failure.kind() == FailureKind::Failed(Reason::Unavailable)
    }
    let retry = || {
        with(|_, next| {
            Box::pin(async move {
                let again = next.try_clone();
                match (next.run().await, again) {
                    (Err(failure), Some(again)) if is_unavailable(&failure) => again.run().await,
                    (result, _) => result,
                }
            })
        })
    };
    let fixture = Fixture::new(|builder| builder.layer(retry()));
    let (result, audited) = fixture.call("layered_flaky", json!({})).await;
    assert_eq!((result.unwrap(), audited, fixture.world.runs()), (json!(2), json!("success"), 2));

    let fixture = Fixture::new(|builder| builder.layer(retry()));
    let (result, audited) = fixture.call("layered_change", json!({})).await;
    assert!(is_unavailable(&result.unwrap_err()));
    assert_eq!((audited, fixture.world.runs()), (json!("execution_failed"), 1));
}

#[tokio::test]
async fn panic_without_harm() {
    let lines = Lines::default();
    for runs in [0, 1] {
        let panics = with(move |_, next| {
            assert_eq!(runs, 1, "panics before there is a future");
            Box::pin(async move { panic!("panics after the call: {:?}", next.run().await.is_ok()) })
        });
        let fixture = Fixture::new(|builder| builder.layer(Note("outer", Arc::clone(&lines))).layer(panics));
        let (result, audited) = fixture.call("layered_length", json!({"text": "four"})).await;
        assert_eq!((kind(&result), audited), (FailureKind::Internal, json!("internal")));
        assert_eq!(lines.lock().unwrap().pop().unwrap(), "outer: internal");
        assert_eq!(fixture.world.runs(), runs);
    }
}

#[tokio::test]
async fn replace_an_outcome_with_another_valid_one() {
    let replace = |replacement: fn() -> Result<Output, Failure>| {
        Fixture::new(|builder| {
            builder.layer(with(move |_, next| {
                Box::pin(async move { next.run().await.and_then(|_| replacement()) })
            }))
        })
    };
    for (replacement, expected) in [
        (|| Ok(Output::json(&7).unwrap()), Ok(json!(7))),
        (|| Ok(Output::json("seven").unwrap()), Err(FailureKind::Internal)),
        (|| Ok(Output::text("seven")), Err(FailureKind::Internal)),
        (|| Err(Failure::new(FailureKind::Denied, "no")), Err(FailureKind::Denied)),
        // As if a tool had returned it: the caller is known, and nobody asked.
        (|| Err(Failure::new(FailureKind::Unauthenticated, "no")), Err(FailureKind::Denied)),
        (|| Err(Failure::new(FailureKind::InputRequired, "no")), Err(FailureKind::Internal)),
    ] as [(fn() -> _, _); _]
    {
        let (result, audited) = replace(replacement).call("layered_length", json!({"text": "four"})).await;
        assert_eq!(result.map_err(|failure| failure.kind()), expected);
        let audited = audited.as_str().unwrap().to_owned();
        assert_eq!(audited, expected.map_or_else(|kind| kind.codes().error_type, |_| "success"));
    }
    // A failure becomes a success.
    let fixture = Fixture::new(|builder| {
        builder.layer(with(|_, next| {
            Box::pin(async { next.run().await.or_else(|_| Ok(Output::json(&7).unwrap())) })
        }))
    });
    let (result, audited) = fixture.call("layered_flaky", json!({})).await;
    assert_eq!((result.unwrap(), audited), (json!(7), json!("success")));
}

#[tokio::test]
async fn see_the_extensions_of_the_call() {
    struct Tenant(&'static str);

    let fixture = Fixture::new(|builder| {
        builder.layer(with(|request, _| {
            let tenant = request.extension::<Tenant>().map_or("nobody", |tenant| tenant.0);
            Box::pin(async move { Err(Failure::new(FailureKind::Disabled, tenant)) })
        }))
    });
    let of_acme = CallOptions::new().extensions(Extensions::new().with(Tenant("acme")));
    for (options, tenant) in [(of_acme, "acme"), (CallOptions::new(), "nobody")] {
        let reply = fixture.registry.call_with("layered_flaky", b"{}", &options).await;
        assert_eq!(reply.result.unwrap_err().message(), tenant);
    }
}

#[tokio::test]
async fn see_no_secret_unless_they_ask() {
    let fixture = Fixture::new(|builder| {
        builder.layer(with(|request, _| {
            let masked = String::from_utf8(request.arguments().into_owned()).unwrap();
            let whole = String::from_utf8(request.arguments_with_secrets().to_owned()).unwrap();
            let shown = format!("{request:?}");
            Box::pin(
                async move { Err(Failure::new(FailureKind::Disabled, format!("{masked} {whole} {shown}"))) },
            )
        }))
    });
    let seen = async |name: &str, arguments: &str| {
        let reply = fixture.registry.call_with(name, arguments.as_bytes(), &CallOptions::new()).await;
        reply.result.unwrap_err().message().to_owned()
    };
    let login = r#"{"user":"ada","password":"hunter2","pasword":"hunter3"}"#;
    let message = seen("layered_login", login).await;
    let masked = r#"{"user":"ada","password":"(secret)","pasword":"(secret)"}"#;
    assert!(message.starts_with(&format!("{masked} {login} CallRequest")), "{message}");
    assert_eq!(message.matches("hunter").count(), 2, "{message}");
    let broken = r#"{"text": "#;
    assert!(seen("layered_length", broken).await.starts_with(&format!("{broken} {broken} ")));
}

#[tokio::test]
async fn apply_to_the_tools_of_their_registry() {
    let lines = Lines::default();
    let dynamic = |name: &str| {
        let definition = ToolDefinition::builder(name, "Answers.").operation(tool_core::Operation::Read);
        DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) })
    };
    let layered =
        Registry::builder().tool(dynamic("ping")).layer(Note("ping", Arc::clone(&lines))).build().unwrap();
    let other =
        Registry::builder().tool(dynamic("pong")).layer(Note("pong", Arc::clone(&lines))).build().unwrap();
    let plain = Registry::builder().tool(dynamic("pang")).build().unwrap();
    let joined = Providers::new()
        .with("one", layered.clone())
        .with("two", other)
        .with("three", plain)
        .into_provider()
        .tools(&Principal::anonymous())
        .await
        .unwrap();
    let joined = joined.registry();
    for name in ["ping", "pong", "pang"] {
        joined.call(name, json!({})).await.unwrap();
    }
    let seen = std::mem::take(&mut *lines.lock().unwrap());
    assert_eq!(seen, ["ping: Tool ping", "ping: null", "pong: Tool pong", "pong: null"]);
    let debug = format!("{joined:?}");
    assert!(debug.contains(r#"layers: [Note("ping""#) && debug.contains(r#", Note("pong""#), "{debug}");

    // Tools that are added later are tools of the registry.
    let added: Arc<dyn tool_core::Tool> = Arc::new(dynamic("late"));
    let added = layered.toolset([Ok(added)]);
    added.registry().call("late", json!({})).await.unwrap();
    assert_eq!(lines.lock().unwrap()[0], "ping: Tool late");
}

#[tokio::test]
async fn run_around_nested_calls() {
    let lines = Lines::default();
    let fixture = Fixture::new(|builder| builder.layer(Note("layer", Arc::clone(&lines))));
    fixture.registry.call("layered_outer", json!({})).await.unwrap();
    let seen = ["Tool layered_outer", "Tool layered_length", "4", "4"].map(|line| format!("layer: {line}"));
    assert_eq!(*lines.lock().unwrap(), seen);
}

#[tokio::test]
async fn let_a_change_end_when_the_caller_leaves() {
    let fixture = Fixture::new(|builder| builder.layer(with(|_, next| Box::pin(next.run()))));
    let call = fixture.registry.call("layered_slow", json!({}));
    tokio::select! {
        biased;
        _ = call => panic!("it waits"),
        () = fixture.world.begun.notified() => {}
    }
    assert!(fixture.events.lock().unwrap().is_empty(), "it still runs");
    fixture.world.door.0.add_permits(1);
    fixture.registry.drain().await;
    assert_eq!(fixture.world.runs(), 1);
    let event = fixture.event();
    assert_eq!(
        (&event["outcome"], &event["reported"], &event["bytesOut"]),
        (&json!("success"), &json!("cancelled"), &json!(4))
    );
}

#[tokio::test]
async fn cancel_what_modifies_nothing_when_the_caller_leaves() {
    let fixture = Fixture::new(|builder| builder.layer(with(|_, next| Box::pin(next.run()))));
    tokio::select! {
        biased;
        _ = fixture.registry.call("layered_waiting", json!({})) => panic!("it waits"),
        () = fixture.world.begun.notified() => {}
    }
    let event = fixture.event();
    assert_eq!((&event["outcome"], event.get("reported")), (&json!("cancelled"), None));
    fixture.world.door.0.add_permits(1);
    fixture.registry.drain().await;
    assert_eq!(fixture.world.runs(), 0);
}

#[tokio::test]
async fn give_up_a_call_that_goes_on() {
    let world = Arc::<Mutex<Option<Arc<World>>>>::default();
    let seen = Arc::clone(&world);
    let fixture = Fixture::new(|builder| {
        builder.layer(with(move |_, next| {
            let world = seen.lock().unwrap().clone().unwrap();
            Box::pin(async move {
                tokio::select! {
                    biased;
                    result = next.run() => result,
                    () = world.begun.notified() => Err(Failure::new(FailureKind::Disabled, "too slow")),
                }
            })
        }))
    });
    *world.lock().unwrap() = Some(Arc::clone(&fixture.world));
    let failure = fixture.registry.call("layered_slow", json!({})).await.unwrap_err();
    assert_eq!(failure.message(), "too slow");
    assert!(fixture.events.lock().unwrap().is_empty(), "it still runs");
    fixture.world.door.0.add_permits(1);
    fixture.registry.drain().await;
    let event = fixture.event();
    assert_eq!((&event["outcome"], &event["reported"]), (&json!("success"), &json!("refused")));
}

#[tokio::test(start_paused = true)]
async fn have_no_time_limit_and_no_permit() {
    let fixture = Fixture::new(|builder| {
        let builder = builder.timeout(Duration::from_secs(1)).concurrency(1).queue(0);
        builder.layer(with(|_, next| {
            Box::pin(async move {
                tokio::time::sleep(Duration::from_secs(5)).await;
                let first = next.try_clone();
                let result = next.run().await;
                match first {
                    // Each run has the whole time.
                    Some(again) if result.is_err() => again.run().await,
                    _ => result,
                }
            })
        }))
    });
    let call = || fixture.registry.call("layered_length", json!({"text": "four"}));
    let (one, other) = tokio::join!(call(), call());
    assert_eq!((one.unwrap().value(), other.unwrap().value()), (json!(4), json!(4)));
    fixture.events.lock().unwrap().clear();
    let (result, audited) = fixture.call("layered_waiting", json!({})).await;
    assert_eq!((kind(&result), audited), (FailureKind::Timeout, json!("timeout")));
}

#[tokio::test]
async fn wait_for_a_permit_in_each_run() {
    let fixture =
        Fixture::new(|builder| builder.concurrency(1).queue(0).layer(with(|_, next| Box::pin(next.run()))));
    let waiting = tokio::spawn({
        let registry = fixture.registry.clone();
        async move { registry.call("layered_waiting", json!({})).await }
    });
    fixture.world.begun.notified().await;
    let refused = fixture.registry.call("layered_length", json!({"text": "four"})).await.unwrap_err();
    assert_eq!((refused.kind(), fixture.world.runs()), (FailureKind::Busy, 0), "it did not run");
    fixture.world.door.0.add_permits(1);
    waiting.await.unwrap().unwrap();
    fixture.registry.call("layered_length", json!({"text": "four"})).await.unwrap();
    assert_eq!(fixture.world.runs(), 2);
}

/// Answers nothing for now.
struct Deferring(Arc<Mutex<Vec<usize>>>);

impl ClientRequests for Deferring {
    fn supports(&self, _: AskKind) -> bool {
        true
    }

    fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(async { Ok(AskOutcome::Deferred) })
    }

    fn suspended(&self, questions: Vec<Question>) {
        self.0.lock().unwrap().push(questions.len());
    }
}

#[tokio::test]
async fn ask_once_however_often_they_run_a_call() {
    let fixture = Fixture::new(|builder| {
        builder.layer(with(|_, next| {
            Box::pin(async move {
                let again = next.try_clone().unwrap();
                next.run().await.unwrap_err();
                again.run().await
            })
        }))
    });
    let suspended = Arc::<Mutex<Vec<usize>>>::default();
    let options = CallOptions::new().client(Arc::new(Deferring(Arc::clone(&suspended))));
    let reply = fixture.registry.call_with("layered_asking", b"{}", &options).await;
    assert_eq!(reply.result.unwrap_err().kind(), FailureKind::InputRequired);
    assert_eq!((fixture.world.runs(), &*suspended.lock().unwrap()), (1, &vec![1]));
    assert_eq!(fixture.event()["outcome"], "input_required");
}

#[test]
fn need_no_runtime() {
    let fixture = Fixture::new(|builder| builder.layer(with(|_, next| Box::pin(next.run()))));
    let ada = fixture.registry.as_principal(Principal::new("ada").grant("see"));
    tool_core::private::block_on(ada.call("layered_permitted", json!({}))).unwrap();
    assert_eq!((fixture.world.runs(), &fixture.event()["principal"]), (1, &json!("ada")));
}
