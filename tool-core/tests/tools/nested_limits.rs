//! Nested calls under concurrency limits: none of them deadlocks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::time::timeout;
use tool_core::provider::{IntoToolsProvider as _, Providers};
use tool_core::{Failure, FailureKind, Principal, Registry, State, tool};

use crate::builder_of;

/// Ends tests that would otherwise hang. A paused clock advances when the runtime is idle.
const TEST_TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Default)]
struct Seen {
    inside: AtomicUsize,
    most: AtomicUsize,
    order: Mutex<Vec<String>>,
}

/// Works for a while.
#[tool(operation = Read, name = "within.leaf")]
async fn leaf(#[inject] seen: State<Arc<Seen>>) {
    let inside = seen.inside.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most.fetch_max(inside, Ordering::SeqCst);
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    seen.inside.fetch_sub(1, Ordering::SeqCst);
}

/// Calls one that works, twice.
#[tool(operation = Write, destructive = false, name = "within.middle")]
async fn middle(#[inject] registry: Registry) -> Result<(), Failure> {
    registry.call("within.leaf", json!({})).await?;
    registry.call("within.leaf", json!({})).await.map(|_| ())
}

/// Calls one that calls another, and says that it did.
#[tool(operation = Trigger, destructive = false, name = "within.outer")]
async fn outer(
    #[inject] registry: Registry,
    #[inject] seen: State<Arc<Seen>>,
    who: String,
) -> Result<(), Failure> {
    for _ in 0..2 {
        registry.call("within.middle", json!({})).await?;
    }
    seen.order.lock().unwrap().push(who);
    Ok(())
}

/// Calls several at once.
#[tool(operation = Trigger, destructive = false, name = "within.several")]
async fn several(#[inject] registry: Registry, name: String, count: usize) -> Result<(), Failure> {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..count {
        let (registry, name) = (registry.clone(), name.clone());
        calls.spawn(async move { registry.call(&name, json!({})).await.map(|_| ()) });
    }
    calls.join_all().await.into_iter().collect()
}

/// Waits for others.
#[tool(operation = Read, name = "within.together")]
async fn together(#[inject] all: State<Barrier>) {
    all.wait().await;
}

fn registry(limit: usize, queue: usize) -> (Registry, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let builder = builder_of(module_path!()).state(Arc::clone(&seen)).state(Barrier::new(4));
    let builder = builder.concurrency(limit).queue(queue);
    (builder.blocking_threads(limit).build().unwrap(), seen)
}

#[tokio::test(start_paused = true)]
async fn finishes_nested_calls_under_any_limit() {
    for limit in 1..=6 {
        let (registry, seen) = registry(limit, 100);
        let calls: Vec<_> = (0..12)
            .map(|number| {
                let who = ["ada", "bob", "eve"][number % 3];
                let registry = registry.as_principal(Principal::new(who));
                tokio::spawn(
                    async move { registry.call("within.outer", json!({"who": who})).await.map(|_| ()) },
                )
            })
            .collect();
        for call in calls {
            timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap().unwrap();
        }
        let most = seen.most.load(Ordering::SeqCst);
        assert!(most <= limit, "{most} at once, with a limit of {limit}");
        assert_eq!(most, limit, "all permits are used");
    }
}

#[tokio::test(start_paused = true)]
async fn needs_no_queue_for_nested_calls() {
    let (registry, _) = registry(1, 0);
    let call = registry.call("within.outer", json!({"who": "ada"}));
    timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap();
}

#[tokio::test(start_paused = true)]
async fn alternates_callers_with_nested_calls() {
    let (registry, seen) = registry(1, 100);
    let call = |who: &'static str, name: &str| {
        let registry = registry.as_principal(Principal::new(who));
        let arguments = json!({"who": name});
        tokio::spawn(async move { registry.call("within.outer", arguments).await.map(|_| ()) })
    };
    let greedy: Vec<_> = ["g1", "g2", "g3"].map(|name| call("greedy", name)).into();
    // They enter the queue in the order in which they start.
    tokio::task::yield_now().await;
    let modest = call("modest", "m1");
    for call in greedy.into_iter().chain([modest]) {
        timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap().unwrap();
    }
    assert_eq!(*seen.order.lock().unwrap(), ["g1", "g2", "m1", "g3"]);
}

