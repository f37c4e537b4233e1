//! A tool that calls other tools through the registry that it was called through.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::audit::AuditEvent;
use tool_core::failure::Reason;
use tool_core::progress::Progress;
use tool_core::provider::{IntoToolsProvider as _, Providers};
use tool_core::{
    CallOptions, Context, DynamicTool, FailureKind, Output, Principal, Registry, ToolDefinition, ToolError,
    tool,
};

use crate::{builder_of, tools_of};

/// Who calls, as part of which trace.
#[tool(operation = Explain, name = "nested.who")]
fn who(#[inject] context: Context) -> (Option<String>, Option<String>) {
    let trace = context.traceparent().map(|trace| format!("{:032x}", trace.trace_id()));
    (context.principal().id().map(str::to_owned), trace)
}

/// What is for a few.
#[tool(operation = Read, name = "nested.guarded", permission = "vault.open")]
fn guarded() -> &'static str {
    "gold"
}

/// Calls a tool, and tells what came of it.
#[tool(operation = Trigger, destructive = false, name = "nested.relay")]
async fn relay(#[inject] registry: Registry, name: String) -> Result<Value, ToolError> {
    relayed(&registry, &name).await
}

/// The same, as a tool that writes.
#[tool(operation = Write, destructive = false, name = "nested.store")]
async fn store(#[inject] registry: Registry, name: String) -> Result<Value, ToolError> {
    relayed(&registry, &name).await
}

async fn relayed(registry: &Registry, name: &str) -> Result<Value, ToolError> {
    match registry.call(name, json!({})).await {
        Ok(output) => Ok(output.value()),
        Err(failure) => Err(ToolError::failed(format!("{:?}: {failure}", failure.kind()))),
    }
}

#[tokio::test]
async fn what_is_called_within_a_call_is_of_the_same_caller_and_trace() {
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let registry = tools_of(module_path!())
        .as_principal(Principal::new("ada"))
        .with_options(&CallOptions::new().trace(Some(trace.parse().unwrap())));
    for tool in ["nested.relay", "nested.store"] {
        let output = registry.call(tool, json!({"name": "nested.who"})).await.unwrap();
        assert_eq!(output.value(), json!(["ada", "4bf92f3577b34da6a3ce929d0e0e4736"]), "{tool}");
    }
}

#[tokio::test]
async fn the_caller_is_given_no_more_than_it_has() {
    let registry = tools_of(module_path!());
    let call = async |who: Principal| {
        registry.as_principal(who).call("nested.relay", json!({"name": "nested.guarded"})).await
    };
    let failure = call(Principal::new("bob")).await.unwrap_err();
    assert!(failure.message().starts_with("Denied: "), "{failure}");
    let output = call(Principal::new("ada").grant("vault.open")).await.unwrap();
    assert_eq!(output.value(), "gold");
}

/// Tells how far it has come.
#[tool(operation = Explain, name = "nested.counts")]
fn counts(#[inject] context: Context) {
    context.progress(4, 10, "within");
}

/// Is done, and only then calls another.
#[tool(operation = Trigger, destructive = false, name = "nested.reports")]
async fn reports(#[inject] context: Context, #[inject] registry: Registry) -> Result<Value, ToolError> {
    context.progress(100, 100, "outer");
    relayed(&registry, "nested.counts").await
}

#[tokio::test]
async fn the_progress_of_a_call_within_a_call_is_not_that_of_the_outer_one() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&heard);
    let registry = tools_of(module_path!()).with_options(&CallOptions::new().progress(Arc::new(
        move |progress: &Progress<'_>| {
            sink.lock().unwrap().push((progress.done, progress.message.to_owned()));
        },
    )));
    registry.call("nested.reports", json!({})).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [(100, "outer".to_owned())]);
    // It is heard where nothing is around it.
    registry.call("nested.counts", json!({})).await.unwrap();
    assert_eq!(heard.lock().unwrap().last().unwrap().0, 4);
}

#[tokio::test]
async fn every_call_has_a_record_of_its_own() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let registry = builder_of(module_path!())
        .audit(move |event: &AuditEvent<'_>| {
            sink.lock().unwrap().push((event.name.to_owned(), event.call_id));
        })
        .build()
        .unwrap();
    registry.call("nested.relay", json!({"name": "nested.who"})).await.unwrap();
    let seen = seen.lock().unwrap();
    let [(inner, first), (outer, second)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((inner.as_str(), outer.as_str()), ("nested.who", "nested.relay"));
    assert_ne!(first, second);
}

#[tokio::test]
async fn the_registry_is_the_one_that_was_called_and_not_the_one_at_home() {
    let home = tools_of(module_path!());
    let definition =
        ToolDefinition::builder("nested.elsewhere", "Stands in another registry.").build().unwrap();
    let other = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("here")) });
    let other = Registry::builder().tool(other).build().unwrap();
    let joined = Providers::new().with("home", home.clone()).with("other", other).into_provider();
    let all = joined.tools().await.unwrap();
    let arguments = json!({"name": "nested.elsewhere"});
    let output = all.registry().call("nested.relay", arguments.clone()).await.unwrap();
    assert_eq!(output.value(), "here");
    let failure = home.call("nested.relay", arguments).await.unwrap_err();
    assert!(failure.message().starts_with("NotFound: "), "{failure}");
}

#[tokio::test]
async fn a_tool_may_call_itself_to_an_end() {
    let registry = tools_of(module_path!());
    let failure = registry.call("nested.relay", json!({"name": "nested.relay"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    assert!(failure.message().starts_with("Input: "), "{failure}");
}
