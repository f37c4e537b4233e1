//! Invalid values are rejected at any depth, and validation takes limited time.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_core::lint::{LintRule, lint};
use tool_core::{DynamicTool, FailureKind, Operation, Output, Registry, ToolDefinition, tool};

use crate::providers::Log;
use crate::tools_of;

/// A recursive expression without a tag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it is shown by `Debug`")]
enum Expression {
    Leaf(i64),
    And { left: Box<Expression>, and: i64 },
    Or { left: Box<Expression>, or: i64 },
    Xor { left: Box<Expression>, xor: i64 },
}

/// Shows an expression.
#[tool(operation = Transform)]
fn show_expression(
    /// What to show.
    expression: Expression,
    /// How often.
    times: Option<u8>,
) -> String {
    format!("{expression:?}").repeat(times.unwrap_or(1).into())
}

fn nested(levels: usize, leaf: &Value, own: &str) -> Value {
    (0..levels).fold(leaf.clone(), |inner, _| json!({"left": inner, own: 1}))
}

fn deep() -> Value {
    (0..20).fold(json!(1), |inner, _| json!([inner]))
}

/// A schema whose problems cannot be explained for deeply nested values.
fn in_parts() -> Value {
    json!({
        "type": "object",
        "allOf": [{"$ref": "#/$defs/Base"}],
        "$defs": {
            "Base": {"properties": {"n": {"type": "integer"}}, "required": ["n"]},
            "Either": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Either"}}, {"type": "integer"}]},
        },
    })
}

fn registry_of(definition: tool_core::definition::ToolDefinitionBuilder, output: Value) -> Registry {
    let definition = definition.operation(Operation::Read).build().unwrap();
    let answer = move |_, _: Value| {
        let output = Output::json(&output);
        async move { Ok(output.unwrap()) }
    };
    Registry::builder().tool(DynamicTool::new(definition, answer)).build().unwrap()
}

#[tokio::test]
async fn rejects_invalid_arguments_at_any_depth() {
    let registry =
        registry_of(ToolDefinition::builder("deep", "Takes much.").input_schema(in_parts()), json!({}));
    assert!(registry.call("deep", json!({"n": 1, "deep": deep()})).await.is_ok());
    for (arguments, path) in [
        (json!({"n": "x", "deep": deep()}), "/n"),
        (json!({ "deep": deep() }), "/n"),
        (json!({"n": [deep()]}), "/n"),
    ] {
        let failure = registry.call("deep", arguments.clone()).await.unwrap_err();
        assert_eq!(
            (failure.kind(), failure.problems()[0].path.as_str()),
            (FailureKind::Input, path),
            "{arguments}"
        );
        assert!(registry.validate("deep", arguments.to_string().as_bytes()).is_err());
    }
}

#[tokio::test]
async fn rejects_invalid_outputs_at_any_depth() {
    let tool = || ToolDefinition::builder("says", "Says much.").output_schema(in_parts());
    let kind = |output: Value| async move {
        registry_of(tool(), output)
            .call("says", json!({}))
            .await
            .map(|_| ())
            .map_err(|failure| failure.kind())
    };
    assert_eq!(kind(json!({"n": 1, "deep": deep()})).await, Ok(()));
    assert_eq!(kind(json!({"n": "x", "deep": deep()})).await, Err(FailureKind::Internal));
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    let deeper = (0..200).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(kind(json!({"n": 1, "deep": deeper})).await, Err(FailureKind::Internal));
    drop(guard);
    assert_eq!(
        (log.count("nested too deeply"), log.count("no structured output"), log.count("broken")),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn limits_decoding_of_untagged_enums() {
    let registry = tools_of(module_path!());
    let call = |arguments: Value| {
        let registry = registry.clone();
        async move {
            let begin = Instant::now();
            let result = registry.call("show_expression", arguments).await;
            assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
            result
        }
    };
    assert!(call(json!({"expression": nested(6, &json!(1), "xor")})).await.is_ok());
    // Valid, invalid, and valid next to an invalid input.
    for arguments in [
        json!({"expression": nested(60, &json!(1), "xor")}),
        json!({"expression": nested(60, &json!("x"), "xor")}),
        json!({"expression": nested(60, &json!(1), "xor"), "times": "often"}),
    ] {
        let failure = call(arguments).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input);
        assert!(failure.problems().iter().any(|problem| problem.path == "/expression"), "{failure:?}");
    }
    let findings: Vec<_> =
        lint(&registry).into_iter().filter(|found| found.rule == LintRule::ChoiceUntagged).collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].tool.as_deref(), Some("show_expression"));
}

#[tokio::test]
async fn limits_examples_in_failures() {
    let names: Vec<String> = (0..900).map(|n| format!("a{n}")).collect();
    let refers = |name: &String| (name.clone(), json!({"$ref": "#/$defs/Big"}));
    let properties: Map<String, Value> = names.iter().map(refers).collect();
    let big = json!({"type": "string", "description": "y".repeat(50_000), "examples": ["x".repeat(100_000)]});
    let schema =
        json!({"type": "object", "required": names, "properties": properties, "$defs": {"Big": big}});
    let definition = ToolDefinition::builder("big", "Takes much.").input_schema(schema).build().unwrap();
    let shown = serde_json::to_string(definition.inputs()).unwrap();
    assert!(shown.len() < 4 << 20, "{}", shown.len());
    let tool = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let failure = registry.call("big", json!({})).await.unwrap_err();
    assert!(failure.text().len() < 200_000, "{}", failure.text().len());
    assert!(failure.example().is_none_or(|example| example.to_string().len() <= 4_096));
}
