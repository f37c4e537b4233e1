//! One audit event per call, for every outcome.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use tool_core::audit::AuditEvent;
use tool_core::{
    Access, CallOptions, Context, DynamicTool, Failure, FailureKind, Operation, Output, Principal, Registry,
    RegistryBuilder, State, ToolDefinition, TraceParent, Unmet, adapter, tool,
};

use crate::builder_of;

/// Returns a text.
#[tool(operation = Read)]
fn text() -> &'static str {
    "four"
}

/// Fails.
#[tool(operation = Read)]
fn fail() -> Result<(), String> {
    Err("no".to_owned())
}

/// Panics.
#[tool(operation = Read)]
fn panic() {
    panic!("no");
}

/// Needs a permission.
#[tool(operation = Read, permission = "see")]
fn permitted() {}

fn missing() -> Result<(), Unmet> {
    Err(Unmet::new("set it up"))
}

/// Needs what is not there.
#[tool(operation = Read, requires = [missing])]
fn required() {}

fn never(_: &Principal, _: &u8) -> Access {
    Access::deny("not this one")
}

/// Is always denied.
#[tool(operation = Read, access = never(n))]
fn guarded(n: u8) -> u8 {
    n
}

/// Changes something.
#[tool(operation = Write, destructive = false)]
async fn write(#[inject] world: State<World>) {
    world.begun.notify_one();
    world.door.acquire().await.unwrap().forget();
}

/// Waits.
#[tool(operation = Read)]
async fn wait(#[inject] world: State<World>) {
    world.begun.notify_one();
    std::future::pending::<()>().await;
}

/// Returns the trace.
#[tool(operation = Read)]
fn trace(#[inject] context: Context) -> String {
    context.traceparent().map(|trace| trace.to_string()).unwrap_or_default()
}

struct World {
    begun: Notify,
    door: Semaphore,
}

/// A registry that records its calls, with some of them running at once.
fn recorded(
    with: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
) -> (Registry, Arc<World>, Arc<Mutex<Vec<Value>>>) {
    let world = Arc::new(World { begun: Notify::new(), door: Semaphore::new(0) });
    let events = Arc::<Mutex<Vec<Value>>>::default();
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let builder = with(builder_of(module_path!()).shared_state(Arc::clone(&world)).audit(sink));
    (builder.build().unwrap(), world, events)
}

fn take_events(events: &Mutex<Vec<Value>>) -> Vec<Value> {
    std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner))
}

