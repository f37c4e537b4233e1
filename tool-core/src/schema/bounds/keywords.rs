//! A fast path for schemas that are certainly valid, because they use only common keywords in the usual way.
//!
//! Compiling a validator takes longer than all other checks together, and few of thousands of listed tools are called.
//! Any other schema is compiled as a check.

use serde_json::{Map, Value};

use crate::schema::bounds::graph::Graph;

/// Returns `true` if a schema certainly satisfies the meta-schema and compiles.
pub(super) fn is_certainly_valid(graph: &Graph<'_>) -> bool {
    graph.schemas().all(|(_, schema)| match schema {
        Value::Bool(_) => true,
        Value::Object(keywords) => keywords.iter().all(|(keyword, value)| is_valid_keyword(keyword, value)),
        _ => false,
    })
}

/// Returns `true` if the value of a keyword is valid. Subschemas are checked on their own.
fn is_valid_keyword(keyword: &str, value: &Value) -> bool {
    match keyword {
        "title" | "description" | "$comment" | "format" => value.is_string(),
        "type" => value.as_str().is_some_and(is_type),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "default" | "const" => is_flat(value),
        "enum" | "examples" => value.as_array().is_some_and(|values| !values.is_empty() && is_flat(value)),
        "required" => value.as_array().is_some_and(|names| are_names(names)),
        "properties" => value.as_object().is_some_and(are_properties),
        "anyOf" | "oneOf" | "allOf" => value.as_array().is_some_and(|schemas| !schemas.is_empty()),
        "items" | "additionalProperties" => value.is_object() || value.is_boolean(),
        _ => keyword.starts_with("x-"),
    }
}

fn is_type(name: &str) -> bool {
    matches!(name, "null" | "boolean" | "object" | "array" | "number" | "string" | "integer")
}

/// Returns `true` if no part of the value could be taken for a schema.
fn is_flat(value: &Value) -> bool {
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    value.as_array().map_or_else(|| is_scalar(value), |values| values.iter().all(is_scalar))
}

/// Returns `true` for distinct names.
fn are_names(names: &[Value]) -> bool {
    names.len() <= 64
        && names.iter().enumerate().all(|(at, name)| name.is_string() && !names[..at].contains(name))
}

/// Returns `true` if no property name could be taken for an identifier or a reference.
fn are_properties(properties: &Map<String, Value>) -> bool {
    properties.keys().all(|name| !name.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::is_certainly_valid;
    use crate::schema::bounds::graph::Graph;
    use crate::schema::bounds::{MAX_PATTERN_SIZE, options};

    /// Generates keywords and values that are mostly valid, or nearly so.
    fn schema() -> impl Strategy<Value = Value> {
        let value = prop_oneof![
            Just(json!(null)),
            Just(json!(true)),
            Just(json!(-1)),
            Just(json!(3)),
            Just(json!(2.5)),
            Just(json!(1.0)),
            Just(json!("string")),
            Just(json!("object")),
            Just(json!("text")),
            Just(json!("#/properties/a")),
            Just(json!("[")),
            Just(json!([])),
            Just(json!(["a", "b"])),
            Just(json!(["a", "a"])),
            Just(json!([1, 1.0])),
            Just(json!(["string", "null"])),
            Just(json!({})),
        ];
        let keywords = [
            "title",
            "description",
            "$comment",
            "format",
            "type",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "minLength",
            "maxItems",
            "minProperties",
            "uniqueItems",
            "deprecated",
            "default",
            "const",
            "enum",
            "examples",
            "required",
            "properties",
            "anyOf",
            "oneOf",
            "allOf",
            "items",
            "additionalProperties",
            "x-unit",
            "pattern",
            "$ref",
            "$id",
            "$anchor",
            "multipleOf",
            "not",
            "prefixItems",
            "$defs",
            "other",
        ];
        let keyword = proptest::sample::select(keywords.to_vec());
        value.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::vec((keyword.clone(), inner.clone()), 0..4).prop_map(|members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()),
                prop::collection::vec((prop_oneof!["a", "b", "\\$id", "\\$ref"], inner), 0..3)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

        #[test]
        fn accepts_only_valid_schemas(schema in schema()) {
            if let Ok(graph) = Graph::of(&schema) && is_certainly_valid(&graph) {
                prop_assert!(options(MAX_PATTERN_SIZE).build(&schema).is_ok(), "{}", schema);
            }
        }
    }

    #[test]
    fn accepts_what_servers_usually_send() {
        let schema = json!({
            "type": "object",
            "properties": {
                "status": {"type": "string", "enum": ["open", "closed"], "description": "Which."},
                "filter": {
                    "type": "object",
                    "properties": {"since": {"type": "string", "format": "date"}, "amount": {"type": "number", "minimum": 0}},
                    "required": ["since"],
                    "additionalProperties": false,
                },
                "labels": {"type": "array", "items": {"anyOf": [{"type": "string", "maxLength": 4}, {"type": "null"}]}},
                "limit": {"type": "integer", "default": 10, "x-unit": "rows"},
            },
            "required": ["status", "filter"],
        });
        assert!(is_certainly_valid(&Graph::of(&schema).unwrap()));
        for (keyword, value) in [
            ("type", json!("text")),
            ("type", json!(["string", "string"])),
            ("minLength", json!(-1)),
            ("minLength", json!(1.5)),
            ("required", json!(["a", "a"])),
            ("enum", json!([{"$id": "["}])),
            ("enum", json!([])),
            ("default", json!({"$id": "["})),
            ("const", json!([{"$ref": "#/x"}])),
            ("pattern", json!("[")),
            ("items", json!(5)),
            ("properties", json!({"$id": true})),
            ("anyOf", json!([])),
            ("$id", json!("x:y")),
        ] {
            let schema = json!({ "type": "object", keyword: value });
            assert!(Graph::of(&schema).is_ok_and(|graph| !is_certainly_valid(&graph)), "{schema}");
        }
    }
}
