//! Injected parameters that are awaited: in order, within the time limit, and only if the call may run.

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_core::audit::AuditEvent;
use tool_core::inject::{Inject, InjectAsync, Injection, Needs, op};
use tool_core::{Access, Failure, FailureKind, Principal, Registry, State, tool};

use crate::builder_of;

/// What was injected and called so far, and how to see that an injection has begun or was dropped.
#[derive(Default)]
struct Log {
    events: Mutex<Vec<&'static str>>,
    begun: Notify,
    dropped: Notify,
}

impl Log {
    fn push(&self, event: &'static str) {
        self.events.lock().unwrap().push(event);
    }
}

fn log<Op>(source: &Injection<'_, Op>) -> Arc<Log> {
    source.state::<Log>().unwrap()
}

/// The user who calls, found by waiting.
struct User(String);

impl<Op> InjectAsync<Op> for User {
    fn needs(needs: &mut Needs) {
        needs.state::<Log>();
    }

    async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        struct Dropped(Arc<Log>);

        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.dropped.notify_one();
            }
        }

        let log = log(source);
        let _dropped = Dropped(Arc::clone(&log));
        tokio::task::yield_now().await;
        log.push("user");
        let principal = source.context().principal();
        assert!(!principal.has("panic"), "in an injection");
        if principal.has("wait") {
            log.begun.notify_one();
            pending::<()>().await;
        }
        match principal.id() {
            Some(id) => Ok(User(id.to_owned())),
            None => Err(Failure::new(FailureKind::Denied, "nobody is logged in")),
        }
    }
}

/// A value that is injected without waiting.
struct Clock;

impl<Op> Inject<Op> for Clock {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        log(source).push("clock");
        if source.context().principal().has("stopped") {
            return Err(Failure::new(FailureKind::Busy, "the clock has stopped"));
        }
        Ok(Clock)
    }
}

