//! Tests of serving an expired list while a query runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{Instant, advance};

use crate::call::tool::{DynamicTool, Tool};
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::output::Output;
use crate::registry::provider::Provider;
use crate::registry::provider::cached::Cached;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider as _;
use crate::registry::provider::providers::Providers;
use crate::registry::provider::toolset::Toolset;

const FRESH: Duration = Duration::from_secs(60);
const STALE: Duration = Duration::from_secs(30);
const SECOND: Duration = Duration::from_secs(1);

/// A provider with a settable delay and a settable tool.
struct RefreshSource {
    queries: AtomicUsize,
    ended: AtomicUsize,
    takes: std::sync::Mutex<Duration>,
    answer: std::sync::Mutex<Result<&'static str, &'static str>>,
    changes: AtomicUsize,
    notification: Notify,
}

impl RefreshSource {
    fn new() -> Arc<Self> {
        Arc::new(RefreshSource {
            queries: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            takes: std::sync::Mutex::new(Duration::ZERO),
            answer: std::sync::Mutex::new(Ok("first")),
            changes: AtomicUsize::new(0),
            notification: Notify::new(),
        })
    }

    fn cached(self: &Arc<Self>) -> Cached {
        let (source, changed) = (Arc::clone(self), Arc::clone(self));
        let provider = move || {
            let source = Arc::clone(&source);
            async move {
                source.queries.fetch_add(1, Ordering::SeqCst);
                let _ended = Ended(Arc::clone(&source));
                let takes = *source.takes.lock().unwrap();
                tokio::time::sleep(takes).await;
                let answer = *source.answer.lock().unwrap();
                answer.map(|name| vec![tool(name)])
            }
        };
        Cached::new(FRESH, provider).stale_while_revalidate(STALE).timeout(10 * SECOND).on_change(move || {
            changed.changes.fetch_add(1, Ordering::SeqCst);
            changed.notification.notify_one();
        })
    }

    fn takes(&self, time: Duration) {
        *self.takes.lock().unwrap() = time;
    }

    fn answers(&self, answer: Result<&'static str, &'static str>) {
        *self.answer.lock().unwrap() = answer;
    }

    fn queries(&self) -> usize {
        self.queries.load(Ordering::SeqCst)
    }

    fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    fn changes(&self) -> usize {
        self.changes.load(Ordering::SeqCst)
    }
}

/// Counts queries that have ended, completed or dropped.
struct Ended(Arc<RefreshSource>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

fn tool(name: &str) -> Arc<dyn Tool> {
    let definition = ToolDefinition::builder(name, "Does.").build().unwrap();
    Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) }))
}

fn name(tools: &Toolset) -> String {
    tools.registry().tools().map(|tool| tool.name().to_owned()).collect()
}

/// Returns the only tool, and the time to list it.
async fn listed(cached: &Provider) -> (Result<String, DiscoveryError>, Duration) {
    let begun = Instant::now();
    let listed = cached.tools(&Principal::anonymous()).await.map(|tools| name(&tools));
    (listed, begun.elapsed())
}

/// Waits until the query in the background begins.
async fn begin(source: &RefreshSource, queries: usize) {
    while source.queries() < queries {
        yield_now().await;
    }
}

