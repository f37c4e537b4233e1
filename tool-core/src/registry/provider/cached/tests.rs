//! Tests of caching: concurrent requests share a query, and an expired list is queried again.

mod background;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::Cached;
use crate::registry::Registry;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::toolset::Toolset;

const MINUTE: Duration = Duration::from_secs(60);

/// A provider that counts its queries, and answers on demand with a list or an error.
#[derive(Clone)]
struct Source {
    queries: Arc<AtomicUsize>,
    answers: Arc<Semaphore>,
    fails: Arc<AtomicUsize>,
}

impl Source {
    fn new() -> Self {
        let number = || Arc::new(AtomicUsize::new(0));
        Source { queries: number(), answers: Arc::new(Semaphore::new(0)), fails: number() }
    }

    fn cached(&self) -> Cached {
        let source = self.clone();
        Cached::new(MINUTE, move || {
            let source = source.clone();
            async move {
                source.queries.fetch_add(1, Ordering::SeqCst);
                source.answers.acquire().await.unwrap().forget();
                match source.fails.load(Ordering::SeqCst) {
                    0 => Ok(Registry::empty()),
                    _ => Err("no route to host"),
                }
            }
        })
    }

    fn answer(&self) {
        self.answers.add_permits(1);
    }

    fn fail(&self, fails: bool) {
        self.fails.store(usize::from(fails), Ordering::SeqCst);
    }

    fn queries(&self) -> usize {
        self.queries.load(Ordering::SeqCst)
    }
}

/// Polls once.
fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Advances the paused clock.
async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

fn ready<T>(poll: Poll<T>) -> T {
    match poll {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

/// Returns the answer to a request that need not wait.
fn at_once(cached: &Cached) -> Result<Toolset, DiscoveryError> {
    ready(poll(pin!(cached.current())))
}

#[tokio::test(start_paused = true)]
async fn caches_the_list_until_it_expires() {
    let source = Source::new();
    let cached = source.cached();
    source.answer();
    let first = at_once(&cached).unwrap();
    pass(MINUTE.checked_sub(Duration::from_millis(1)).unwrap()).await;
    assert!(first.is(&at_once(&cached).unwrap()));
    assert_eq!(source.queries(), 1);
    pass(Duration::from_millis(1)).await;
    source.answer();
    assert!(!first.is(&at_once(&cached).unwrap()));
    assert_eq!(source.queries(), 2);
}

#[test]
fn shares_a_query_among_concurrent_requests() {
    let source = Source::new();
    let cached = source.cached();
    let mut first = pin!(cached.current());
    let mut second = pin!(cached.current());
    let mut third = pin!(cached.current());
    assert!(
        poll(first.as_mut()).is_pending()
            && poll(second.as_mut()).is_pending()
            && poll(third.as_mut()).is_pending()
    );
    source.answer();
    let list = ready(poll(first)).unwrap();
    assert!(list.is(&ready(poll(second)).unwrap()) && list.is(&ready(poll(third)).unwrap()));
    assert_eq!(source.queries(), 1);
}

#[test]
fn shares_failures_without_caching_them() {
    let source = Source::new();
    let cached = source.cached();
    source.fail(true);
    let mut first = pin!(cached.current());
    let mut second = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    source.answer();
    assert_eq!(ready(poll(first)).unwrap_err().to_string(), "no route to host");
    assert_eq!(ready(poll(second)).unwrap_err().to_string(), "no route to host");
    assert_eq!(source.queries(), 1);
    source.fail(false);
    source.answer();
    assert!(at_once(&cached).is_ok());
    assert_eq!(source.queries(), 2);
}

#[test]
fn continues_when_a_waiter_is_dropped() {
    let source = Source::new();
    let cached = source.cached();
    let mut first = Box::pin(cached.current());
    let mut second = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    drop(first);
    assert!(poll(second.as_mut()).is_pending());
    assert_eq!(source.queries(), 2, "the second request queries in place of the first");
    source.answer();
    assert!(ready(poll(second)).is_ok());
}

#[tokio::test(start_paused = true)]
async fn serves_stale_lists_if_enabled() {
    for stale in [false, true] {
        let source = Source::new();
        let cached = if stale { source.cached().serve_stale() } else { source.cached() };
        source.fail(true);
        source.answer();
        assert!(at_once(&cached).is_err(), "there is no old list yet");
        source.fail(false);
        source.answer();
        let list = at_once(&cached).unwrap();
        pass(MINUTE).await;
        source.fail(true);
        source.answer();
        match at_once(&cached) {
            Ok(old) => assert!(stale && old.is(&list)),
            Err(error) => assert!(!stale && error.to_string() == "no route to host"),
        }
        source.fail(false);
        source.answer();
        assert!(!at_once(&cached).unwrap().is(&list), "the next request queries again");
        assert_eq!(source.queries(), 4);
    }
}

#[test]
fn queries_again_after_a_refresh() {
    let source = Source::new();
    let cached = source.cached();
    source.answer();
    let first = at_once(&cached).unwrap();
    cached.refresh();
    cached.refresh();
    source.answer();
    let second = at_once(&cached).unwrap();
    assert!(!second.is(&first));
    assert!(second.is(&at_once(&cached).unwrap()), "once for many changes");
    assert_eq!(source.queries(), 2);
}

#[tokio::test(start_paused = true)]
async fn keeps_the_list_when_a_refresh_fails() {
    let source = Source::new();
    let cached = source.cached();
    source.answer();
    let first = at_once(&cached).unwrap();
    cached.refresh();
    source.fail(true);
    for queries in 2..4 {
        source.answer();
        assert!(at_once(&cached).unwrap().is(&first));
        assert_eq!(source.queries(), queries, "each request queries again");
    }
    pass(MINUTE).await;
    source.answer();
    assert_eq!(at_once(&cached).unwrap_err().to_string(), "no route to host");
    source.fail(false);
    source.answer();
    assert!(!at_once(&cached).unwrap().is(&first));
}

#[test]
fn ignores_queries_from_before_a_refresh() {
    let source = Source::new();
    let cached = source.cached();
    let mut first = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending());
    cached.refresh();
    let mut second = pin!(cached.current());
    assert!(poll(second.as_mut()).is_pending());
    source.answer();
    let before = ready(poll(first)).unwrap();
    assert!(poll(second.as_mut()).is_pending(), "it needs its own query");
    source.answer();
    assert!(!ready(poll(second)).unwrap().is(&before));
    assert_eq!(source.queries(), 2);
}

#[test]
fn queries_again_after_a_panic() {
    let queries = Arc::new(AtomicUsize::new(0));
    let cached = Cached::new(MINUTE, {
        let queries = Arc::clone(&queries);
        move || {
            assert!(queries.fetch_add(1, Ordering::SeqCst) > 0, "not ready");
            Registry::empty()
        }
    });
    assert_eq!(at_once(&cached).unwrap_err(), DiscoveryError::Panicked);
    assert!(at_once(&cached).is_ok());
}
