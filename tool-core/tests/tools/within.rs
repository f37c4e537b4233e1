//! Calls that tools make where the number of calls is limited: none waits for another for good.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::time::timeout;
use tool_core::provider::{IntoToolsProvider as _, Providers};
use tool_core::{Failure, FailureKind, Principal, Registry, State, tool};

use crate::builder_of;

/// The end of tests that would otherwise wait for good. Where the clock stands still, it goes on as soon as nothing else does.
const FOR_GOOD: Duration = Duration::from_secs(600);

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
async fn calls_within_calls_end_whatever_the_limit() {
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
            timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap().unwrap();
        }
        let most = seen.most.load(Ordering::SeqCst);
        assert!(most <= limit, "{most} at once, with a limit of {limit}");
        assert_eq!(most, limit, "all places are used");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_within_calls_need_no_room_to_wait() {
    let (registry, _) = registry(1, 0);
    let call = registry.call("within.outer", json!({"who": "ada"}));
    timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap();
}

#[tokio::test(start_paused = true)]
async fn callers_take_turns_whatever_their_calls_call() {
    let (registry, seen) = registry(1, 100);
    let call = |who: &'static str, name: &str| {
        let registry = registry.as_principal(Principal::new(who));
        let arguments = json!({"who": name});
        tokio::spawn(async move { registry.call("within.outer", arguments).await.map(|_| ()) })
    };
    let greedy: Vec<_> = ["g1", "g2", "g3"].map(|name| call("greedy", name)).into();
    // They stand in line in the order in which they are started.
    tokio::task::yield_now().await;
    let modest = call("modest", "m1");
    for call in greedy.into_iter().chain([modest]) {
        timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap().unwrap();
    }
    assert_eq!(*seen.order.lock().unwrap(), ["g1", "g2", "m1", "g3"]);
}

#[tokio::test(start_paused = true)]
async fn calls_made_at_once_share_a_place_and_use_what_is_free() {
    for limit in [1, 2, 4] {
        let (registry, seen) = registry(limit, 100);
        let call = registry.call("within.several", json!({"name": "within.leaf", "count": 8}));
        timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap();
        assert_eq!(seen.most.load(Ordering::SeqCst), limit);
    }
    // Four that wait for each other need four places, one of which is that of the call around them.
    let (registry, _) = registry(4, 100);
    let call = registry.call("within.several", json!({"name": "within.together", "count": 4}));
    timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap();
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

/// The pool of threads of the runtime has to be real, and so has the clock.
#[tokio::test(flavor = "multi_thread")]
async fn threads_that_wait_for_threads_end_whatever_the_limit() {
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
            timeout(FOR_GOOD, call).await.expect("no call waits for good").unwrap().unwrap();
        }
    }
}

/// Calls one of the other registry, once both are inside.
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

/// Each holds the one place of its registry, and wants that of the other.
#[tokio::test(start_paused = true)]
async fn calls_across_registries_do_not_wait_for_each_other() {
    let both = Arc::new(Barrier::new(2));
    let home = |path| builder_of(path).state(Arc::clone(&both)).concurrency(1).build().unwrap();
    let joined = Providers::new().with("first", home(first::PATH)).with("second", home(second::PATH));
    let tools = joined.into_provider().tools().await.unwrap();
    let registry = tools.registry();
    let calls = async {
        tokio::join!(registry.call("within.first", json!({})), registry.call("within.second", json!({})),)
    };
    let (first, second) = timeout(FOR_GOOD, calls).await.expect("no call waits for good");
    let failures: Vec<_> = [first, second].into_iter().filter_map(Result::err).collect();
    let [failure] = &failures[..] else { panic!("one is refused, and the other goes on: {failures:?}") };
    assert_eq!((failure.kind(), failure.retryable()), (FailureKind::Busy, true));
    // What they waited for is forgotten: alone, each gets its place.
    for (name, leaf) in [("within.first", "within.second_leaf"), ("within.second", "within.first_leaf")] {
        let (called, ()) = tokio::join!(registry.call(name, json!({})), async {
            both.wait().await;
        });
        called.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(registry.call(leaf, json!({})).await.unwrap().value(), Value::Null);
    }
}
