//! Calls across joined registries with concurrency limits: only calls that would deadlock are rejected.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tool_core::provider::{IntoToolsProvider as _, Providers};
use tool_core::{Failure, FailureKind, Principal, Registry, State, tool};

use crate::builder_of;

/// Ends tests that would otherwise hang.
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

/// What a call does: it waits for others, then makes calls.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
struct Plan {
    /// Waits until as many calls as the test expects have come here.
    meets: bool,
    /// Runs until the test lets it end.
    stays: bool,
    /// Makes its calls at once.
    joins: bool,
    calls: Vec<Planned>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
struct Planned {
    name: String,
    plan: Plan,
}

struct Meeting {
    barrier: Barrier,
    /// Number of calls that stay.
    staying: AtomicUsize,
    leave: Notify,
}

impl Plan {
    async fn carry_out(self, registry: &Registry, meeting: &Meeting) -> Result<(), Failure> {
        if self.meets {
            meeting.barrier.wait().await;
        }
        if self.stays {
            let leave = meeting.leave.notified();
            meeting.staying.fetch_add(1, Ordering::SeqCst);
            leave.await;
        }
        tokio::task::yield_now().await;
        let mut result = Ok(());
        if self.joins {
            let mut calls = JoinSet::new();
            for Planned { name, plan } in self.calls {
                let registry = registry.clone();
                calls.spawn(async move { registry.call(&name, json!({"plan": plan})).await.map(|_| ()) });
            }
            for called in calls.join_all().await {
                result = result.and(called);
            }
        } else {
            for Planned { name, plan } in self.calls {
                let called = registry.call(&name, json!({"plan": plan})).await.map(|_| ());
                result = result.and(called);
            }
        }
        result
    }
}

mod first {
    use super::*;

    /// Does what the plan says.
    #[tool(operation = Trigger, destructive = false, name = "circles.a")]
    async fn a(
        #[inject] registry: Registry,
        #[inject] meeting: State<Arc<Meeting>>,
        plan: Plan,
    ) -> Result<(), Failure> {
        plan.carry_out(&registry, &meeting).await
    }

    /// Does what the plan says, on a thread that it blocks.
    #[tool(operation = Trigger, destructive = false, name = "circles.blocking", blocking)]
    fn blocking(
        #[inject] registry: Registry,
        #[inject] meeting: State<Arc<Meeting>>,
        plan: Plan,
    ) -> Result<(), Failure> {
        tokio::runtime::Handle::current().block_on(plan.carry_out(&registry, &meeting))
    }

    pub(super) const PATH: &str = module_path!();
}

mod second {
    use super::*;

    /// Does what the plan says.
    #[tool(operation = Trigger, destructive = false, name = "circles.b")]
    async fn b(
        #[inject] registry: Registry,
        #[inject] meeting: State<Arc<Meeting>>,
        plan: Plan,
    ) -> Result<(), Failure> {
        plan.carry_out(&registry, &meeting).await
    }

    pub(super) const PATH: &str = module_path!();
}

/// Joins two registries with these limits.
async fn joined(limits: [usize; 2], meet: usize) -> (Registry, Arc<Meeting>) {
    queued(limits, meet, 100_000).await
}

/// Like [`joined`], with this queue size.
async fn queued(limits: [usize; 2], meet: usize, queue: usize) -> (Registry, Arc<Meeting>) {
    let (barrier, staying) = (Barrier::new(meet.max(1)), AtomicUsize::new(0));
    let meeting = Arc::new(Meeting { barrier, staying, leave: Notify::new() });
    let build = |path, limit| {
        let builder = builder_of(path).state(Arc::clone(&meeting)).concurrency(limit).queue(queue);
        builder.blocking_threads(limit).build().unwrap()
    };
    let providers = Providers::new()
        .with("first", build(first::PATH, limits[0]))
        .with("second", build(second::PATH, limits[1]));
    let tools = providers.into_provider().tools(&Principal::anonymous()).await.unwrap();
    (tools.registry().clone(), meeting)
}

fn call(name: &str, plan: Plan) -> Planned {
    Planned { name: name.to_owned(), plan }
}

fn leaf(name: &str) -> Planned {
    call(name, Plan::default())
}

fn one_by_one(calls: Vec<Planned>) -> Plan {
    Plan { calls, ..Plan::default() }
}

fn at_once(calls: Vec<Planned>) -> Plan {
    Plan { joins: true, calls, ..Plan::default() }
}

/// Runs these calls concurrently, and returns their results.
async fn run_all(registry: &Registry, calls: Vec<Planned>, label: &str) -> Vec<Result<(), Failure>> {
    let mut running = JoinSet::new();
    for Planned { name, plan } in calls {
        let registry = registry.clone();
        running.spawn(async move { registry.call(&name, json!({"plan": plan})).await.map(|_| ()) });
    }
    timeout(TEST_TIMEOUT, running.join_all()).await.unwrap_or_else(|_| panic!("{label}: calls hang"))
}

fn every_limit() -> impl Iterator<Item = [usize; 2]> {
    (1..=4).flat_map(|first| (1..=4).map(move |second| [first, second]))
}

/// Checks that the failure is a rejection that can be retried.
fn assert_rejected(failure: &Failure, label: &str) {
    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Busy, true), "{label}: {failure}");
    assert!(failure.message().contains("wait"), "{label}: {failure}");
}

