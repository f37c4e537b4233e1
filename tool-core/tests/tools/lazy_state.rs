//! State that is opened at its first use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use tool_core::failure::Reason;
use tool_core::{FailureKind, LazyState, Registry, State, adapter, private, tool};

use crate::builder_of;

/// A database, and which attempt to open it succeeded.
struct Database {
    attempt: usize,
}

/// Reads the attempt.
#[tool(operation = Read)]
async fn read_lazily(#[inject] database: LazyState<Database>) -> usize {
    database.attempt
}

/// Writes nothing, and returns the attempt.
#[tool(operation = Write, destructive = false)]
fn write_lazily(#[inject] database: LazyState<Database>) -> usize {
    database.attempt
}

/// Returns a registry whose database can be opened after some failures, and the count of attempts.
fn registry(failures: usize) -> (Registry, Arc<AtomicUsize>) {
    let attempts = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&attempts);
    let builder = builder_of(module_path!()).lazy_state(move || {
        let attempt = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            // Other calls arrive meanwhile.
            tokio::task::yield_now().await;
            if attempt > failures { Ok(Database { attempt }) } else { Err("the server is down") }
        }
    });
    (builder.build().unwrap(), attempts)
}

#[test]
fn opens_nothing_before_a_call_and_needs_no_runtime_until_then() {
    let (registry, attempts) = registry(0);
    assert_eq!(registry.tools().count(), 2);
    registry.check().unwrap();
    registry.validate("read_lazily", b"{}").unwrap();
    assert_eq!(attempts.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn is_opened_once_for_all_calls() {
    let (registry, attempts) = registry(0);
    let call = |name| registry.call(name, json!({}));
    let (first, second, third) = tokio::join!(call("read_lazily"), call("write_lazily"), call("read_lazily"));
    for output in [first, second, third, call("write_lazily").await] {
        assert_eq!(output.unwrap().value(), 1);
    }
    assert_eq!(attempts.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn fails_without_the_reason_and_is_opened_by_a_later_call() {
    let (registry, attempts) = registry(1);
    let failure = registry.call("read_lazily", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert_eq!(failure.message(), "the state `Database` is not available");
    assert_eq!(registry.call("read_lazily", json!({})).await.unwrap().value(), 2);
    assert_eq!(attempts.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn calls_that_wait_share_a_failure() {
    let (registry, attempts) = registry(1);
    let call = || registry.call("read_lazily", json!({}));
    let (first, second, third) = tokio::join!(call(), call(), call());
    for result in [first, second, third] {
        assert_eq!(result.unwrap_err().kind(), FailureKind::Failed(Reason::Unavailable));
    }
    assert_eq!(attempts.load(Ordering::SeqCst), 1);
}

#[test]
fn is_opened_without_a_runtime() {
    let (registry, _) = registry(0);
    assert_eq!(private::block_on(registry.call("read_lazily", json!({}))).unwrap().value(), 1);
}

#[tokio::test]
async fn is_opened_even_if_the_call_ends_before() {
    let (opening, opened) = (Arc::new(Notify::new()), Arc::<AtomicUsize>::default());
    let (waiting, counted) = (Arc::clone(&opening), Arc::clone(&opened));
    let registry = builder_of(module_path!()).lazy_state(move || {
        let waiting = Arc::clone(&waiting);
        let attempt = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            waiting.notified().await;
            Ok::<_, String>(Database { attempt })
        }
    });
    let registry = registry.build().unwrap();
    let call = || registry.call("read_lazily", json!({}));
    assert!(tokio::time::timeout(Duration::from_millis(20), call()).await.is_err());
    opening.notify_one();
    let output = tokio::time::timeout(Duration::from_secs(60), call()).await;
    assert_eq!(output.expect("the state is not opened").unwrap().value(), 1);
}

#[tokio::test]
async fn a_panic_is_an_internal_failure_of_all_calls() {
    let builder = builder_of(module_path!()).lazy_state(|| async {
        tokio::task::yield_now().await;
        None::<Database>.ok_or_else(|| -> String { panic!("no database") })
    });
    let registry = builder.build().unwrap();
    let call = || registry.call("read_lazily", json!({}));
    let (first, second) = tokio::join!(call(), call());
    for result in [first, second, call().await] {
        assert_eq!(result.unwrap_err().kind(), FailureKind::Internal);
    }
}

mod own {
    use super::*;

    /// Is not that of the framework.
    struct LazyState<T>(T);

    /// Takes state whose type has the name of another.
    #[tool(operation = Read)]
    fn take_own_state(#[inject] state: State<LazyState<u8>>) -> u8 {
        state.0
    }
}

#[test]
fn a_type_of_the_same_name_is_added_with_state() {
    let errors = builder_of(concat!(module_path!(), "::own")).build().unwrap_err().to_string();
    assert!(errors.contains("help: give it to the builder with `.state(…)`"), "{errors}");
}

#[test]
fn does_not_depend_on_the_caller() {
    let (registry, _) = registry(0);
    assert!(!adapter::depends_on_caller(&registry, registry.get("read_lazily").unwrap()));
}

#[test]
fn is_missing_from_a_registry_without_it() {
    let errors = builder_of(module_path!()).state(Database { attempt: 0 }).build().unwrap_err().to_string();
    assert!(errors.contains("LazyState<tools::lazy_state::Database>`, which"), "{errors}");
    assert!(errors.contains("help: give it to the builder with `.lazy_state(…)`"), "{errors}");
}

#[test]
fn is_given_to_a_function_by_a_test() {
    assert_eq!(write_lazily(LazyState::new(Database { attempt: 3 })), 3);
}
