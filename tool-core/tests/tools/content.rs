//! Arguments and results in spans.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};
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
