//! Tests of caching: concurrent requests share a query, and an expired list is queried again.

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
    asked: Arc<AtomicUsize>,
    answers: Arc<Semaphore>,
    fails: Arc<AtomicUsize>,
}

impl Source {
    fn new() -> Self {
        let number = || Arc::new(AtomicUsize::new(0));
        Source { asked: number(), answers: Arc::new(Semaphore::new(0)), fails: number() }
    }

    fn cached(&self) -> Cached {
        let source = self.clone();
        Cached::new(MINUTE, move || {
            let source = source.clone();
            async move {
                source.asked.fetch_add(1, Ordering::SeqCst);
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

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
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
async fn a_list_is_kept_for_its_time() {
    let source = Source::new();
    let cached = source.cached();
    source.answer();
    let first = at_once(&cached).unwrap();
    pass(MINUTE.checked_sub(Duration::from_millis(1)).unwrap()).await;
    assert!(first.is(&at_once(&cached).unwrap()));
    assert_eq!(source.asked(), 1);
    pass(Duration::from_millis(1)).await;
    source.answer();
    assert!(!first.is(&at_once(&cached).unwrap()));
    assert_eq!(source.asked(), 2);
}

#[test]
fn all_who_ask_at_the_same_time_share_one_answer() {
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
    assert_eq!(source.asked(), 1);
}

#[test]
fn all_who_wait_share_a_failure_and_the_next_asks_again() {
    let source = Source::new();
    let cached = source.cached();
    source.fail(true);
    let mut first = pin!(cached.current());
    let mut second = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    source.answer();
    assert_eq!(ready(poll(first)).unwrap_err().to_string(), "no route to host");
    assert_eq!(ready(poll(second)).unwrap_err().to_string(), "no route to host");
    assert_eq!(source.asked(), 1);
    source.fail(false);
    source.answer();
    assert!(at_once(&cached).is_ok());
    assert_eq!(source.asked(), 2);
}

#[test]
fn whoever_goes_away_keeps_nobody_waiting() {
    let source = Source::new();
    let cached = source.cached();
    let mut first = Box::pin(cached.current());
    let mut second = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    drop(first);
    assert!(poll(second.as_mut()).is_pending());
    assert_eq!(source.asked(), 2, "the second one asks in place of the first");
    source.answer();
    assert!(ready(poll(second)).is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_old_list_is_served_if_that_was_asked_for() {
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
        assert!(!at_once(&cached).unwrap().is(&list), "it is asked again by the next request");
        assert_eq!(source.asked(), 4);
    }
}

#[test]
fn a_list_that_is_out_of_date_is_asked_for_again_before_its_time_is_over() {
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
    assert_eq!(source.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_out_of_date_serves_for_its_time_when_there_is_no_other() {
    let source = Source::new();
    let cached = source.cached();
    source.answer();
    let first = at_once(&cached).unwrap();
    cached.refresh();
    source.fail(true);
    for asked in 2..4 {
        source.answer();
        assert!(at_once(&cached).unwrap().is(&first));
        assert_eq!(source.asked(), asked, "each request asks again");
    }
    pass(MINUTE).await;
    source.answer();
    assert_eq!(at_once(&cached).unwrap_err().to_string(), "no route to host");
    source.fail(false);
    source.answer();
    assert!(!at_once(&cached).unwrap().is(&first));
}

#[test]
fn whoever_comes_after_a_change_is_not_given_an_answer_from_before_it() {
    let source = Source::new();
    let cached = source.cached();
    let mut first = pin!(cached.current());
    assert!(poll(first.as_mut()).is_pending());
    cached.refresh();
    let mut second = pin!(cached.current());
    assert!(poll(second.as_mut()).is_pending());
    source.answer();
    let before = ready(poll(first)).unwrap();
    assert!(poll(second.as_mut()).is_pending(), "it asks for itself");
    source.answer();
    assert!(!ready(poll(second)).unwrap().is(&before));
    assert_eq!(source.asked(), 2);
}

#[test]
fn a_provider_that_panics_is_asked_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let cached = Cached::new(MINUTE, {
        let asked = Arc::clone(&asked);
        move || {
            assert!(asked.fetch_add(1, Ordering::SeqCst) > 0, "not ready");
            Registry::empty()
        }
    });
    assert_eq!(at_once(&cached).unwrap_err(), DiscoveryError::Panicked);
    assert!(at_once(&cached).is_ok());
}