/// A value that can be injected in both ways.
struct Both(&'static str);

impl<Op> Inject<Op> for Both {
    fn needs(_: &mut Needs) {}

    fn inject(_: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(Both("at once"))
    }
}

impl InjectAsync<op::Read> for Both {
    fn needs(_: &mut Needs) {}

    async fn inject(source: &Injection<'_, op::Read>) -> Result<Self, Failure> {
        // An injection may build on others.
        let User(_) = <User as InjectAsync<op::Read>>::inject(source).await?;
        Ok(Both("later"))
    }
}

/// Greets the user.
#[tool(operation = Read)]
fn plain(#[inject] _clock: Clock, number: u8, #[inject] user: User, #[inject] log: State<Log>) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

/// Greets the user, and waits.
#[tool(operation = Read)]
async fn waiting(
    number: u8,
    #[inject] _clock: Clock,
    #[inject] user: User,
    #[inject] log: State<Log>,
) -> String {
    tokio::task::yield_now().await;
    log.push("tool");
    format!("{number} {}", user.0)
}

/// Greets the user on a thread.
#[tool(operation = Read, blocking)]
fn blocking(#[inject] _clock: Clock, #[inject] user: User, #[inject] log: State<Log>, number: u8) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

/// Greets the user and changes something.
#[tool(operation = Write, destructive = false)]
async fn writing(
    #[inject] _clock: Clock,
    #[inject] user: User,
    #[inject] log: State<Log>,
    number: u8,
) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

fn even(_: &Principal, number: &u8) -> Access {
    if number.is_multiple_of(2) { Access::Allow } else { Access::deny("it is odd") }
}

/// Greets the user if the number is even.
#[tool(operation = Read, access = even(number))]
fn guarded(#[inject] _clock: Clock, #[inject] user: User, #[inject] log: State<Log>, number: u8) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

async fn not_eve(_: &Principal, user: &User, log: &State<Log>) -> Access {
    tokio::task::yield_now().await;
    log.push("access");
    if user.0 == "eve" { Access::deny("not you") } else { Access::Allow }
}

/// Passes the user to its access function.
#[tool(operation = Read, access = not_eve(user, log))]
async fn shown(
    #[inject] user: User,
    number: u8,
    #[inject] _clock: Clock,
    #[inject] log: State<Log>,
) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

/// Passes the user to its access function, and blocks.
#[tool(operation = Read, blocking, access = not_eve(user, log))]
fn shown_blocking(
    #[inject] user: User,
    number: u8,
    #[inject] _clock: Clock,
    #[inject] log: State<Log>,
) -> String {
    log.push("tool");
    format!("{number} {}", user.0)
}

/// Has more parameters than one tuple holds.
#[tool(operation = Read)]
#[expect(clippy::too_many_arguments, reason = "their number is what is tested")]
fn many(
    #[inject] _clock: Clock,
    a: Option<u8>,
    b: Option<u8>,
    c: Option<u8>,
    d: Option<u8>,
    e: Option<u8>,
    f: Option<u8>,
    g: Option<u8>,
    number: u8,
    #[inject] user: User,
    #[inject] log: State<Log>,
) -> String {
    log.push("tool");
    assert_eq!([a, b, c, d, e, f, g], [None; 7]);
    format!("{number} {}", user.0)
}

#[tool]
impl Log {
    /// Is a method.
    #[tool(operation = Read)]
    async fn method(&self, #[inject] _clock: Clock, #[inject] user: User, number: u8) -> String {
        self.push("tool");
        format!("{number} {}", user.0)
    }

    /// Is an associated function.
    #[tool(operation = Read)]
    fn associated(
        #[inject] _clock: Clock,
        #[inject] user: User,
        #[inject] log: State<Self>,
        number: u8,
    ) -> String {
        log.push("tool");
        format!("{number} {}", user.0)
    }
}

/// Has a time limit.
#[tool(operation = Read, timeout = "20ms")]
async fn limited(#[inject] user: User) -> String {
    user.0
}

/// Says how it got its value.
#[tool(operation = Read)]
fn read_both(#[inject] both: Both) -> &'static str {
    both.0
}

/// Says how it got its value.
#[tool(operation = Transform)]
fn transform_both(#[inject] both: Both) -> &'static str {
    both.0
}

fn registry(principal: Principal) -> (Registry, Arc<Log>) {
    let log = Arc::<Log>::default();
    let registry = builder_of(module_path!()).shared_state(Arc::clone(&log)).build().unwrap();
    (registry.as_principal(principal), log)
}

fn ada() -> Principal {
    Principal::new("ada")
}

async fn call(
    principal: Principal,
    name: &str,
    arguments: Value,
) -> (Result<Value, FailureKind>, Vec<&'static str>) {
    let (registry, log) = registry(principal);
    let result = registry.call(name, arguments).await;
    let events = log.events.lock().unwrap().clone();
    (result.map(|output| output.value()).map_err(|failure| failure.kind()), events)
}

/// The tools that take a clock and a user, in this order.
const IN_ORDER: [&str; 8] =
    ["plain", "waiting", "blocking", "writing", "guarded", "many", "method", "associated"];
/// The tools whose access function takes a user.
const SHOWN: [&str; 2] = ["shown", "shown_blocking"];

#[tokio::test]
async fn injects_once_and_in_order() {
    for name in IN_ORDER {
        // Plain, spelled differently, and coerced.
        for number in [json!(2), json!(2.0), json!("2")] {
            let (result, events) = call(ada(), name, json!({"number": number})).await;
            assert_eq!(result, Ok(json!("2 ada")), "{name} {number}");
            assert_eq!(events, ["clock", "user", "tool"], "{name} {number}");
        }
    }
    for name in SHOWN {
        let (result, events) = call(ada(), name, json!({"number": 2})).await;
        assert_eq!(result, Ok(json!("2 ada")), "{name}");
        assert_eq!(events, ["user", "access", "clock", "tool"], "{name}");
    }
}

#[tokio::test]
async fn injects_nothing_for_invalid_arguments() {
    for name in IN_ORDER.iter().chain(&SHOWN) {
        let (result, events) = call(ada(), name, json!({"number": "x"})).await;
        assert_eq!((result, events), (Err(FailureKind::Input), vec![]), "{name}");
    }
}

#[tokio::test]
async fn failed_injections_end_the_call() {
    for name in IN_ORDER {
        let (result, events) = call(Principal::anonymous(), name, json!({"number": 2})).await;
        assert_eq!((result, events), (Err(FailureKind::Denied), vec!["clock", "user"]), "{name}");
        let (result, events) = call(ada().grant("stopped"), name, json!({"number": 2})).await;
        assert_eq!((result, events), (Err(FailureKind::Busy), vec!["clock"]), "{name}");
    }
    for name in SHOWN {
        let (result, events) = call(Principal::anonymous(), name, json!({"number": 2})).await;
        assert_eq!((result, events), (Err(FailureKind::Denied), vec!["user"]), "{name}");
        let (result, events) = call(ada().grant("stopped"), name, json!({"number": 2})).await;
        assert_eq!((result, events), (Err(FailureKind::Busy), vec!["user", "access", "clock"]), "{name}");
    }
}

#[tokio::test]
async fn injects_only_access_parameters_for_denied_calls() {
    let (result, events) = call(ada(), "guarded", json!({"number": 3})).await;
    assert_eq!((result, events), (Err(FailureKind::Denied), vec![]));
    for name in SHOWN {
        let (result, events) = call(Principal::new("eve"), name, json!({"number": 2})).await;
        assert_eq!((result, events), (Err(FailureKind::Denied), vec!["user", "access"]), "{name}");
    }
}

#[tokio::test]
async fn panics_in_injections_are_internal() {
    for name in IN_ORDER.iter().chain(&SHOWN) {
        let (result, events) = call(ada().grant("panic"), name, json!({"number": 2})).await;
        assert_eq!(result, Err(FailureKind::Internal), "{name}");
        assert_eq!(events.last(), Some(&"user"), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_covers_injections() {
    let (registry, _) = registry(ada().grant("wait"));
    let failure = registry.call("limited", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Timeout);
    assert_eq!(failure.message(), "`limited` did not start within 20ms");
}

#[tokio::test]
async fn dropped_calls_drop_their_injection() {
    for name in IN_ORDER.iter().chain(&SHOWN) {
        let (registry, log) = registry(ada().grant("wait"));
        {
            let arguments = json!({"number": 2});
            let calling = registry.call(name, arguments);
            tokio::select! {
                _ = calling => panic!("{name} has ended"),
                () = log.begun.notified() => {}
            }
        }
        log.dropped.notified().await;
        assert!(!log.events.lock().unwrap().contains(&"tool"), "{name}");
    }
}

#[tokio::test]
async fn failed_injections_are_audited() {
    let log = Arc::<Log>::default();
    let events = Arc::<Mutex<Vec<Value>>>::default();
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let registry = builder_of(module_path!()).shared_state(log).audit(sink).build().unwrap();
    let anonymous = registry.as_principal(Principal::anonymous());
    for name in IN_ORDER.iter().chain(&SHOWN) {
        anonymous.call(name, json!({"number": 2})).await.unwrap_err();
        let audited: Vec<Value> = events.lock().unwrap().drain(..).collect();
        assert_eq!(audited.len(), 1, "{name}");
        assert_eq!(
            (&audited[0]["name"], &audited[0]["outcome"]),
            (&json!(name), &json!("access_denied")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn prefers_the_asynchronous_injection() {
    let (result, events) = call(ada(), "read_both", json!({})).await;
    assert_eq!((result, events), (Ok(json!("later")), vec!["user"]));
    let (result, events) = call(ada(), "transform_both", json!({})).await;
    assert_eq!((result, events), (Ok(json!("at once")), vec![]));
}

#[test]
fn needs_of_asynchronous_injections_are_checked() {
    let errors = builder_of(module_path!()).build().unwrap_err().to_string();
    assert!(errors.contains("async_injection::Log"), "{errors}");
}

#[tokio::test]
async fn waits_with_a_permit() {
    let log = Arc::<Log>::default();
    let builder = builder_of(module_path!()).shared_state(Arc::clone(&log)).concurrency(1).queue(2);
    let registry = builder.timeout(Duration::from_secs(60)).build().unwrap().as_principal(ada());
    let calls = ["plain", "blocking", "shown"].map(|name| registry.call(name, json!({"number": 2})));
    let [first, second, third] = calls;
    let (first, second, third) = tokio::join!(first, second, third);
    for result in [first, second, third] {
        assert_eq!(result.unwrap().value(), "2 ada");
    }
    let events = log.events.lock().unwrap();
    assert_eq!(events[..3], ["clock", "user", "tool"], "one call after the other");
}

/// A tool can be called as the function that it is.
#[test]
fn unit_tests_need_no_registry() {
    let log = State::new(Log::default());
    assert_eq!(plain(Clock, 1, User("ada".to_owned()), log), "1 ada");
}
