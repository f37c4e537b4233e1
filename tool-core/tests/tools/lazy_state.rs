//! State that is opened at its first use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tool_core::failure::Reason;
use tool_core::{FailureKind, LazyState, Registry, adapter, tool};

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
async fn fails_with_the_reason_and_is_opened_by_a_later_call() {
    let (registry, attempts) = registry(1);
    let failure = registry.call("read_lazily", json!({})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert_eq!(failure.message(), "cannot open the state of the application: the server is down");
    assert_eq!(registry.call("read_lazily", json!({})).await.unwrap().value(), 2);
    assert_eq!(attempts.load(Ordering::SeqCst), 2);
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
