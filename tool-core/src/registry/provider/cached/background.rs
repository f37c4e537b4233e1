//! Tests of serving an expired list while a query runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{Instant, advance};

use super::Cached;
use crate::call::tool::{DynamicTool, Tool};
use crate::definition::ToolDefinition;
use crate::model::output::Output;
use crate::registry::provider::Provider;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider as _;
use crate::registry::provider::providers::Providers;
use crate::registry::provider::toolset::Toolset;

const FRESH: Duration = Duration::from_secs(60);
const STALE: Duration = Duration::from_secs(30);
const SECOND: Duration = Duration::from_secs(1);

/// A provider with a settable delay and a settable tool.
struct RefreshSource {
    asked: AtomicUsize,
    ended: AtomicUsize,
    takes: std::sync::Mutex<Duration>,
    answer: std::sync::Mutex<Result<&'static str, &'static str>>,
    changes: AtomicUsize,
    told: Notify,
}

impl RefreshSource {
    fn new() -> Arc<Self> {
        Arc::new(RefreshSource {
            asked: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            takes: std::sync::Mutex::new(Duration::ZERO),
            answer: std::sync::Mutex::new(Ok("first")),
            changes: AtomicUsize::new(0),
            told: Notify::new(),
        })
    }

    fn cached(self: &Arc<Self>) -> Cached {
        let (source, changed) = (Arc::clone(self), Arc::clone(self));
        let provider = move || {
            let source = Arc::clone(&source);
            async move {
                source.asked.fetch_add(1, Ordering::SeqCst);
                let _ended = Ended(Arc::clone(&source));
                let takes = *source.takes.lock().unwrap();
                tokio::time::sleep(takes).await;
                let answer = *source.answer.lock().unwrap();
                answer.map(|name| vec![tool(name)])
            }
        };
        Cached::new(FRESH, provider).stale_while_revalidate(STALE).timeout(10 * SECOND).on_change(move || {
            changed.changes.fetch_add(1, Ordering::SeqCst);
            changed.told.notify_one();
        })
    }

    fn takes(&self, time: Duration) {
        *self.takes.lock().unwrap() = time;
    }

