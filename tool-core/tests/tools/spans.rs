//! Log events of a call are recorded within its span.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::{Context, DynamicTool, FailureKind, Operation, Output, Registry, ToolDefinition, tool};

/// Starts a task that panics.
#[tool(operation = Write, destructive = false)]
async fn spans_panic(#[inject] context: Context) {
    context.spawn(async { panic!("lost") });
}

/// Fails at length.
#[tool(operation = Read)]
fn spans_long() -> Result<String, String> {
    Err("é".repeat(5_000))
}

/// The same on a thread that it blocks.
#[tool(operation = Read, blocking)]
fn spans_long_blocking() -> Result<String, String> {
    spans_long()
}

thread_local! {
    static WITHIN: Cell<u32> = const { Cell::new(0) };
}

/// Records events of the crate, with the number of spans around each.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(u32, String)>>>);

impl tracing::Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("tool_core")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!("{}={value:?} ", field.name()));
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push((WITHIN.get(), text.0));
    }
    fn enter(&self, _: &tracing::span::Id) {
        WITHIN.set(WITHIN.get() + 1);
    }
    fn exit(&self, _: &tracing::span::Id) {
        WITHIN.set(WITHIN.get() - 1);
    }
}

/// Returns a registry with a tool whose output breaks its schema.
fn breaks(operation: Operation) -> Registry {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let definition = ToolDefinition::builder("breaks", "Breaks its word.").operation(operation);
    let definition = definition.output_schema(schema).build().unwrap();
    let tool =
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::json(&json!({"n": "x"})).unwrap()) });
    Registry::builder().tool(tool).build().unwrap()
}

#[tokio::test]
async fn logs_broken_outputs_within_the_span() {
    for operation in [Operation::Read, Operation::Write] {
        let spans = Spans::default();
        let guard = tracing::subscriber::set_default(spans.clone());
        let failure = breaks(operation).call("breaks", json!({})).await.unwrap_err();
        drop(guard);
        assert_eq!(failure.kind(), FailureKind::Internal);
        let events = spans.0.lock().unwrap();
        let [(within, cause), (also_within, outcome)] = &events[..] else { panic!("{events:?}") };
        assert!(*within > 0 && cause.contains("broken"), "{operation}: {within} {cause}");
        assert!(*also_within > 0 && outcome.contains("error.type=\"internal\""), "{operation}: {outcome}");
    }
}

#[tokio::test]
async fn logs_panics_of_tasks_within_a_span() {
    let registry = Registry::builder().linked().select(|tool| tool.name() == "spans_panic").build().unwrap();
    let spans = Spans::default();
    let guard = tracing::subscriber::set_default(spans.clone());
    registry.call("spans_panic", json!({})).await.unwrap();
    registry.drain().await;
    drop(guard);
    let events = spans.0.lock().unwrap();
    let [(within, text)] = &events[..] else { panic!("{events:?}") };
    assert!(*within > 0 && text.contains("lost"), "{within} {text}");
}

#[tokio::test]
async fn limits_messages_like_outputs() {
    let is_long = |tool: &ToolDefinition| tool.name().starts_with("spans_long");
    for name in ["spans_long", "spans_long_blocking"] {
        for (limit, length) in [(1_000, 999), (1_001, 1_001), (20_000, 10_000)] {
            let registry = Registry::builder().linked().select(is_long).output_limit(limit).build().unwrap();
            let failure = registry.call(name, json!({})).await.unwrap_err();
            assert_eq!(failure.message().len(), length, "{name} {limit}");
            assert_eq!(failure.message().ends_with('…'), limit < 10_000);
        }
    }
}

/// A subscriber that panics on every event.
struct Closed;

impl tracing::Subscriber for Closed {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        panic!("stderr is closed");
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn returns_failures_when_logging_panics() {
    for operation in [Operation::Read, Operation::Write] {
        let definition = ToolDefinition::builder("fails", "Fails.").operation(operation).build().unwrap();
        let tool = DynamicTool::new(definition, |_, _: Value| async {
            Err::<Output, _>(tool_core::ToolError::failed("it rains").into())
        });
        let registry = Registry::builder().tool(tool).build().unwrap();
        let guard = tracing::subscriber::set_default(Closed);
        let failure = registry.call("fails", json!({})).await.unwrap_err();
        drop(guard);
        assert_eq!(failure.message(), "it rains", "{operation}");
    }
}
