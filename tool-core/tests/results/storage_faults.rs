//! Storage faults: calls succeed with a preview that says that the rest was not stored.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tool_core::failure::Reason;
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::{CallOptions, FailureKind, Registry, ToolError, tool};

use crate::storage::{Fault, FaultyStorage};

/// Says much.
#[tool(operation = Explain)]
async fn say_much() -> String {
    "much ".repeat(20_000)
}

/// Fails with many words.
#[tool(operation = Explain)]
fn fail_with_words() -> Result<(), ToolError> {
    Err(ToolError::conflict("no ".repeat(20_000)))
}

fn registry(store: &ResultStore) -> Registry {
    let here = |tool: &tool_core::ToolDefinition| {
        tool.source().module == module_path!() || tool.name() == "read_result"
    };
    Registry::builder().linked().select(here).storing(store.clone()).build().unwrap()
}

/// Returns whether the full result was stored, and the duration of the call.
async fn is_stored(registry: &Registry, tool: &str) -> (bool, Duration) {
    let began = Instant::now();
    let reply = registry.call_with(tool, b"{}", &CallOptions::new()).await;
    let preview = reply.preview.expect("it is too large");
    let excerpt = preview.excerpts().next().unwrap();
    assert!(!excerpt.preview().is_empty() && excerpt.preview().len() <= 2_000);
    assert_eq!(
        excerpt.digest().is_none(),
        excerpt.note().contains("could not be kept"),
        "{}",
        excerpt.note()
    );
    (excerpt.digest().is_some(), began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn answers_calls_when_the_disk_is_full() {
    let storage = FaultyStorage::default();
    let registry = registry(&ResultStore::managed(storage.clone()));
    for fault in [Fault::Full, Fault::Unavailable, Fault::None, Fault::Full, Fault::None] {
        storage.set(fault);
        for tool in ["say_much", "fail_with_words"] {
            assert_eq!(
                is_stored(&registry, tool).await,
                (fault == Fault::None, Duration::ZERO),
                "{fault:?} {tool}"
            );
        }
        let reply = registry.call_with("fail_with_words", b"{}", &CallOptions::new()).await;
        assert_eq!(
            reply.result.unwrap_err().kind(),
            FailureKind::Failed(Reason::Conflict),
            "an error stays one"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn stops_waiting_for_a_hanging_storage() {
    let storage = FaultyStorage::default();
    let store = ResultStore::managed(storage.clone());
    let registry = registry(&store);
    storage.set(Fault::Hangs);
    assert_eq!(is_stored(&registry, "say_much").await, (false, Duration::from_secs(5)));
    // Further calls do not wait for the stuck storage.
    for _ in 0..100 {
        assert_eq!(is_stored(&registry, "say_much").await, (false, Duration::ZERO));
    }
    let digest = "0".repeat(64);
    let failure = registry.call("read_result", json!({"digest": digest})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn limits_the_wait_of_queued_writes() {
    let storage = FaultyStorage::default();
    let store =
        ResultStore::managed(storage.clone()).limits(ResultLimits::new().patience(Duration::from_secs(1)));
    let registry = registry(&store);
    storage.set(Fault::Hangs);
    let began = Instant::now();
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let registry = registry.clone();
            tokio::spawn(async move { is_stored(&registry, "say_much").await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), (false, Duration::from_secs(1)));
    }
    assert_eq!(began.elapsed(), Duration::from_secs(1));
}

/// A slow write that ends unblocks the others.
#[tokio::test(start_paused = true)]
async fn resumes_when_the_storage_recovers() {
    let slow = Slow::default();
    let store = ResultStore::managed(slow.clone());
    let registry = registry(&store);
    assert_eq!(is_stored(&registry, "say_much").await, (false, Duration::from_secs(5)));
    assert_eq!(is_stored(&registry, "say_much").await, (false, Duration::ZERO));
    slow.0.notify_one();
    // Lets the writing task end first.
    while is_stored(&registry, "say_much").await != (true, Duration::ZERO) {
        tokio::task::yield_now().await;
        slow.0.notify_one();
    }
}

#[tokio::test]
async fn reports_unreadable_results_as_unavailable() {
    let storage = FaultyStorage::default();
    let registry = registry(&ResultStore::managed(storage.clone()));
    let reply = registry.call_with("say_much", b"{}", &CallOptions::new()).await;
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
    storage.set(Fault::Unavailable);
    let arguments = json!({"digest": digest.hex()});
    let failure = registry.call("read_result", arguments.clone()).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert_eq!(failure.message(), "results cannot be read at the moment", "without the cause");
    storage.set(Fault::None);
    assert!(registry.call("read_result", arguments).await.is_ok(), "what was confirmed is there");
}

/// A storage whose writes wait for a notification.
#[derive(Clone, Default)]
struct Slow(std::sync::Arc<tokio::sync::Notify>);

impl tool_core::results::ManagedStorage for Slow {
    fn put<'a>(&'a self, _: &'a str, _: bytes::Bytes) -> tool_core::BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async {
            self.0.notified().await;
            Ok(())
        })
    }

    fn get<'a>(
        &'a self,
        _: &'a str,
        _: u64,
    ) -> tool_core::BoxFuture<'a, std::io::Result<Option<tool_core::results::StoredBytes>>> {
        Box::pin(async { Ok(None) })
    }

    fn delete<'a>(&'a self, _: &'a str) -> tool_core::BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn list(&self) -> tool_core::BoxFuture<'_, std::io::Result<Vec<tool_core::results::StoredObject>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
