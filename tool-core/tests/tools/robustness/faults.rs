//! Rows 87 to 96: functions that panic, never return, block, run on, return too much, or fail with more than
//! their caller may see.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tool_core::failure::Reason;
use tool_core::{Access, CallOptions, Content, Context, FailureKind, Principal, State, tool};

use super::{Recorded, SECRET};

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bomb of {SECRET}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Fault {
    Str,
    String,
    Payload,
    PayloadThatPanics,
    InDrop,
    AfterWaiting,
    InDropAfterWaiting,
    Overflow,
    Index,
    Unwrap,
}

#[allow(
    clippy::unnecessary_literal_unwrap,
    unconditional_panic,
    arithmetic_overflow,
    reason = "the faults of others"
)]
fn commit(fault: &Fault) {
    let zero = std::hint::black_box(0_usize);
    match fault {
        Fault::Str | Fault::AfterWaiting => panic!("hunter2"),
        Fault::String => panic!("{SECRET}"),
        Fault::Payload => std::panic::panic_any(Arc::new(SECRET)),
        Fault::PayloadThatPanics => std::panic::panic_any(Bomb),
        Fault::InDrop | Fault::InDropAfterWaiting => drop(Bomb),
        Fault::Overflow => drop(zero - std::hint::black_box(1)),
        Fault::Index => assert_eq!([1][zero + 1], 1),
        Fault::Unwrap => drop(None::<u8>.unwrap()),
    }
}

/// Commits a fault.
#[tool(operation = Read)]
fn at_once(fault: Fault) {
    commit(&fault);
}

/// Commits a fault, having waited.
#[tool(operation = Read)]
async fn later(fault: Fault) {
    tokio::task::yield_now().await;
    let _bomb = matches!(fault, Fault::InDropAfterWaiting).then_some(Bomb);
    tokio::task::yield_now().await;
    if !matches!(fault, Fault::InDropAfterWaiting) {
        commit(&fault);
    }
}

/// Commits a fault in a spawned task.
#[tool(operation = Write, destructive = false)]
async fn spawned(fault: Fault) {
    tokio::task::yield_now().await;
    commit(&fault);
}

/// Commits a fault on another thread.
#[tool(operation = Read, blocking)]
fn off_thread(fault: Fault) {
    commit(&fault);
}

#[tokio::test]
async fn rows_87_and_89_contain_panics_with_any_payload() {
    let recorded = recorded();
    let faults = [
        "str",
        "string",
        "payload",
        "payload_that_panics",
        "in_drop",
        "after_waiting",
        "in_drop_after_waiting",
        "overflow",
        "index",
        "unwrap",
    ];
    for tool in ["at_once", "later", "spawned", "off_thread"] {
        for fault in faults {
            let row = format!("87, 89. {fault} in `{tool}`");
            let failed = recorded.fails(&row, tool, json!({"fault": fault}).to_string()).await;
            assert_eq!(failed, (FailureKind::Internal, "internal error".to_owned()), "{row}");
        }
    }
}

/// Panics when it is dropped, if `lit`.
#[derive(Deserialize, JsonSchema)]
struct Fused {
    lit: bool,
}

impl Drop for Fused {
    fn drop(&mut self) {
        assert!(!self.lit, "a fuse of {SECRET}");
    }
}

impl Serialize for Fused {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("lit", self.lit)])
    }
}

/// Returns what panics when it is dropped.
#[tool(operation = Read)]
fn fused_output(lit: bool) -> Fused {
    Fused { lit }
}

/// Takes what panics when it is dropped.
#[tool(operation = Read)]
fn fused_input(fused: Fused, number: Option<u8>) -> bool {
    fused.lit && number.is_none()
}

/// The same, with a future that holds it.
#[tool(operation = Write, destructive = false)]
async fn fused_future(fused: Fused, number: Option<u8>) -> bool {
    tokio::task::yield_now().await;
    fused.lit && number.is_none()
}

