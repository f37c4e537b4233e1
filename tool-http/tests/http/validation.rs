//! Long validations: they count towards the limits of calls and run off the runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use serde_json::{Value, json};
use tokio::runtime::Builder as Runtime;
use tokio::sync::{Notify, Semaphore};
use tokio::task::{JoinSet, yield_now};
use tool_core::{DynamicTool, Operation, Output, Registry, RegistryBuilder, ToolDefinition};
use tool_http::{Options, router_with};

use crate::client::post;

/// A tool with a schema that is slow to validate, and a tool that waits for its release.
struct Tools {
    entered: Arc<Semaphore>,
    leave: Arc<Notify>,
}

impl Tools {
    fn new() -> Self {
        Tools { entered: Arc::new(Semaphore::new(0)), leave: Arc::new(Notify::new()) }
    }

    fn router(&self, limit: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Router {
        let alternatives: Vec<Value> = (0..900)
            .map(|n| json!({"type": "object", "required": [format!("k{n}")], "additionalProperties": false}))
            .collect();
        let heavy = ToolDefinition::builder("heavy", "Takes long to check.").operation(Operation::Read);
        let heavy = heavy.input_schema(json!({
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"anyOf": alternatives}},
                "text": {"type": "string"},
            },
        }));
        let heavy =
            DynamicTool::new(heavy.build().unwrap(), |_, _: Value| async { Ok(Output::text("done")) });
        let stays = ToolDefinition::builder("stays", "Stays.").operation(Operation::Read).build().unwrap();
        let (entered, leave) = (Arc::clone(&self.entered), Arc::clone(&self.leave));
        let stays = DynamicTool::new(stays, move |_, _: Value| {
            let (entered, leave) = (Arc::clone(&entered), Arc::clone(&leave));
            async move {
                let left = leave.notified();
                entered.add_permits(1);
                left.await;
                Ok(Output::text("done"))
            }
        });
        let builder = limit(Registry::builder().tool(heavy).tool(stays));
        router_with(builder.build().unwrap(), Options::new().allow_execute(true))
    }
}

/// Returns arguments that are slow to validate: the cost depends on their size and the branches of the schema.
fn heavy() -> String {
    json!({"items": [{"x": 1}], "text": "x".repeat(1_000)}).to_string()
}

/// As a call is: both are work of the same kind.
#[tokio::test]
async fn limits_long_validations_like_calls() {
    let tools = Tools::new();
    let router = tools.router(|builder| builder.concurrency(1).queue(0));
    let staying = {
        let router = router.clone();
        tokio::spawn(async move { post(&router, "/tools/stays/call", "{}").await })
    };
    tools.entered.acquire().await.unwrap().forget();
    let busy = r#"{"error":"too many calls at once","kind":"busy","retryable":true,"retryAfterSeconds":1}"#;
    for path in ["/tools/heavy/validate", "/tools/heavy/call"] {
        let answer = post(&router, path, heavy()).await;
        assert_eq!((answer.status, answer.header("retry-after"), &*answer.body), (429, "1", busy), "{path}");
    }
    // A fast validation needs no permit.
    assert_eq!(post(&router, "/tools/stays/validate", "{}").await.body, r#"{"valid":true}"#);
    tools.leave.notify_waiters();
    assert_eq!(staying.await.unwrap().status, 200);
    let answer = post(&router, "/tools/heavy/validate", heavy()).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.starts_with(r#"{"valid":false,"#), "{}", answer.body);
}

#[test]
fn runs_long_validations_off_the_runtime() {
    const CHECKS: usize = 50;
    let runtime = Runtime::new_current_thread().enable_all().max_blocking_threads(3).build().unwrap();
    runtime.block_on(async {
        let router = Tools::new().router(|builder| builder.blocking_threads(2));
        let ended = Arc::new(AtomicUsize::new(0));
        let mut checks = JoinSet::new();
        for _ in 0..CHECKS {
            let (router, ended) = (router.clone(), Arc::clone(&ended));
            checks.spawn(async move {
                let answer = post(&router, "/tools/heavy/validate", heavy()).await;
                ended.fetch_add(1, Ordering::SeqCst);
                answer.status
            });
        }
        for _ in 0..20 {
            yield_now().await;
        }
        let before = {
            let ended = Arc::clone(&ended);
            tokio::task::spawn_blocking(move || ended.load(Ordering::SeqCst)).await.unwrap()
        };
        assert!(before < CHECKS / 2, "another waited for {before} of {CHECKS} checks");
        assert!(checks.join_all().await.into_iter().all(|status| status == 200));
    });
}