#[tokio::test]
async fn records_every_outcome_once() {
    let (registry, _, events) = recorded(RegistryBuilder::hide_denied);
    for (name, arguments, outcome) in [
        ("text", "{}", "success"),
        ("nobody_knows", "{}", "tool_not_found"),
        ("permitted", "{}", "tool_not_found"),
        ("required", "{}", "requirements"),
        ("text", "{", "invalid_input"),
        ("text", r#"{"a":1}"#, "invalid_input"),
        ("guarded", r#"{"n":1}"#, "access_denied"),
        ("fail", "{}", "execution_failed"),
        ("panic", "{}", "internal"),
    ] {
        let reply = registry.call_with(name, arguments.as_bytes(), &CallOptions::new()).await;
        let [event] = &take_events(&events)[..] else { panic!("not one event for {name}") };
        assert_eq!(event["outcome"], outcome, "{name}");
        assert_eq!((&event["name"], &event["callId"]), (&json!(name), &json!(reply.call_id.to_string())));
    }
    let (registry, _, events) = recorded(RegistryBuilder::read_only);
    for (name, outcome) in [("permitted", "access_denied"), ("write", "refused")] {
        registry.call_with(name, b"{}", &CallOptions::new()).await.result.unwrap_err();
        let [event] = &take_events(&events)[..] else { panic!("not one event for {name}") };
        assert_eq!(event["outcome"], outcome, "{name}");
    }
}

#[test]
fn records_calls_that_an_adapter_refuses() {
    let (registry, _, events) = recorded(|builder| builder);
    for (name, outcome) in
        [("write", "refused"), ("permitted", "access_denied"), ("nobody_knows", "tool_not_found")]
    {
        let unconfirmed = Failure::new(FailureKind::Disabled, "it was not confirmed");
        let reply = adapter::refuse(&registry, name, b"{}", unconfirmed);
        assert_eq!(reply.result.unwrap_err().kind().codes().error_type, outcome);
        let [event] = &take_events(&events)[..] else { panic!("not one event for {name}") };
        assert_eq!(
            (&event["outcome"], &event["name"], &event["bytesIn"]),
            (&json!(outcome), &json!(name), &json!(2))
        );
        assert_eq!(event["callId"], reply.call_id.to_string());
    }
}

#[tokio::test]
async fn records_caller_tool_and_outcome() {
    let (registry, _, events) = recorded(|builder| builder.audit_key([7; 32]));
    let trace: TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    let caller =
        registry.as_principal(Principal::new("ada")).with_options(&CallOptions::new().trace(Some(trace)));
    let reply = caller.call_with("text", b" {} ", &CallOptions::new()).await;
    let events = take_events(&events);
    let [event] = &events[..] else { panic!("not one event: {events:?}") };
    let hash = blake3::keyed_hash(&[7; 32], b" {} ").to_hex();
    assert_eq!(
        *event,
        json!({
            "callId": reply.call_id.to_string(),
            "principal": "ada",
            "kind": "tool",
            "name": "text",
            "digest": registry.get("text").unwrap().digest().to_string(),
            "argumentsDigest": format!("blake3:{hash}"),
            "outcome": "success",
            "durationMs": event["durationMs"],
            "bytesIn": 4,
            "bytesOut": 4,
            "traceparent": trace.to_string(),
        })
    );
    assert_eq!(caller.call("trace", json!({})).await.unwrap().value(), trace.to_string());
    assert_eq!(registry.call("trace", json!({})).await.unwrap().value(), "");
}

#[tokio::test]
async fn records_how_long_a_call_took() {
    let took = Duration::from_millis(5);
    let definition = ToolDefinition::builder("spins", "Takes a while.").operation(Operation::Read);
    let tool = DynamicTool::new(definition.build().unwrap(), move |_, _: Value| async move {
        let began = Instant::now();
        while began.elapsed() < took {
            std::hint::spin_loop();
        }
        Ok(Output::text("done"))
    });
    let recorded = Arc::<Mutex<Vec<Duration>>>::default();
    let durations = Arc::clone(&recorded);
    let sink = move |event: &AuditEvent<'_>| durations.lock().unwrap().push(event.duration);
    let registry = Registry::builder().tool(tool).audit(sink).build().unwrap();
    registry.call("spins", json!({})).await.unwrap();
    let recorded = recorded.lock().unwrap();
    assert!(matches!(recorded[..], [duration] if duration >= took), "{recorded:?}");
}

#[tokio::test]
async fn keys_argument_digests_by_process_or_configuration() {
    let digest = async |with: fn(RegistryBuilder) -> RegistryBuilder, arguments: &[u8]| {
        let (registry, _, events) = recorded(with);
        let _ = registry.call_with("text", arguments, &CallOptions::new()).await;
        take_events(&events)[0]["argumentsDigest"].as_str().unwrap().to_owned()
    };
    let plain = |builder: RegistryBuilder| builder;
    let with_key = |builder: RegistryBuilder| builder.audit_key([1; 32]);
    let first = digest(plain, b"{}").await;
    assert_eq!(first, digest(plain, b"{}").await, "one process has one key");
    assert_ne!(first, digest(plain, b"{ }").await);
    assert_ne!(first, digest(with_key, b"{}").await);
    let guess = format!("blake3:{}", blake3::hash(b"{}").to_hex());
    assert_ne!(first, guess, "it can be found by trying");
    assert_ne!(first, format!("blake3:{}", blake3::keyed_hash(&[0; 32], b"{}").to_hex()));
}

#[tokio::test]
async fn records_unknown_names() {
    let (registry, _, events) = recorded(|builder| builder);
    let caller = registry.as_principal(Principal::anonymous());
    caller.call_with(&"é".repeat(1_000), b"", &CallOptions::new()).await.result.unwrap_err();
    let events = take_events(&events);
    let [event] = &events[..] else { panic!("not one event: {events:?}") };
    assert_eq!(event["name"], "é".repeat(128));
    assert!(event.get("digest").is_none() && event.get("principal").is_none(), "{event}");
}

/// Calls in a task, which can be aborted.
fn call(registry: &Registry, name: &'static str) -> tokio::task::JoinHandle<FailureKind> {
    let registry = registry.clone();
    tokio::spawn(async move {
        registry.call_with(name, b"{}", &CallOptions::new()).await.result.map(|_| ()).unwrap_err().kind()
    })
}

#[tokio::test]
async fn records_canceled_reads() {
    let (registry, world, events) = recorded(|builder| builder);
    let read = call(&registry, "wait");
    world.begun.notified().await;
    read.abort();
    assert!(read.await.unwrap_err().is_cancelled());
    let events = take_events(&events);
    let [event] = &events[..] else { panic!("not one event: {events:?}") };
    assert_eq!((&event["outcome"], event.get("reported")), (&json!("cancelled"), None));
}

#[tokio::test]
async fn records_abandoned_writes_when_they_end() {
    let (registry, world, events) = recorded(|builder| builder);
    let change = call(&registry, "write");
    world.begun.notified().await;
    change.abort();
    assert!(change.await.unwrap_err().is_cancelled());
    assert!(take_events(&events).is_empty());
    world.door.add_permits(1);
    registry.drain().await;
    let events = take_events(&events);
    let [event] = &events[..] else { panic!("not one event: {events:?}") };
    assert_eq!((&event["outcome"], &event["reported"]), (&json!("success"), &json!("cancelled")));
}

#[test]
fn records_writes_dropped_with_the_runtime() {
    let (registry, world, events) = recorded(|builder| builder);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let change = call(&registry, "write");
        world.begun.notified().await;
        drop(change);
    });
    drop(runtime);
    let events = take_events(&events);
    let [event] = &events[..] else { panic!("not one event: {events:?}") };
    assert_eq!(event["outcome"], "cancelled");
}