fn deny_all(_: &Principal, _: &Fused) -> Access {
    Access::deny("nobody may")
}

/// The same, but always denied.
#[tool(operation = Read, access = deny_all(fused))]
fn fused_denied(fused: Fused, number: Option<u8>) -> bool {
    fused.lit && number.is_none()
}

/// Holds what panics when it is dropped, for ever.
#[tool(operation = Read, timeout = "30s")]
async fn fused_forever() {
    let _bomb = Bomb;
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn row_87_contains_panics_on_drop() {
    let recorded = recorded();
    let lit = |rest: &str| format!(r#"{{"fused":{{"lit":true}}{rest}}}"#);
    for (row, tool, arguments) in [
        ("87. a returned value", "fused_output", r#"{"lit":true}"#.to_owned()),
        ("87. an input", "fused_input", lit("")),
        ("87. an input of a task", "fused_future", lit("")),
        ("87. an input that is denied", "fused_denied", lit("")),
        // Both inputs are decoded, and the valid one is dropped.
        ("87. an input beside one that cannot be read", "fused_input", lit(r#","number":256"#)),
    ] {
        let (kind, text) = recorded.fails(row, tool, &arguments).await;
        assert!(matches!(kind, FailureKind::Internal | FailureKind::Input), "{row}: {text}");
        assert!(!text.contains(SECRET), "{row}: {text}");
    }
    let checked = recorded.registry.validate("fused_input", lit("").as_bytes()).unwrap_err();
    assert_eq!(checked.kind(), FailureKind::Internal, "validation decodes the value");
}

#[tokio::test(start_paused = true)]
async fn row_87_times_out_futures_that_panic_on_drop() {
    let recorded = recorded();
    assert_eq!(recorded.fails("87, 90", "fused_forever", "").await.0, FailureKind::Timeout);
}

/// Panics while it holds the lock of the application.
#[tool(operation = Read)]
fn hold(#[inject] world: State<World>) {
    let _held = world.lock.lock().unwrap_or_else(PoisonError::into_inner);
    panic!("holding it");
}

/// Takes the lock of the application.
#[tool(operation = Read)]
fn take(#[inject] world: State<World>) -> u8 {
    *world.lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[tokio::test]
async fn row_88_survives_panics_under_a_lock() {
    let recorded = recorded();
    assert_eq!(recorded.fails("88", "hold", "").await.0, FailureKind::Internal);
    assert_eq!(
        recorded.call("88. the lock is poisoned, and ours are not", "take", "").await.unwrap().value(),
        0
    );
}

/// What the functions of this test share.
#[derive(Default)]
struct World {
    lock: Mutex<u8>,
    begun: Notify,
    dropped: Notify,
    cancelled: Notify,
    door: ClosedSemaphore,
    free: (Mutex<bool>, Condvar),
}

/// A semaphore without permits.
struct ClosedSemaphore(Semaphore);

impl Default for ClosedSemaphore {
    fn default() -> Self {
        ClosedSemaphore(Semaphore::new(0))
    }
}

impl World {
    fn open(&self) {
        self.door.0.add_permits(1);
    }

    async fn wait(&self) {
        self.door.0.acquire().await.unwrap().forget();
    }
}

/// Signals when it is dropped.
struct Dropped(State<World>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

/// Never returns.
#[tool(operation = Read, timeout = "30s")]
async fn read_forever(#[inject] world: State<World>, #[inject] context: Context) {
    let _dropped = Dropped(world.clone());
    let state = world.clone();
    context.spawn({
        let context = context.clone();
        async move {
            context.cancelled().await;
            state.cancelled.notify_one();
        }
    });
    std::future::pending::<()>().await;
}

/// Returns when the door is opened.
#[tool(operation = Write, destructive = false, timeout = "30s")]
async fn write_slowly(#[inject] world: State<World>) {
    world.begun.notify_one();
    world.wait().await;
}

// The paused clock advances only when the runtime is idle.
#[tokio::test(start_paused = true)]
async fn row_90_drops_reads_on_timeout() {
    let recorded = recorded();
    let (kind, text) = recorded.fails("90", "read_forever", "").await;
    assert_eq!((kind, text.as_str()), (FailureKind::Timeout, "`read_forever` did not end within 30s"));
    let world = Arc::clone(&recorded.world);
    world.dropped.notified().await;
    world.cancelled.notified().await;
}

#[tokio::test(start_paused = true)]
async fn row_90_finishes_writes_after_a_timeout() {
    let recorded = recorded();
    let failure = recorded.registry.call("write_slowly", json!({})).await.unwrap_err();
    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Timeout, false));
    assert_eq!(recorded.registry.drain_within(Duration::from_secs(60)).await, 1);
    assert!(recorded.events.take().is_empty(), "it has not ended");
    recorded.world.open();
    assert_eq!(recorded.registry.drain_within(Duration::from_secs(60)).await, 0);
    let event = recorded.only_event("90");
    assert_eq!((&event["outcome"], &event["reported"]), (&json!("success"), &json!("timeout")));
    assert!(event["durationMs"].as_u64().is_some());
    recorded.next("90").await;
}

#[test]
fn row_90_fails_without_a_timer() {
    let recorded = recorded();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for row in ["a runtime without timers", "no runtime"] {
        let call = recorded.fails(row, "read_forever", "");
        let failed =
            if row == "no runtime" { tool_core::private::block_on(call) } else { runtime.block_on(call) };
        assert_eq!(failed.0, FailureKind::Internal, "{row}");
    }
}

/// Blocks its thread until the door is opened.
#[tool(operation = Read, blocking)]
fn block(#[inject] world: State<World>) {
    world.begun.notify_one();
    tokio::runtime::Handle::current().block_on(world.wait());
}

#[tokio::test]
async fn row_91_limits_blocking_threads() {
    let recorded = recorded();
    let call = || {
        let registry = recorded.registry.clone();
        tokio::spawn(
            async move { registry.call_with("block", b"", &CallOptions::new()).await.result.map(|_| ()) },
        )
    };
    let (first, second) = (call(), call());
    recorded.world.begun.notified().await;
    recorded.next("91. while a thread is blocked").await;
    second.abort();
    assert!(second.await.unwrap_err().is_cancelled());
    assert_eq!(recorded.only_event("91. the second call never got the only thread")["outcome"], "cancelled");
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    recorded.next("91. while the thread of an abandoned call is blocked").await;
    recorded.world.open();
    recorded.registry.drain().await;
    let event = recorded.only_event("91");
    assert_eq!((&event["outcome"], &event["reported"]), (&json!("success"), &json!("cancelled")));
}

/// Blocks the thread of the runtime until a test frees it.
#[tool(operation = Read)]
async fn block_the_runtime(#[inject] world: State<World>) {
    world.begun.notify_one();
    let (free, changed) = &world.free;
    let limit = Duration::from_secs(60);
    drop(changed.wait_timeout_while(free.lock().unwrap(), limit, |free| !*free).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_91_other_calls_go_on_while_a_thread_is_blocked() {
    let recorded = recorded();
    let call = |tool: &'static str, arguments: &'static str| {
        let registry = recorded.registry.clone();
        tokio::spawn(async move {
            let reply = registry.call_with(tool, arguments.as_bytes(), &CallOptions::new()).await;
            reply.result.map(|output| output.value())
        })
    };
    let blocked = call("block_the_runtime", "");
    recorded.world.begun.notified().await;
    for _ in 0..10 {
        assert_eq!(call("next_call", r#"{"a":1,"b":2}"#).await.unwrap().unwrap(), 3);
        recorded.only_event("91. while a thread of the runtime is blocked");
    }
    assert!(!blocked.is_finished());
    *recorded.world.free.0.lock().unwrap() = true;
    recorded.world.free.1.notify_all();
    blocked.await.unwrap().unwrap();
    assert_eq!(recorded.only_event("91. a thread of the runtime was blocked")["outcome"], "success");
}

/// Leaves work behind.
#[tool(operation = Trigger, destructive = false)]
async fn leave_work(#[inject] world: State<World>, #[inject] context: Context) {
    context.spawn(async move { world.wait().await });
}

#[tokio::test(start_paused = true)]
async fn row_92_awaits_spawned_tasks_up_to_a_deadline() {
    let recorded = recorded();
    recorded.call("92", "leave_work", "").await.unwrap();
    assert_eq!(recorded.registry.drain_within(Duration::from_secs(10)).await, 1);
    recorded.world.open();
    assert_eq!(recorded.registry.drain_within(Duration::from_secs(10)).await, 0);
}

/// Returns as many bytes as it is asked for.
#[tool(operation = Read)]
fn fill(bytes: usize, shape: String) -> Content {
    match shape.as_str() {
        "text" => Content::text("x".repeat(bytes)),
        _ => Content::image(vec![0; bytes], "image/png"),
    }
}

/// Returns them as JSON.
#[tool(operation = Read)]
fn fill_json(bytes: usize) -> Vec<String> {
    vec!["x".repeat(bytes)]
}

#[tokio::test]
async fn row_93_rejects_large_results() {
    let recorded = recorded();
    for (tool, arguments) in [
        ("fill", r#"{"bytes":100000000,"shape":"text"}"#),
        ("fill", r#"{"bytes":100000000,"shape":"image"}"#),
        ("fill_json", r#"{"bytes":20000000}"#),
    ] {
        let failure = recorded.call("93", tool, arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other), "{tool} {arguments}");
        assert!(failure.message().contains("no more than 16777216 are sent"), "{}", failure.message());
    }
    for (row, bytes, fits) in [("at the limit", 16 << 20, true), ("beyond it", (16 << 20) + 1, false)] {
        let arguments = json!({"bytes": bytes, "shape": "text"}).to_string();
        assert_eq!(recorded.call(row, "fill", arguments).await.is_ok(), fits, "{row}");
    }
}

#[derive(JsonSchema)]
struct Liar;

/// Serializes a text, unlike its schema.
impl Serialize for Liar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(SECRET)
    }
}

/// Breaks its promise.
#[tool(operation = Read)]
fn lie() -> Vec<Liar> {
    vec![Liar]
}

#[tokio::test]
async fn row_40_rejects_outputs_that_break_their_schema() {
    let recorded =
        Recorded::new(module_path!(), |builder| builder.state(World::default()).check_outputs(true));
    assert_eq!(recorded.fails("40", "lie", "").await, (FailureKind::Internal, "internal error".to_owned()));
    let unchecked =
        Recorded::new(module_path!(), |builder| builder.state(World::default()).check_outputs(false));
    assert!(unchecked.call("40. unchecked", "lie", "").await.is_ok());
}

/// Fails with a chain of errors.
#[tool(operation = Read)]
fn fail() -> anyhow::Result<()> {
    use anyhow::Context as _;
    std::fs::read("/no/such/hunter2").context("SELECT hunter2").context("the archive is closed")?;
    Ok(())
}

#[tokio::test]
async fn row_96_reports_only_the_outermost_error() {
    let recorded = recorded();
    let failed = recorded.fails("96", "fail", "").await;
    assert_eq!(failed, (FailureKind::Failed(Reason::Other), "the archive is closed".to_owned()));
}

/// A registry with one thread for blocking functions, and the state that its functions share.
struct InWorld {
    recorded: Recorded,
    world: Arc<World>,
}

impl std::ops::Deref for InWorld {
    type Target = Recorded;

    fn deref(&self) -> &Recorded {
        &self.recorded
    }
}

fn recorded() -> InWorld {
    let world = Arc::new(World::default());
    let with =
        |builder: tool_core::RegistryBuilder| builder.shared_state(Arc::clone(&world)).blocking_threads(1);
    InWorld { recorded: Recorded::new(module_path!(), with), world }
}
