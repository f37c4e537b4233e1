//! Pairs of schemas: of JSON Schema, and of OpenAPI 3.0.

use serde_json::{Value, json};

use super::schema;

#[track_caller]
fn converts(pairs: impl IntoIterator<Item = (Value, Value)>) {
    for (source, expected) in pairs {
        assert_eq!(schema(&source), expected, "{source}");
    }
}

#[test]
fn keeps_what_both_have() {
    let same = json!({
        "type": "object",
        "description": "A page.",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^.", "default": "x"},
            "size": {"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.5, "format": "float"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": true},
            "kind": {"type": "string", "enum": ["a", "b"], "deprecated": true},
        },
        "required": ["title"],
        "additionalProperties": false,
        "minProperties": 1,
        "x-order": 1,
    });
    converts([(same.clone(), same)]);
}

#[test]
fn makes_null_a_flag() {
    let text = json!({"type": "string", "nullable": true});
    converts([
        (json!({"type": ["string", "null"]}), text.clone()),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), text.clone()),
        (json!({"oneOf": [{"type": "null"}, {"type": "string"}]}), text.clone()),
        (
            json!({"description": "Outer.", "anyOf": [{"type": "string", "description": "Inner."}, {"type": "null"}]}),
            json!({"description": "Outer.", "type": "string", "nullable": true}),
        ),
        (
            json!({"type": ["string", "null"], "enum": ["a"]}),
            json!({"type": "string", "enum": ["a", null], "nullable": true}),
        ),
        // A flag has an effect beside a type only.
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string", "nullable": true}, {"type": "integer"}]}),
        ),
        (
            json!({"type": "null", "description": "Nothing."}),
            json!({"description": "Nothing.", "type": "string", "enum": [null], "nullable": true}),
        ),
        (json!({"const": null}), json!({"type": "string", "enum": [null], "nullable": true})),
    ]);
}

#[test]
fn chooses_between_types() {
    converts([
        (json!({"type": ["string"]}), json!({"type": "string"})),
        (
            json!({"type": ["string", "array"], "description": "Either."}),
            json!({"description": "Either.", "anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}),
        ),
        // Both choices hold.
        (
            json!({"type": ["string", "integer"], "anyOf": [{"minLength": 1}, {"minimum": 1}]}),
            json!({
                "anyOf": [{"type": "string"}, {"type": "integer"}],
                "allOf": [{"anyOf": [{"minLength": 1}, {"minimum": 1}]}],
            }),
        ),
        (
            json!({"type": ["string", "integer", "null"]}),
            json!({"anyOf": [{"type": "string", "nullable": true}, {"type": "integer"}]}),
        ),
    ]);
}

#[test]
fn puts_references_into_conjunctions() {
    let reference = json!({"$ref": "#/components/schemas/x"});
    converts([
        (reference.clone(), reference.clone()),
        (
            json!({"$ref": "#/components/schemas/x", "description": "An x."}),
            json!({"description": "An x.", "allOf": [reference]}),
        ),
        (
            json!({"anyOf": [reference, {"type": "null"}], "description": "An x."}),
            json!({"description": "An x.", "allOf": [reference], "nullable": true}),
        ),
        (
            json!({"$ref": "#/components/schemas/x", "allOf": [{"minLength": 1}]}),
            json!({"allOf": [{"minLength": 1}, reference]}),
        ),
    ]);
}

#[test]
fn replaces_constants() {
    converts([
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"type": "boolean", "const": true}), json!({"type": "boolean", "enum": [true]})),
        (json!({"const": 1}), json!({"type": "integer", "enum": [1]})),
        (json!({"enum": ["a", null]}), json!({"type": "string", "enum": ["a", null], "nullable": true})),
    ]);
}

#[test]
fn makes_exclusive_bounds_flags() {
    converts([
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5}),
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 9.5, "exclusiveMaximum": true}),
        ),
        // The stricter one of two bounds.
        (
            json!({"exclusiveMinimum": 0, "minimum": 0, "exclusiveMaximum": 9, "maximum": 8}),
            json!({"minimum": 0, "maximum": 8, "exclusiveMinimum": true}),
        ),
        (json!({"exclusiveMinimum": -1, "minimum": 2}), json!({"minimum": 2})),
    ]);
}

#[test]
fn makes_the_items_of_tuples_a_choice() {
    let pair = json!([{"type": "string"}, {"type": "integer"}]);
    let either = json!({"anyOf": pair});
    converts([
        (
            json!({"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2}),
            json!({"minItems": 2, "maxItems": 2, "items": either, "type": "array"}),
        ),
        (
            json!({"type": "array", "prefixItems": pair, "items": false}),
            json!({"maxItems": 2, "items": either, "type": "array"}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "string"}}),
            json!({"items": {"type": "string"}, "type": "array"}),
        ),
        // Without a bound, further items are anything.
        (json!({"type": "array", "prefixItems": pair}), json!({"items": {}, "type": "array"})),
        (json!({"type": "array"}), json!({"items": {}, "type": "array"})),
        (json!({"type": ["array", "null"]}), json!({"items": {}, "type": "array", "nullable": true})),
    ]);
}

#[test]
fn describes_maps_by_all_their_patterns() {
    converts([
        (
            json!({"type": "object", "patternProperties": {"^a": {"const": 1}}, "additionalProperties": false}),
            json!({"additionalProperties": {"type": "integer", "enum": [1]}, "type": "object"}),
        ),
        (
            json!({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            json!({"additionalProperties": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        ),
        (json!({"patternProperties": {"^a": {"type": "string"}}}), json!({})),
        (json!({"additionalProperties": true}), json!({"additionalProperties": true})),
    ]);
}

#[test]
fn drops_what_it_cannot_express() {
    converts([
        (json!(true), json!({})),
        (json!(false), json!({"not": {}})),
        (
            json!({
                "type": "object",
                "unevaluatedProperties": false,
                "propertyNames": {"pattern": "^a"},
                "dependentRequired": {"a": ["b"]},
                "if": {"required": ["a"]},
                "then": {"required": ["b"]},
                "$comment": "-",
                "required": [],
            }),
            json!({"type": "object"}),
        ),
        (json!({"type": "array", "contains": {"const": 1}}), json!({"items": {}, "type": "array"})),
        (json!({"not": {"type": "string"}}), json!({"not": {"type": "string"}})),
        // Without its keyword, the schema would exclude every array.
        (json!({"not": {"type": "array", "contains": {"const": 1}}}), json!({})),
        (json!({"not": {"type": "array", "prefixItems": [{"const": 1}]}}), json!({})),
    ]);
}

#[test]
fn keeps_one_example_and_the_encoding() {
    converts([
        (json!({"type": "string", "examples": ["a", "b"]}), json!({"example": "a", "type": "string"})),
        (json!({"type": "string", "contentEncoding": "base64"}), json!({"format": "byte", "type": "string"})),
        (
            json!({"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}}),
            json!({"type": "string"}),
        ),
    ]);
}
