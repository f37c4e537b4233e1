//! An upgrade that changed the tools of stored tasks.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tool_core::Declared;
use tool_core::tasks::{TaskEngine, TaskState};
use tool_core::{FailureKind, Registry, tools};

use crate::both::on_both;
use crate::process::{Place, ada, patiently, until};

/// The tools before the upgrade.
mod before {
    use tool_core::tool;

    /// Resizes a picture.
    #[tool(operation = Trigger, destructive = false, task(optional))]
    pub(super) async fn resize(
        /** In pixels. */
        width: u32,
    ) -> String {
        format!("{width} pixels")
    }

    /// Crops a picture.
    #[tool(operation = Trigger, destructive = false, task(optional))]
    pub(super) async fn crop() -> String {
        "cropped".to_owned()
    }

    /// Publishes a picture.
    #[tool(operation = Trigger, destructive = false, task(required))]
    pub(super) async fn publish() -> String {
        "published".to_owned()
    }
}

/// The tools after the upgrade: one needs another argument, one is gone, one runs at once.
mod after {
    use tool_core::tool;

    /// Resizes a picture.
    #[tool(operation = Trigger, destructive = false, task(optional))]
    pub(super) async fn resize(
        /** How wide. */
        width: u32,
        /** The unit of the width. */
        unit: String,
    ) -> String {
        format!("{width} {unit}")
    }

    /// Publishes a picture.
    #[tool(operation = Trigger, destructive = false)]
    pub(super) async fn publish() -> String {
        "published at once".to_owned()
    }
}

fn registry(engine: Arc<dyn TaskEngine>, tools: Declared) -> Registry {
    Registry::builder().tools(tools).tasks(engine).build().unwrap().as_principal(ada())
}

async fn keeps_its_promises(place: &Place) {
    let engine = place.engine();
    let old = registry(Arc::clone(&engine), tools![before::resize, before::crop, before::publish]);
    let resize = old.create_task("resize", br#"{"width": 7}"#, None, None).await.unwrap().id;
    let crop = old.create_task("crop", b"{}", None, None).await.unwrap().id;
    let publish = old.create_task("publish", b"{}", None, None).await.unwrap().id;

    let stop = CancellationToken::new();
    let new = registry(place.engine(), tools![after::resize, after::publish]);
    let (stopped, registry) = (stop.clone(), new.clone());
    let worker = tokio::spawn(async move { registry.run_tasks(stopped).await });
    let resized = until(&engine, &resize, |task| task.state.has_ended()).await;
    let outcome = resized.outcome.unwrap();
    let failure = outcome.result().unwrap_err();
    assert_eq!((failure.kind(), resized.attempt), (FailureKind::Input, 1));
    assert_eq!(failure.problems().iter().map(|problem| &*problem.path).collect::<Vec<_>>(), ["/unit"]);
    let published = until(&engine, &publish, |task| task.state.has_ended()).await;
    assert_eq!((published.state, published.attempt), (TaskState::Completed, 1));
    assert_eq!(published.outcome.unwrap().result().unwrap().value(), json!("published at once"));
    let left = until(&engine, &crop, |task| task.attempt == 1 && task.version > 2).await;
    assert_eq!((left.state, left.outcome.is_none()), (TaskState::Working, true), "it waits for its tool");
    let other = new.create_task("resize", br#"{"width": 7, "unit": "cm"}"#, None, None).await.unwrap().id;
    let other = until(&engine, &other, |task| task.state.has_ended()).await;
    assert_eq!(other.outcome.unwrap().result().unwrap().value(), json!("7 cm"));

    stop.cancel();
    patiently("the end of the new version", worker).await.unwrap().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let worker = tokio::spawn(async move { old.run_tasks(stopped).await });
    let cropped = until(&engine, &crop, |task| task.state.has_ended()).await;
    assert_eq!(cropped.outcome.unwrap().result().unwrap().value(), json!("cropped"));
    stop.cancel();
    patiently("the end of the old version", worker).await.unwrap().unwrap();
    let after = until(&engine, &resize, |_| true).await;
    assert_eq!(after.version, resized.version);
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_the_promises() {
    on_both(|place| async move { keeps_its_promises(&place).await }).await;
}
