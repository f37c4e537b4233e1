//! Arguments and results in spans.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::testing::Answers;
use tool_core::{
    Context, DynamicTool, Failure, Operation, Output, Registry, ToolDefinition, ToolError, tool,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the fields of spans that are recorded later.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{}={value:?}", field.name()));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.lock().unwrap().push(format!("{}={value}", field.name()));
    }
}

impl Subscriber for Recorded {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn registry(trace_content: bool) -> Registry {
    let schema = json!({"type": "object", "properties": {
        "user": {"type": "string"},
        "password": {"type": "string", "writeOnly": true},
    }});
    let definition = ToolDefinition::builder("sign_in", "Signs in.").operation(Operation::Read);
    let definition = definition.input_schema(schema).build().unwrap();
    let tool = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("welcome")) });
    Registry::builder().tool(tool).trace_content(trace_content).build().unwrap()
}

#[tokio::test]
async fn records_content_only_if_enabled_and_no_secrets() {
    for (trace_content, expected) in [
        (false, &[][..]),
        (
            true,
            &[
                r#"gen_ai.tool.call.arguments={"user":"ada","password":"(secret)"}"#,
                r#"gen_ai.tool.call.result="welcome""#,
            ],
        ),
    ] {
        let recorded = Recorded::default();
        let guard = tracing::subscriber::set_default(recorded.clone());
        registry(trace_content)
            .call("sign_in", json!({"user": "ada", "password": "swordfish"}))
            .await
            .unwrap();
        drop(guard);
        assert_eq!(*recorded.0.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn records_the_kind_of_a_failure() {
    let recorded = Recorded::default();
    let guard = tracing::subscriber::set_default(recorded.clone());
    registry(false).call("sign_in", json!({"user": 5.5})).await.unwrap_err();
    drop(guard);
    assert_eq!(*recorded.0.lock().unwrap(), ["error.type=invalid_input", "otel.status_code=ERROR"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool(operation = Read)]
async fn ask_name(#[inject] context: Context) -> Result<String, Failure> {
    Ok(context.elicit::<Name>("What is your name?").await?.required()?.name)
}

#[tokio::test]
async fn records_no_failure_of_a_question() {
    let registry = Registry::builder().linked().select(|tool| tool.name() == "ask_name").build().unwrap();
    let recorded = Recorded::default();
    let guard = tracing::subscriber::set_default(recorded.clone());
    let answers = Answers::new().accept(json!({"name": "Ada"}));
    let output = answers.call(&registry, "ask_name", json!({})).await.unwrap();
    drop(guard);
    assert_eq!(output.value(), "Ada");
    assert_eq!(*recorded.0.lock().unwrap(), [""; 0]);
}

/// Runs a call again, and hides what it returns.
#[derive(Debug)]
struct RetryAndHide;

impl Layer for RetryAndHide {
    async fn call(&self, _: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        let again = next.try_clone().unwrap();
        next.run().await.unwrap_err();
        again.run().await.map(|_| Output::text("hidden"))
    }
}

#[tokio::test]
async fn records_the_outcome_after_all_layers() {
    let definition = ToolDefinition::builder("flaky", "Fails at first.").operation(Operation::Read);
    let calls = AtomicUsize::new(0);
    let tool = DynamicTool::new(definition.build().unwrap(), move |_, _: Value| {
        let is_first = calls.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            if is_first {
                Err(ToolError::unavailable("not yet").into())
            } else {
                Ok(Output::text("swordfish"))
            }
        }
    });
    let builder = Registry::builder().tool(tool).layer(RetryAndHide).trace_content(true);
    let registry = builder.build().unwrap();
    let recorded = Recorded::default();
    let guard = tracing::subscriber::set_default(recorded.clone());
    assert_eq!(registry.call("flaky", json!({})).await.unwrap().value(), "hidden");
    drop(guard);
    let expected = ["gen_ai.tool.call.arguments={}", r#"gen_ai.tool.call.result="hidden""#];
    assert_eq!(*recorded.0.lock().unwrap(), expected);
}
