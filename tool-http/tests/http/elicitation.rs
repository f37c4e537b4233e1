//! Elicitation, which HTTP does not support.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::elicitation::{AskKind, Sample};
use tool_core::{Context, Failure, Registry, tool};
use tool_http::{Options, router_with};

use crate::client::post;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Asks, unless it was told.
#[tool(operation = Read)]
async fn greet_whom(#[inject] context: Context, name: Option<String>) -> Result<String, Failure> {
    let name = match name {
        Some(name) => name,
        None => context.elicit::<Name>("Whom?").await?.required()?.name,
    };
    Ok(format!("Hello, {name}!"))
}

/// Does without an answer.
#[tool(operation = Read)]
async fn muse(#[inject] context: Context) -> Result<String, Failure> {
    if !context.supports(AskKind::Sample) {
        return Ok("silence".to_owned());
    }
    Ok(context.sample(Sample::new(10).user("Say something")).await?.as_text())
}

#[tokio::test]
async fn does_not_support_elicitation() {
    let registry =
        Registry::builder().linked().select(|tool| tool.source().module == module_path!()).build().unwrap();
    let router = router_with(registry, Options::new().allow_execute(true));
    let answer = post(&router, "/tools/greet_whom/call", "{}").await;
    let error = "`greet_whom` has a question, which this caller does not support: call it over MCP or on the command line";
    let expected = json!({"error": error, "kind": "unsupported", "retryable": false});
    assert_eq!((answer.status, answer.body), (501, expected.to_string()));
    let answer = post(&router, "/tools/greet_whom/call", r#"{"name": "Ada"}"#).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("Hello, Ada!"), "{}", answer.body);
    let answer = post(&router, "/tools/muse/call", "{}").await;
    assert!(answer.body.contains("silence"), "{}", answer.body);
}