    fn answers(&self, answer: Result<&'static str, &'static str>) {
        *self.answer.lock().unwrap() = answer;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
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
    let listed = cached.tools().await.map(|tools| name(&tools));
    (listed, begun.elapsed())
}

/// Waits until the query in the background begins.
async fn begin(source: &RefreshSource, asked: usize) {
    while source.asked() < asked {
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
async fn a_slow_provider_keeps_nobody_waiting_and_the_change_is_told() {
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
    assert_eq!((source.changes(), source.asked()), (0, 1), "nothing has had a chance to begin");
    begin(&source, 2).await;
    source.told.notified().await;
    assert_eq!(listed(&both).await, (Ok("own_second".to_owned()), Duration::ZERO));
    assert_eq!((source.asked(), source.changes()), (2, 1), "one question for a hundred requests");
}

#[tokio::test(start_paused = true)]
async fn the_same_list_again_is_no_change() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools().await.unwrap();
    for asked in 2..5 {
        advance(FRESH).await;
        cached.tools().await.unwrap();
        end(&source, asked).await;
    }
    assert_eq!((source.asked(), source.changes()), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn a_list_is_served_for_so_long_and_then_the_error_and_then_the_list_again() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools().await.unwrap();
    source.answers(Err("no route to host"));
    advance(FRESH).await;
    for asked in 2..30 {
        assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
        end(&source, asked).await;
        assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
        yield_now().await;
        assert_eq!(source.asked(), asked, "it is left alone for a second");
        advance(SECOND).await;
    }
    advance(STALE).await;
    let error = DiscoveryError::new("no route to host");
    assert_eq!(listed(&cached).await, (Err(error), Duration::ZERO), "it is too old");
    assert_eq!(source.changes(), 0);
    source.answers(Ok("first"));
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    assert_eq!(source.changes(), 1, "whoever was told that there is nothing is told that there is something");
}

#[tokio::test(start_paused = true)]
async fn whoever_must_wait_waits_for_a_time_and_no_longer() {
    let source = RefreshSource::new();
    source.takes(3600 * SECOND);
    let cached = source.cached().into_provider();
    let late = || Err(DiscoveryError::Late(10 * SECOND));
    let (first, second) = tokio::join!(listed(&cached), listed(&cached));
    assert_eq!((first.0, second.0), (late(), late()));
    assert_eq!((first.1.as_secs(), second.1.as_secs()), (10, 10));
    assert_eq!((source.asked(), source.ended()), (1, 1), "one question, which was dropped");
    source.takes(Duration::ZERO);
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    source.told.notified().await;

    // A query that hangs while a list is served delays no request, and is retried.
    advance(FRESH).await;
    source.takes(3600 * SECOND);
    assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
    end(&source, 3).await;
    source.takes(Duration::ZERO);
    source.answers(Ok("second"));
    advance(SECOND).await;
    assert_eq!(listed(&cached).await, (Ok("first".to_owned()), Duration::ZERO));
    source.told.notified().await;
    assert_eq!(listed(&cached).await, (Ok("second".to_owned()), Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_when_a_list_is_too_old_shares_the_answer_that_is_on_its_way() {
    let source = RefreshSource::new();
    let cached = source.cached().into_provider();
    cached.tools().await.unwrap();
    advance(FRESH + STALE - SECOND).await;
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    assert_eq!(listed(&cached).await.0, Ok("first".to_owned()));
    begin(&source, 2).await;
    advance(2 * SECOND).await;
    let (one, other) = tokio::join!(listed(&cached), listed(&cached));
    assert_eq!((one.0, other.0), (Ok("second".to_owned()), Ok("second".to_owned())));
    assert!(one.1 < 5 * SECOND && source.asked() == 2, "{:?}", one.1);
}

#[tokio::test(start_paused = true)]
async fn what_is_out_of_date_is_asked_for_at_once_and_served_until_there_is_another() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    let provider = Arc::clone(&cached).into_provider();
    provider.tools().await.unwrap();
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    cached.refresh();
    begin(&source, 2).await;
    // This change is not included in the running query.
    cached.refresh();
    assert_eq!(listed(&provider).await, (Ok("first".to_owned()), Duration::ZERO));
    source.told.notified().await;
    begin(&source, 3).await;
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    end(&source, 3).await;
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    assert_eq!((source.asked(), source.changes()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn what_changes_while_somebody_waits_for_the_first_list_is_told() {
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
    let told = tokio::time::timeout(60 * SECOND, source.told.notified()).await;
    assert!(told.is_ok(), "without another request");
    assert_eq!(listed(&provider).await, (Ok("second".to_owned()), Duration::ZERO));
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_asks_when_the_provider_is_gone() {
    let source = RefreshSource::new();
    let cached = source.cached();
    cached.current().await.unwrap();
    source.takes(5 * SECOND);
    cached.refresh();
    begin(&source, 2).await;
    assert_eq!(source.ended(), 1);
    drop(cached);
    end(&source, 2).await;
    assert_eq!((source.asked(), source.changes()), (2, 0));
    assert_eq!(Arc::strong_count(&source), 1, "nobody holds what it was made of");
}

#[tokio::test(start_paused = true)]
async fn an_end_of_the_runtime_that_asks_is_no_end_of_asking() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    cached.current().await.unwrap();
    source.takes(3600 * SECOND);
    let (asked, asking) = (Arc::clone(&source), Arc::clone(&cached));
    let apart = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            asking.refresh();
            begin(&asked, 2).await;
        });
    });
    apart.join().unwrap();
    assert_eq!(source.ended(), 2);
    source.takes(Duration::ZERO);
    source.answers(Ok("second"));
    cached.refresh();
    source.told.notified().await;
    assert_eq!(name(&cached.current().await.unwrap()), "second");
}

#[tokio::test(start_paused = true)]
async fn what_changes_while_somebody_waits_who_goes_away_is_asked_for() {
    let source = RefreshSource::new();
    let cached = Arc::new(source.cached());
    let provider = Arc::clone(&cached).into_provider();
    provider.tools().await.unwrap();
    // Too old to be served: the next request waits.
    advance(FRESH + STALE).await;
    source.takes(5 * SECOND);
    source.answers(Ok("second"));
    let waits = tokio::spawn(async move { provider.tools().await });
    begin(&source, 2).await;
    cached.refresh();
    waits.abort();
    assert!(waits.await.unwrap_err().is_cancelled());
    let told = tokio::time::timeout(60 * SECOND, source.told.notified()).await;
    assert!(told.is_ok(), "without another request");
    assert_eq!(source.asked(), 3);
}

#[test]
fn a_runtime_without_timers_keeps_nobody_from_asking() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let cached = Cached::new(FRESH, || vec![tool("first")]).stale_while_revalidate(STALE);
    let asked = runtime.block_on(cached.current());
    assert_eq!(asked.map(|tools| name(&tools)), Ok("first".to_owned()));
}
