//! The schemas in a schema.

use serde_json::{Map, Value};

use crate::schema::json::pointer::push_token;

/// A schema in another one.
#[derive(Clone, Copy)]
pub(crate) struct Subschema<'s> {
    pub(crate) schema: &'s Value,
    pub(crate) keyword: &'s str,
    pub(crate) member: Member<'s>,
    pub(crate) applies: Applies,
}

/// The position of a schema under its keyword.
#[derive(Clone, Copy)]
pub(crate) enum Member<'s> {
    Only,
    Position(usize),
    Name(&'s str),
}

/// What a subschema applies to, relative to its parent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applies {
    /// The same value.
    Here,
    /// A part of the value.
    Below,
    /// Nothing, unless a `$ref` points to it.
    Nowhere,
}

/// The form of the value of a keyword.
pub(crate) enum NodeShape {
    Schema,
    List,
    Map,
}

/// The keywords with subschemas (JSON Schema 2020-12, Core, sections 8.2.4, 10 and 11, and Validation, section 8.5;
/// also `definitions` and `dependencies` of earlier drafts).
pub(crate) fn applicator(keyword: &str) -> Option<(NodeShape, Applies)> {
    Some(match keyword {
        "allOf" | "anyOf" | "oneOf" => (NodeShape::List, Applies::Here),
        "not" | "if" | "then" | "else" => (NodeShape::Schema, Applies::Here),
        "dependentSchemas" | "dependencies" => (NodeShape::Map, Applies::Here),
        "prefixItems" => (NodeShape::List, Applies::Below),
        "properties" | "patternProperties" => (NodeShape::Map, Applies::Below),
        "items"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => (NodeShape::Schema, Applies::Below),
        "$defs" | "definitions" => (NodeShape::Map, Applies::Nowhere),
        _ => return None,
    })
}

/// Returns the schemas directly in a schema, in the order of its keywords.
pub(crate) fn subschemas(schema: &Map<String, Value>) -> Vec<Subschema<'_>> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let Some((shape, applies)) = applicator(keyword) else { continue };
        let subschema = |member, schema| Subschema { schema, keyword, member, applies };
        match (shape, value) {
            (NodeShape::Schema, schema) => found.push(subschema(Member::Only, schema)),
            (NodeShape::List, Value::Array(schemas)) => {
                let schemas = schemas.iter().enumerate();
                found.extend(schemas.map(|(position, schema)| subschema(Member::Position(position), schema)));
            }
            (NodeShape::Map, Value::Object(schemas)) => {
                found.extend(schemas.iter().map(|(name, schema)| subschema(Member::Name(name), schema)));
            }
            // The meta-schema reports the fault.
            (NodeShape::List | NodeShape::Map, _) => {}
        }
    }
    found
}

impl Subschema<'_> {
    /// Adds the path from the parent to a pointer.
    pub(crate) fn push_path(&self, pointer: &mut String) {
        push_token(pointer, self.keyword);
        match self.member {
            Member::Only => {}
            Member::Position(position) => push_token(pointer, &position.to_string()),
            Member::Name(name) => push_token(pointer, name),
        }
    }
}

/// Returns the branches of a choice.
pub(crate) fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())
}

/// Returns `true` if an object schema requires a member.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn finds_the_schemas_of_every_keyword() {
        let one = json!({"type": "string"});
        let of = |keyword: &str, value: &Value| {
            let schema = Map::from_iter([(keyword.to_owned(), value.clone())]);
            subschemas(&schema).iter().map(|found| (found.schema.clone(), found.applies)).collect::<Vec<_>>()
        };
        for (keywords, value, applies) in [
            (&["allOf", "anyOf", "oneOf"][..], json!([one]), Applies::Here),
            (&["not", "if", "then", "else"], one.clone(), Applies::Here),
            (&["dependentSchemas", "dependencies"], json!({"a": one}), Applies::Here),
            (&["prefixItems"], json!([one]), Applies::Below),
            (&["properties", "patternProperties"], json!({"a": one}), Applies::Below),
            (
                &[
                    "items",
                    "contains",
                    "additionalProperties",
                    "propertyNames",
                    "unevaluatedItems",
                    "unevaluatedProperties",
                    "contentSchema",
                ],
                one.clone(),
                Applies::Below,
            ),
            (&["$defs", "definitions"], json!({"a": one}), Applies::Nowhere),
        ] {
            for keyword in keywords {
                assert!(of(keyword, &value) == [(one.clone(), applies)], "{keyword}");
            }
        }
        for keyword in ["const", "enum", "default", "examples", "required", "allof"] {
            assert!(of(keyword, &json!([one])).is_empty(), "{keyword}");
        }
        // Of another form, as the meta-schema reports.
        assert!(of("allOf", &one).is_empty() && of("properties", &json!([one])).is_empty());
    }
}
