//! A storage that fails harms no call: its answer is short, and says that the rest is not there.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use tool_core::failure::Reason;
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::{CallOptions, FailureKind, Registry, ToolError, tool};

use crate::storage::{Mood, Shelf};

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

/// Whether the rest of a large result is kept, after how long.
async fn kept(registry: &Registry, tool: &str) -> (bool, Duration) {
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
async fn a_full_disk_harms_no_call() {
    let shelf = Shelf::default();
    let registry = registry(&ResultStore::on(shelf.clone()));
    for mood in [Mood::Full, Mood::Gone, Mood::Fine, Mood::Full, Mood::Fine] {
        shelf.set(mood);
        for tool in ["say_much", "fail_with_words"] {
            assert_eq!(kept(&registry, tool).await, (mood == Mood::Fine, Duration::ZERO), "{mood:?} {tool}");
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
async fn a_storage_that_does_not_answer_is_not_waited_for() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone());
    let registry = registry(&store);
    shelf.set(Mood::Hangs);
    assert_eq!(kept(&registry, "say_much").await, (false, Duration::from_secs(5)));
    // It is known to be stuck: nobody waits any more.
    for _ in 0..100 {
        assert_eq!(kept(&registry, "say_much").await, (false, Duration::ZERO));
    }
    let digest = "0".repeat(64);
    let failure = registry.call("read_result", json!({"digest": digest})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn those_that_wait_for_their_turn_wait_no_longer_than_they_may() {
    let shelf = Shelf::default();
    let store = ResultStore::on(shelf.clone()).limits(ResultLimits::new().patience(Duration::from_secs(1)));
    let registry = registry(&store);
    shelf.set(Mood::Hangs);
    let began = Instant::now();
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let registry = registry.clone();
            tokio::spawn(async move { kept(&registry, "say_much").await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), (false, Duration::from_secs(1)));
    }
    assert_eq!(began.elapsed(), Duration::from_secs(1));
}

/// A slow write that ends at last gives the others their turn back.
#[tokio::test(start_paused = true)]
async fn a_storage_that_answers_again_is_used_again() {
    let slow = Slow::default();
    let store = ResultStore::on(slow.clone());
    let registry = registry(&store);
    assert_eq!(kept(&registry, "say_much").await, (false, Duration::from_secs(5)));
    assert_eq!(kept(&registry, "say_much").await, (false, Duration::ZERO));
    slow.0.notify_one();
    // The task that writes is told, and ends before this goes on.
    while kept(&registry, "say_much").await != (true, Duration::ZERO) {
        tokio::task::yield_now().await;
        slow.0.notify_one();
    }
}

#[tokio::test]
async fn a_storage_that_cannot_be_read_is_unavailable_and_no_stranger() {
    let shelf = Shelf::default();
    let registry = registry(&ResultStore::on(shelf.clone()));
    let reply = registry.call_with("say_much", b"{}", &CallOptions::new()).await;
    let digest = reply.preview.unwrap().excerpts().next().unwrap().digest().unwrap();
    shelf.set(Mood::Gone);
    let arguments = json!({"digest": digest.hex()});
    let failure = registry.call("read_result", arguments.clone()).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Unavailable));
    assert_eq!(failure.message(), "results cannot be read at the moment", "and nothing of the cause");
    shelf.set(Mood::Fine);
    assert!(registry.call("read_result", arguments).await.is_ok(), "what was confirmed is there");
}

/// A storage whose writes wait to be let go.
#[derive(Clone, Default)]
struct Slow(std::sync::Arc<tokio::sync::Notify>);

impl tool_core::results::ResultStorage for Slow {
    fn put<'a>(&'a self, _: &'a str, _: bytes::Bytes) -> tool_core::BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async {
            self.0.notified().await;
            Ok(())
        })
    }

    fn get<'a>(&'a self, _: &'a str) -> tool_core::BoxFuture<'a, std::io::Result<Option<bytes::Bytes>>> {
        Box::pin(async { Ok(None) })
    }

    fn delete<'a>(&'a self, _: &'a str) -> tool_core::BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn list(&self) -> tool_core::BoxFuture<'_, std::io::Result<Vec<tool_core::results::StoredObject>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
