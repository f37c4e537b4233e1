//! Custom input schemas (`schema = …`).

use jiff::civil::Date;
use serde_json::{Value, json};
use tool_core::{BuildError, FailureKind, tool};

use crate::{strict_tools_of, tools_of};

fn booking() -> Value {
    json!({
        "type": "object",
        "title": "A booking",
        "properties": {
            "day": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "examples": ["2014-07-04"]},
            "seats": {"type": "integer", "multipleOf": 2, "minimum": 2},
            "pin": {"type": "string", "description": "Four digits."},
        },
        "required": ["day"],
        "dependentRequired": {"seats": ["pin"]},
        "additionalProperties": false,
        "examples": [{"day": "2015-01-01"}],
    })
}

/// Books a table.
///
/// ```tool
/// {"day": "2014-12-24", "seats": 2, "pin": "1234"}
/// ```
#[tool(operation = Transform, schema = booking())]
fn reserve(
    day: Date,
    /// How many sit at it.
    #[arg(default = 4)]
    seats: u8,
    /// The schema has another description.
    #[arg(secret)]
    pin: Option<String>,
) -> Value {
    json!([day, seats, pin.is_some()])
}

/// A schema without a type for a secret.
mod untyped {
    use serde_json::json;
    use tool_core::tool;

    /// Opens a safe.
    #[tool(operation = Transform, schema = json!({"type": "object", "properties": {"code": true}, "required": ["code"], "additionalProperties": false}))]
    fn open_safe(#[arg(secret)] code: u32) -> u32 {
        code
    }
}

#[tokio::test]
async fn hides_secrets_without_a_type() {
    let failure = tools_of(concat!(module_path!(), "::untyped"))
        .call("open_safe", json!({"code": "hunter2"}))
        .await
        .unwrap_err();
    assert!(!failure.text().contains("hunter2"), "{}", failure.text());
}

/// Secrets that a schema marks outside of its properties, and in its examples.
mod conditional {
    use serde_json::{Value, json};
    use tool_core::tool;

    fn account() -> Value {
        json!({
            "type": "object",
            "properties": {"kind": {"type": "string"}, "login": {}, "codes": {"type": "array"}},
            "required": ["kind", "login"],
            "if": {"properties": {"kind": {"const": "token"}}},
            "then": {"properties": {"login": {"type": "string", "maxLength": 12, "writeOnly": true}}},
            "else": {"properties": {"login": {"type": "object", "properties": {"password": {"type": "string", "writeOnly": true}}}}},
            "dependentSchemas": {"codes": {"properties": {"codes": {"contains": {"type": "integer", "writeOnly": true}}}}},
            "additionalProperties": false,
            "examples": [{"kind": "token", "login": "hunter2", "codes": [7_777_777]}],
        })
    }

    /// Opens an account.
    #[tool(operation = Transform, schema = account())]
    fn open_account(kind: String, login: Value, codes: Option<Vec<Value>>) -> Value {
        json!([kind, login, codes])
    }
}

#[tokio::test]
async fn hides_secrets_in_every_subschema() {
    let registry = strict_tools_of(concat!(module_path!(), "::conditional"));
    let tool = registry.get("open_account").unwrap();
    let shown = format!("{:?} {}", tool.examples(), tool.example());
    assert!(!shown.contains("hunter2") && !shown.contains("7777777"), "{shown}");
    assert_eq!(tool.examples()[0]["kind"], "token");
    for arguments in [
        json!({"kind": "token", "login": "hunter2hunter2"}),
        json!({"kind": "token", "login": {"a": "hunter2"}}),
        json!({"kind": "token", "login": "x", "codes": ["hunter2"]}),
        json!({"kind": "user", "login": {"password": ["hunter2"]}}),
        json!({"kind": "user", "login": "hunter2"}),
    ] {
        let failure = registry.call("open_account", arguments.clone()).await.unwrap_err();
        let shown = format!("{} {}", failure.text(), serde_json::to_string(&failure).unwrap());
        assert!(!shown.contains("hunter2") && !shown.contains("7777777"), "{shown}");
    }
}

