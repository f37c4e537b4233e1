//! Coercion of arguments with the wrong JSON type.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{CallOptions, FailureKind, tool};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::{strict_tools_of, tools_of};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    x: f64,
    y: Option<i32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
}

/// Repeats what it was given.
#[tool(operation = Transform)]
#[allow(clippy::too_many_arguments)]
fn lenient(
    n: Option<i64>,
    wide: Option<u128>,
    on: Option<bool>,
    text: Option<String>,
    either: Option<Either>,
    any: Option<Value>,
    list: Option<Vec<u8>>,
    point: Option<Point>,
    points: Option<BTreeMap<String, Point>>,
    day: Option<Date>,
    #[arg(secret)] pin: Option<u32>,
    #[arg(secret)] keys: Option<BTreeMap<String, u8>>,
) -> Value {
    let wide = wide.map(|wide| wide.to_string());
    let secret = (pin, keys);
    json!([n, wide, on, text, either, any, list, point, points, day, secret])
}

/// Returns the given values of an output.
fn given_values(output: &Value) -> Vec<&Value> {
    output.as_array().unwrap().iter().take(10).filter(|value| !value.is_null()).collect()
}

#[tokio::test]
async fn coerces_strings_to_the_expected_type() {
    let registry = tools_of(module_path!());
    let strict = strict_tools_of(module_path!());
    for (arguments, expected, coercions) in [
        (r#"{"n":"5"}"#, json!([5]), "/n: the string was read as a number"),
        (r#"{"n":"-5.0"}"#, json!([-5]), "/n: the string was read as a number"),
        (
            r#"{"wide":"340282366920938463463374607431768211455"}"#,
            json!(["340282366920938463463374607431768211455"]),
            "/wide: the string was read as a number",
        ),
        (r#"{"on":"true"}"#, json!([true]), "/on: the string was read as a boolean"),
        (
            r#"{"list":"[1, \"2\"]"}"#,
            json!([[1, 2]]),
            "/list: the string was read as a list\n/list/1: the string was read as a number",
        ),
        (
            r#"{"point":"{\"x\": \"1.5\", \"y\": null}"}"#,
            json!([{"x": 1.5, "y": null}]),
            "/point: the string was read as an object\n/point/x: the string was read as a number",
        ),
        (
            r#"{"points":{"a/b":{"x":"1"}},"n":null}"#,
            json!([{"a/b": {"x": 1.0, "y": null}}]),
            "/points/a~1b/x: the string was read as a number",
        ),
        (r#""{\"n\": 1}""#, json!([1]), "the string was read as an object"),
    ] {
        let output = registry
            .call_with("lenient", arguments.as_bytes(), &CallOptions::new())
            .await
            .result
            .unwrap()
            .value();
        assert_eq!(json!(given_values(&output)), expected, "{arguments}");
        let validation = registry.validate("lenient", arguments.as_bytes()).unwrap();
        let found: Vec<_> = validation.coercions.iter().map(ToString::to_string).collect();
        assert_eq!(found.join("\n"), coercions, "{arguments}");
        let failure = strict.validate("lenient", arguments.as_bytes()).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{arguments}");
    }
}

#[tokio::test]
async fn keeps_strings_that_the_schema_allows() {
    let registry = tools_of(module_path!());
    for (arguments, expected) in [
        (r#"{"text":"5"}"#, json!(["5"])),
        (r#"{"either":"5"}"#, json!(["5"])),
        (r#"{"any":"[1]"}"#, json!(["[1]"])),
        // Only `n` is coerced.
        (r#"{"any":"5","text":"true","either":"1","n":"5"}"#, json!([5, "true", "1", "5"])),
    ] {
        let output = registry
            .call_with("lenient", arguments.as_bytes(), &CallOptions::new())
            .await
            .result
            .unwrap()
            .value();
        assert_eq!(json!(given_values(&output)), expected, "{arguments}");
    }
}

#[tokio::test]
async fn rejects_ambiguous_values() {
    let registry = tools_of(module_path!());
    for (arguments, problem) in [
        (r#"{"n":"five"}"#, "/n: expected an integer, got the string `five`"),
        (r#"{"n":"1.5"}"#, "/n: expected an integer, got the string `1.5`"),
        (r#"{"on":"yes"}"#, "/on: expected `true` or `false`, got the string `yes`"),
        (r#"{"on":1}"#, "/on: expected `true` or `false`, got `1`"),
        (r#"{"text":5}"#, "/text: expected a string, got `5`"),
        (r#"{"list":"1,2"}"#, "/list: expected a list, got the string `1,2`"),
        (r#"{"list":1}"#, "/list: expected a list, got `1`"),
        (
            r#"{"point":"{\"x\":1,\"x\":2}"}"#,
            "/point: expected an object with `x`, got the string `{\"x\":1,\"x\":2}`",
        ),
        // A coerced value is validated like any other.
        (r#"{"list":"[256]"}"#, "/list/0: expected at most 255, got `256`"),
        (
            r#"{"point":"{\"z\":1}"}"#,
            "/point/z: unknown property `z`: the properties are `x`, `y`\n/point/x: missing required property: expected a number",
        ),
    ] {
        let failure = registry.validate("lenient", arguments.as_bytes()).unwrap_err();
        let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems.join("\n"), problem, "{arguments}");
    }
}

#[tokio::test]
async fn rejects_deeply_nested_strings() {
    let registry = tools_of(module_path!());
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let arguments = json!({"any": {"a": 1}, "list": deep}).to_string();
    let failure = registry.validate("lenient", arguments.as_bytes()).unwrap_err();
    assert_eq!(failure.problems()[0].path, "/list/0");
    let deeper = json!({"points": {"a": format!("{}{}", "[".repeat(126), "]".repeat(126))}}).to_string();
    let failure = registry.validate("lenient", deeper.as_bytes()).unwrap_err();
    assert_eq!(failure.problems()[0].path, "/points/a");
}

#[test]
fn traces_coercions_without_values() {
    let events = Events::default();
    let registry = tools_of(module_path!());
    let arguments = r#"{"n":"815","pin":"815","keys":{"815":"15"}}"#;
    tracing::subscriber::with_default(events.clone(), || {
        registry.validate("lenient", arguments.as_bytes()).unwrap();
    });
    let events = events.0.lock().unwrap();
    let coercions: Vec<_> =
        events.iter().filter(|event| event.contains("coerced a string argument")).collect();
    assert_eq!(coercions.len(), 3, "{events:?}");
    assert!(coercions[0].contains("path=\"/n\" kind=number"), "{events:?}");
    assert!(coercions[1].contains("path=\"/pin\" kind=number"), "{events:?}");
    assert!(coercions[2].contains("path=\"/keys\" kind=number"), "{events:?}");
    assert!(!events.concat().contains("815"), "{events:?}");
}

/// Records traced events as text.
#[derive(Clone, Default)]
pub(crate) struct Events(pub(crate) Arc<Mutex<Vec<String>>>);

impl Subscriber for Events {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Text(String);

        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                self.0 += &format!("{field}={value:?} ");
            }
        }

        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