#[tokio::test]
async fn records_queued_calls_that_are_rejected_or_canceled() {
    let (registry, world, events) = recorded(|builder| builder.concurrency(1).queue(1));
    let inside = call(&registry, "wait");
    world.begun.notified().await;
    let waits = call(&registry, "wait");
    // Lets it enter the queue before the next call.
    tokio::task::yield_now().await;
    assert_eq!(
        registry.call_with("text", b"{}", &CallOptions::new()).await.result.unwrap_err().kind(),
        FailureKind::Busy
    );
    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    inside.abort();
    assert!(inside.await.unwrap_err().is_cancelled());
    let outcomes: Vec<_> = take_events(&events).iter().map(|event| event["outcome"].clone()).collect();
    assert_eq!(outcomes, ["busy", "cancelled", "cancelled"]);
    registry.call_with("text", b"{}", &CallOptions::new()).await.result.unwrap();
}

#[tokio::test]
async fn survives_panicking_sinks() {
    let registry = builder_of(module_path!())
        .shared_state(Arc::new(World { begun: Notify::new(), door: Semaphore::new(1) }))
        .audit(|_: &AuditEvent<'_>| panic!("the disk is full"))
        .build()
        .unwrap();
    for name in ["text", "write", "text"] {
        registry.call_with(name, b"{}", &CallOptions::new()).await.result.unwrap();
    }
    assert_eq!(
        registry.call_with("panic", b"{}", &CallOptions::new()).await.result.unwrap_err().kind(),
        FailureKind::Internal
    );
    assert_eq!(
        registry.call_with("nope", b"{}", &CallOptions::new()).await.result.unwrap_err().kind(),
        FailureKind::NotFound
    );
}