#[test]
fn publishes_the_custom_schema() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    let tool = registry.get("reserve").unwrap();
    let mut expected = booking();
    expected["properties"]["pin"]["writeOnly"] = true.into();
    // The doc comment of an input that the schema does not describe.
    expected["properties"]["seats"]["description"] = "How many sit at it.".into();
    assert_eq!(tool.input_schema().to_string(), expected.to_string());
    let inputs: Vec<_> =
        tool.inputs().iter().map(|input| (input.name.as_deref().unwrap(), input.secret)).collect();
    assert_eq!(inputs, [("day", false), ("seats", false), ("pin", true)]);
    assert_eq!(tool.examples().len(), 2);
    assert_eq!(*tool.example(), json!({"day": "2014-12-24", "seats": 2, "pin": "(secret)"}));
}

#[tokio::test]
async fn validates_the_schema_before_the_types() {
    let registry = strict_tools_of(module_path!());
    assert_eq!(
        registry.call("reserve", json!({"day": "2014-07-04"})).await.unwrap().value(),
        json!(["2014-07-04", 4, false])
    );
    for (arguments, expected) in [
        (
            json!({"day": "today"}),
            "/day: expected a string that matches `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, got the string `today`",
        ),
        (json!({"day": "2014-07-04", "seats": 3, "pin": "1"}), "/seats: expected a multiple of 2, got `3`"),
        (json!({"day": "2014-07-04", "seats": 4}), "/pin: missing required input: expected a string"),
        (
            json!({"day": "2014-07-04", "seats": 512, "pin": "1"}),
            "/seats: expected an integer of at least 2, got `512`: out of range",
        ),
    ] {
        let failure = registry.call("reserve", arguments.clone()).await.unwrap_err();
        let problems: Vec<_> = failure.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems, [expected], "{arguments}");
    }
    let failure = registry.call("reserve", json!({"day": "2014-02-30"})).await.unwrap_err();
    assert_eq!(failure.problems()[0].keyword, "format");
}

mod faulty {
    use super::*;

    fn another() -> Value {
        json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "c": {"type": "string"}},
        })
    }

    /// Has a schema that differs from its inputs.
    #[tool(operation = Transform, schema = another())]
    fn a_differs(a: String, b: u8) -> String {
        format!("{a} {b}")
    }

    fn doubled() -> Value {
        (0..30).fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner, {"type": "integer"}]}))
    }

    /// Has a schema that is no object.
    #[tool(operation = Transform, schema = doubled())]
    fn b_none(a: String) -> String {
        a
    }
}

#[tokio::test]
async fn reports_differences_from_the_function() {
    let registry = tools_of("tools::custom_schemas::faulty");
    let errors = registry.check().unwrap_err();
    let fault = |error: &BuildError| match error {
        BuildError::Schema { tool, fault, .. } => format!("{tool}: {fault}"),
        other => panic!("{other}"),
    };
    let faults: Vec<_> = errors.iter().map(fault).collect();
    assert_eq!(
        faults,
        [
            "a_differs: its `schema` has no property for the input `b`",
            "a_differs: its `schema` has the property `c`, which is not an input",
            "a_differs: its `schema` does not require \"a\", which has no default",
            "a_differs: its `schema` does not require \"b\", which has no default",
            "a_differs: its `schema` admits what is no input: write `\"additionalProperties\": false`",
            "b_none: its `schema` is invalid: the root must have `\"type\": \"object\"`",
        ]
    );
    let failure = registry.call("a_differs", json!({"a": "x", "bb": 1})).await.unwrap_err();
    assert_eq!(failure.problems()[0].to_string(), "/bb: unknown input `bb`: the inputs are `a`, `b`");
    let failure = registry.call("a_differs", json!({"a": "x"})).await.unwrap_err();
    assert_eq!(failure.problems()[0].to_string(), "/b: missing required input: expected another value");
    let failure = registry.call("b_none", json!({"a": "x"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Internal);
}