/// Each call in the first registry shares its permit with a nested call, which waits for the second registry,
/// whose calls wait for the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn detects_deadlocks_through_shared_permits() {
    for limits in every_limit() {
        let label = format!("limits of {limits:?}");
        let (registry, _) = joined(limits, limits[0] + limits[1]).await;
        let meets = |name| Plan { meets: true, ..one_by_one(vec![leaf(name)]) };
        let calls = (0..limits[0]).map(|number| {
            let others = (0..limits[1]).filter(|other| other % limits[0] == number);
            let mut inner = vec![call("circles.a", meets("circles.b"))];
            inner.extend(others.map(|_| call("circles.b", meets("circles.a"))));
            call("circles.a", at_once(inner))
        });
        let ended = run_all(&registry, calls.collect(), &label).await;
        let failures: Vec<_> = ended.into_iter().filter_map(Result::err).collect();
        assert!(!failures.is_empty(), "{label}: the call that closes the cycle is rejected");
        failures.iter().for_each(|failure| assert_rejected(failure, &label));
        // No wait is left over.
        let alone = at_once(vec![leaf("circles.b"), leaf("circles.a"), leaf("circles.b")]);
        let ended = run_all(&registry, vec![call("circles.a", alone)], &label).await;
        assert!(ended.iter().all(Result::is_ok), "{label}: {ended:?}");
    }
}

/// A deterministic random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    /// Returns a plan of nested calls of these tools.
    fn plan(&mut self, names: &[&str], depth: usize) -> Plan {
        let count = if depth == 0 { 0 } else { self.below(4) };
        let mut planned = |_| {
            let name = names[self.below(names.len())];
            call(name, self.plan(names, depth - 1))
        };
        let calls = (0..count).map(&mut planned).collect();
        Plan { joins: self.below(3) > 0, calls, ..Plan::default() }
    }

    fn calls(&mut self, names: &[&str]) -> Vec<Planned> {
        (0..6)
            .map(|_| {
                let name = names[self.below(names.len())];
                call(name, self.plan(names, 4))
            })
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn finishes_random_call_trees() {
    let mut numbers = Numbers(23);
    for limits in every_limit() {
        for queue in [0, 2, 100_000] {
            let (registry, _) = queued(limits, 0, queue).await;
            for round in 0..5 {
                let calls = numbers.calls(&["circles.a", "circles.b", "circles.blocking"]);
                let label = format!("limits of {limits:?}, room for {queue}, round {round}");
                for failure in run_all(&registry, calls, &label).await.into_iter().filter_map(Result::err) {
                    assert_eq!(failure.kind(), FailureKind::Busy, "{label}: {failure}");
                }
            }
        }
    }
}

/// Calls within one registry, or in one direction only, form no cycle.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn accepts_calls_without_cycles() {
    let mut numbers = Numbers(32);
    for limits in every_limit() {
        let (registry, _) = joined(limits, 0).await;
        for round in 0..12 {
            let label = format!("limits of {limits:?}, round {round}");
            let mut calls = numbers.calls(&["circles.a"]);
            calls.push(call("circles.a", at_once((0..20).map(|_| leaf("circles.b")).collect())));
            calls.push(call("circles.a", at_once((0..20).map(|_| leaf("circles.a")).collect())));
            for ended in run_all(&registry, calls, &label).await {
                ended.unwrap_or_else(|failure| panic!("{label}: {failure}"));
            }
        }
    }
}

/// Crossing calls are accepted while another call will release a permit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn waits_for_permits_that_will_be_released() {
    for limit in 2..=4 {
        let label = format!("a limit of {limit}");
        let (registry, meeting) = joined([limit; 2], 2).await;
        let stays = || Plan { stays: true, ..Plan::default() };
        let staying = ["circles.a", "circles.b"]
            .into_iter()
            .flat_map(|name| std::iter::repeat_with(move || call(name, stays())).take(limit - 1));
        let staying = staying.collect::<Vec<_>>();
        let count = staying.len();
        let crossing = [("circles.a", "circles.b"), ("circles.b", "circles.a")];
        let crossing =
            crossing.map(|(name, other)| call(name, Plan { meets: true, ..one_by_one(vec![leaf(other)]) }));
        let staying = {
            let registry = registry.clone();
            tokio::spawn(async move { run_all(&registry, staying, "those that stay").await })
        };
        while meeting.staying.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
        let crossing = run_all(&registry, crossing.into(), &label);
        let leave = async {
            // They wait now or soon, and are not rejected in either case.
            for _ in 0..1_000 {
                tokio::task::yield_now().await;
            }
            meeting.leave.notify_waiters();
        };
        let (crossed, ()) = tokio::join!(crossing, leave);
        for ended in crossed.into_iter().chain(staying.await.unwrap()) {
            ended.unwrap_or_else(|failure| panic!("{label}: {failure}"));
        }
    }
}