async fn end(source: &RefreshSource, ended: usize) {
    while source.ended() < ended {
        // A paused clock advances when the runtime is idle.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn serves_stale_lists_and_notifies_of_changes() {
    let source = RefreshSource::new();
    let slow = source.cached();
    let own = vec![tool("own_")];
    let both = Providers::new().with("own", own).with("slow", slow).into_provider();
    assert_eq!(listed(&both).await, (Ok("firstown_".to_owned()), Duration::ZERO));
    advance(FRESH).await;
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    for _ in 0..100 {
        assert_eq!(listed(&both).await, (Ok("firstown_".to_owned()), Duration::ZERO), "at once");
    }
    assert_eq!((source.changes(), source.queries()), (0, 1), "no query has started yet");
    begin(&source, 2).await;
    source.notification.notified().await;
    assert_eq!(listed(&both).await, (Ok("own_second".to_owned()), Duration::ZERO));
    assert_eq!((source.queries(), source.changes()), (2, 1), "one query for a hundred requests");
}

#[tokio::test(start_paused = true)]
async fn ignores_unchanged_lists() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools(&Principal::anonymous()).await.unwrap();
    for queries in 2..5 {
        advance(FRESH).await;
        cached.tools(&Principal::anonymous()).await.unwrap();
        end(&source, queries).await;
    }
    assert_eq!((source.queries(), source.changes()), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn returns_errors_after_the_stale_period() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools(&Principal::anonymous()).await.unwrap();
    source.answers(Err("no route to host"));
    advance(FRESH).await;
    for queries in 2..30 {
        assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
        end(&source, queries).await;
        assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
        yield_now().await;
        assert_eq!(source.queries(), queries, "there is no retry within a second");
        advance(SECOND).await;
    }
    advance(STALE).await;
    let error = DiscoveryError::new("no route to host");
    assert_eq!(listed(&cached).await, (Err(error), Duration::ZERO), "the list is too old");
    assert_eq!(source.changes(), 0);
    source.answers(Ok("first"));
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    assert_eq!(source.changes(), 1, "recovery counts as a change");
}

#[tokio::test(start_paused = true)]
async fn limits_the_wait_for_a_query() {
    let source = RefreshSource::new();
    source.takes(3600 * SECOND);
    let cached = source.cached().into_provider();
    let late = || Err(DiscoveryError::Late(10 * SECOND));
    let (first, second) = tokio::join!(listed(&cached), listed(&cached));
    assert_eq!((first.0, second.0), (late(), late()));
    assert_eq!((first.1.as_secs(), second.1.as_secs()), (10, 10));
    assert_eq!((source.queries(), source.ended()), (1, 1), "one query, which was dropped");
    source.takes(Duration::ZERO);
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    source.notification.notified().await;

    // A query that hangs while a list is served delays no request, and is retried.
    advance(FRESH).await;
    source.takes(3600 * SECOND);
    assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
    end(&source, 3).await;
    source.takes(Duration::ZERO);
    source.answers(Ok("second"));
    advance(SECOND).await;
    assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
    source.notification.notified().await;
    assert_eq!(listed(&cached).await, (Ok("second".to_owned()), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn shares_a_running_background_query() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools(&Principal::anonymous()).await.unwrap();
    advance(FRESH + STALE - SECOND).await;
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    begin(&source, 2).await;
    advance(2 * SECOND).await;
    let (one, other) = tokio::join!(listed(&cached), listed(&cached));
    assert_eq!((one.0, other.0), (Ok("second".to_owned()), Ok("second".to_owned())));
    assert!(one.1 < 5 * SECOND && source.queries() == 2, "{:?}", one.1);
}

#[tokio::test(start_paused = true)]
async fn refreshes_at_once_and_serves_the_old_list_meanwhile() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    let provider = Arc::clone(&cached).into_provider();
    provider.tools(&Principal::anonymous()).await.unwrap();
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    cached.refresh();
    begin(&source, 2).await;
    // This change is not included in the running query.
    cached.refresh();
    assert_eq!(listed(&provider).await, (Ok("first".to_owned()), Duration::ZERO));
    source.notification.notified().await;
    begin(&source, 3).await;
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    end(&source, 3).await;
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    assert_eq!((source.queries(), source.changes()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn queries_again_after_a_refresh_during_the_first_query() {
    let source = RefreshSource::new();
    source.takes(5 * SECOND);
    let cached = Arc::new(source.cached());
    let provider = Arc::clone(&cached).into_provider();
    let change = async {
        begin(&source, 1).await;
        cached.refresh();
    };
    let (first, ()) = tokio::join!(listed(&provider), change);
    assert_eq!(first.0, Ok("first".to_owned()));
    source.answers(Ok("second"));
    let notification = tokio::time::timeout(60 * SECOND, source.notification.notified()).await;
    assert!(notification.is_ok(), "without another request");
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    assert_eq!(source.queries(), 2);
}

#[tokio::test(start_paused = true)]
async fn stops_queries_when_dropped() {
    let source = RefreshSource::new();
    let cached = source.cached();
    cached.current().await.unwrap();
    source.takes(5 * SECOND);
    cached.refresh();
    begin(&source, 2).await;
    assert_eq!(source.ended(), 1);
    drop(cached);
    end(&source, 2).await;
    assert_eq!((source.queries(), source.changes()), (2, 0));
    assert_eq!(Arc::strong_count(&source), 1, "nothing holds the source");
}

#[tokio::test(start_paused = true)]
async fn queries_again_after_its_runtime_ends() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    cached.current().await.unwrap();
    source.takes(3600 * SECOND);
    let (its_source, its_cache) = (Arc::clone(&source), Arc::clone(&cached));
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            its_cache.refresh();
            begin(&its_source, 2).await;
        });
    });
    thread.join().unwrap();
    assert_eq!(source.ended(), 2);
    source.takes(Duration::ZERO);
    source.answers(Ok("second"));
    cached.refresh();
    source.notification.notified().await;
    assert_eq!(name(&cached.current().await.unwrap()), "second");
}

#[tokio::test(start_paused = true)]
async fn queries_again_when_a_waiter_is_aborted() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    let provider = Arc::clone(&cached).into_provider();
    provider.tools(&Principal::anonymous()).await.unwrap();
    // Too old to be served: the next request waits.
    advance(FRESH + STALE).await;
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    let waits = tokio::spawn(async move { provider.tools(&Principal::anonymous()).await });
    begin(&source, 2).await;
    cached.refresh();
    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    let notification = tokio::time::timeout(60 * SECOND, source.notification.notified()).await;
    assert!(notification.is_ok(), "without another request");
    assert_eq!(source.queries(), 3);
}

#[test]
fn works_without_timers() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let cached = Cached::new(FRESH, || vec![tool("first")]).stale_while_revalidate(STALE);
    let result = runtime.block_on(cached.current());
    assert_eq!(result.map(|tools| name(&tools)), Ok("first".to_owned()));
}