#[tokio::test(start_paused = true)]
async fn shares_permits_of_concurrent_nested_calls() {
    for limit in [1, 2, 4] {
        let (registry, seen) = registry(limit, 100);
        let call = registry.call("within.several", json!({"name": "within.leaf", "count": 8}));
        timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap();
        assert_eq!(seen.most.load(Ordering::SeqCst), limit);
    }
    // Four calls that wait for each other need four permits, including that of the outer call.
    let (registry, _) = registry(4, 100);
    let call = registry.call("within.several", json!({"name": "within.together", "count": 4}));
    timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap();
}

/// Blocks its thread while it calls another.
#[tool(operation = Trigger, destructive = false, name = "within.blocks", blocking)]
fn blocks(#[inject] registry: Registry, name: String) -> Result<(), Failure> {
    let call = registry.call(&name, json!({"name": "within.blocked"}));
    tokio::runtime::Handle::current().block_on(call).map(|_| ())
}

/// Blocks its thread.
#[tool(operation = Read, name = "within.blocked", blocking)]
fn blocked(name: Option<String>) {
    drop(name);
}

/// Needs real threads and a real clock.
#[tokio::test(flavor = "multi_thread")]
async fn finishes_nested_blocking_calls_under_any_limit() {
    for limit in 1..=3 {
        let (registry, _) = registry(limit, 100);
        let calls: Vec<_> = (0..6)
            .map(|_| {
                let registry = registry.clone();
                tokio::spawn(async move {
                    registry.call("within.blocks", json!({"name": "within.blocks"})).await.map(|_| ())
                })
            })
            .collect();
        for call in calls {
            timeout(TEST_TIMEOUT, call).await.expect("no call hangs").unwrap().unwrap();
        }
    }
}

/// Calls a tool of the other registry, once both calls run.
async fn crossed(registry: &Registry, both: &Barrier, name: &str) -> Result<(), Failure> {
    both.wait().await;
    registry.call(name, json!({})).await.map(|_| ())
}

mod first {
    use super::*;

    /// Calls one of the second registry.
    #[tool(operation = Trigger, destructive = false, name = "within.first")]
    async fn first(#[inject] registry: Registry, #[inject] both: State<Arc<Barrier>>) -> Result<(), Failure> {
        crossed(&registry, &both, "within.second_leaf").await
    }

    /// Works.
    #[tool(operation = Read, name = "within.first_leaf")]
    fn first_leaf() {}

    pub(super) const PATH: &str = module_path!();
}

mod second {
    use super::*;

    /// Calls one of the first registry.
    #[tool(operation = Trigger, destructive = false, name = "within.second")]
    async fn second(
        #[inject] registry: Registry,
        #[inject] both: State<Arc<Barrier>>,
    ) -> Result<(), Failure> {
        crossed(&registry, &both, "within.first_leaf").await
    }

    /// Works.
    #[tool(operation = Read, name = "within.second_leaf")]
    fn second_leaf() {}

    pub(super) const PATH: &str = module_path!();
}

/// Each call holds the only permit of its registry, and waits for that of the other.
#[tokio::test(start_paused = true)]
async fn rejects_one_of_two_crossing_calls() {
    let both = Arc::new(Barrier::new(2));
    let build = |path| builder_of(path).state(Arc::clone(&both)).concurrency(1).build().unwrap();
    let joined = Providers::new().with("first", build(first::PATH)).with("second", build(second::PATH));
    let tools = joined.into_provider().tools(&Principal::anonymous()).await.unwrap();
    let registry = tools.registry();
    let calls = async {
        tokio::join!(registry.call("within.first", json!({})), registry.call("within.second", json!({})),)
    };
    let (first, second) = timeout(TEST_TIMEOUT, calls).await.expect("no call hangs");
    let failures: Vec<_> = [first, second].into_iter().filter_map(Result::err).collect();
    let [failure] = &failures[..] else { panic!("one is rejected, and the other runs: {failures:?}") };
    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Busy, true));
    // No wait is left over: alone, each call runs.
    for (name, leaf) in [("within.first", "within.second_leaf"), ("within.second", "within.first_leaf")] {
        let (called, ()) = tokio::join!(registry.call(name, json!({})), async {
            both.wait().await;
        });
        called.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(registry.call(leaf, json!({})).await.unwrap().value(), Value::Null);
    }
}
