//! Tools that call other tools through an injected registry.

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

/// Returns the caller and the trace.
#[tool(operation = Explain, name = "nested.who")]
fn who(#[inject] context: Context) -> (Option<String>, Option<String>) {
    let trace = context.traceparent().map(|trace| format!("{:032x}", trace.trace_id()));
    (context.principal().id().map(str::to_owned), trace)
}

/// Needs a permission.
#[tool(operation = Read, name = "nested.guarded", permission = "vault.open")]
fn guarded() -> &'static str {
    "gold"
}

/// Calls a tool, and returns its result.
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
async fn passes_caller_and_trace_to_nested_calls() {
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
async fn checks_permissions_of_nested_calls() {
    let registry = tools_of(module_path!());
    let call = async |who: Principal| {
        registry.as_principal(who).call("nested.relay", json!({"name": "nested.guarded"})).await
    };
    let failure = call(Principal::new("bob")).await.unwrap_err();
    assert!(failure.message().starts_with("Denied: "), "{failure}");
    let output = call(Principal::new("ada").grant("vault.open")).await.unwrap();
    assert_eq!(output.value(), "gold");
}

/// Reports progress.
#[tool(operation = Explain, name = "nested.counts")]
fn counts(#[inject] context: Context) {
    context.progress(4, 10, "within");
}

/// Reports full progress, and then calls a tool.
#[tool(operation = Trigger, destructive = false, name = "nested.reports")]
async fn reports(#[inject] context: Context, #[inject] registry: Registry) -> Result<Value, ToolError> {
    context.progress(100, 100, "outer");
    relayed(&registry, "nested.counts").await
}

#[tokio::test]
async fn ignores_progress_of_nested_calls() {
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let registry = tools_of(module_path!()).with_options(&CallOptions::new().progress(Arc::new(
        move |progress: &Progress<'_>| {
            sink.lock().unwrap().push((progress.done, progress.message.to_owned()));
        },
    )));
    registry.call("nested.reports", json!({})).await.unwrap();
    assert_eq!(*received.lock().unwrap(), [(100, "outer".to_owned())]);
    // A direct call reports its progress.
    registry.call("nested.counts", json!({})).await.unwrap();
    assert_eq!(received.lock().unwrap().last().unwrap().0, 4);
}

#[tokio::test]
async fn audits_nested_calls_separately() {
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
async fn injects_the_registry_of_the_call() {
    let own = tools_of(module_path!());
    let definition =
        ToolDefinition::builder("nested.elsewhere", "Stands in another registry.").build().unwrap();
    let other = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("here")) });
    let other = Registry::builder().tool(other).build().unwrap();
    let joined = Providers::new().with("home", own.clone()).with("other", other).into_provider();
    let all = joined.tools(&Principal::anonymous()).await.unwrap();
    let arguments = json!({"name": "nested.elsewhere"});
    let output = all.registry().call("nested.relay", arguments.clone()).await.unwrap();
    assert_eq!(output.value(), "here");
    let failure = own.call("nested.relay", arguments).await.unwrap_err();
    assert!(failure.message().starts_with("NotFound: "), "{failure}");
}

#[tokio::test]
async fn allows_tools_to_call_themselves() {
    let registry = tools_of(module_path!());
    let failure = registry.call("nested.relay", json!({"name": "nested.relay"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Failed(Reason::Other));
    assert!(failure.message().starts_with("Input: "), "{failure}");
}
