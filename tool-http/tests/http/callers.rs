//! Who a call is made by, and what is answered to one that may not make it.

use axum::Router;
use tool_core::{Builder, Context, Registry, tool};
use tool_http::{Options, router_with};

use crate::client::{get, post};

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody known").to_owned()
}

/// Forgets who called.
#[tool(operation = Write, destructive = true)]
fn forget() {}

fn executing(settings: impl FnOnce(Builder) -> Builder) -> Router {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    router_with(settings(builder).build().unwrap(), Options::new().allow_execute(true))
}

#[tokio::test]
async fn whoever_sends_a_request_is_anonymous() {
    let answer = post(&executing(|builder| builder), "/tools/who/call", "").await;
    assert!(
        answer.body.starts_with(r#"{"content":[{"type":"text","text":"nobody known"}]"#),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn what_modifies_is_refused_while_the_registry_is_read_only() {
    let router = executing(Builder::read_only);
    let answer = post(&router, "/tools/forget/call", "{}").await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (403, r#"{"error":"`forget` was not run: it modifies, and this registry is read only"}"#)
    );
    assert_eq!(get(&router, "/tools/forget").await.status, 404);
    assert_eq!(post(&router, "/tools/nope/call", "{}").await.status, 404);
}
