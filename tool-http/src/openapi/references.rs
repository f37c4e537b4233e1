//! Relocation of a tool's schemas within the document.

use serde_json::{Map, Value, json};

/// Keywords whose value is one schema.
const SCHEMA_KEYWORDS: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas; `items` could be one in older drafts.
const SCHEMA_LIST_KEYWORDS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const SCHEMA_MAP_KEYWORDS: [&str; 5] =
    ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Returns the schema with references to its root changed to `root`. With `nullable`, optional properties may be `null` at any
/// depth, because that is how clients omit them.
pub(super) fn relocate(schema: &Value, root: &str, nullable: bool) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let recurse = |schema: &Value| relocate(schema, root, nullable);
    let mut relocated = Map::new();
    for (keyword, value) in members {
        let value = match (keyword.as_str(), value) {
            // The document sets the dialect.
            ("$schema", _) => continue,
            ("$ref", Value::String(reference)) => reference
                .strip_prefix('#')
                .map_or_else(|| value.clone(), |rest| json!(format!("{root}{rest}"))),
            (keyword, Value::Array(schemas)) if SCHEMA_LIST_KEYWORDS.contains(&keyword) => {
                schemas.iter().map(recurse).collect()
            }
            (keyword, Value::Object(schemas)) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => {
                let named = schemas.iter().map(|(name, schema)| (name.clone(), recurse(schema)));
                Value::Object(named.collect())
            }
            (keyword, _) if SCHEMA_KEYWORDS.contains(&keyword) => recurse(value),
            _ => value.clone(),
        };
        relocated.insert(keyword.clone(), value);
    }
    if nullable {
        allow_null_for_optional(&mut relocated);
    }
    relocated.into()
}

/// Makes optional properties nullable.
fn allow_null_for_optional(schema: &mut Map<String, Value>) {
    let required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        if !required.contains(name) {
            *property = json!({"anyOf": [property.take(), {"type": "null"}]});
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::relocate;

    #[test]
    fn rewrites_references_to_the_root() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                // A property with the name of a keyword is not one.
                "$ref": {"$ref": "#/$defs/Node"},
                "list": {"items": {"$ref": "#"}, "default": [{"$ref": "#"}]},
                "one": {"oneOf": [{"const": {"$ref": "#"}}, {"not": {"$ref": "#/properties/list"}}]},
            },
            "required": ["$ref", "list", "one"],
            "$defs": {"Node": {"additionalProperties": {"$ref": "#/$defs/Node"}}},
        });
        assert_eq!(
            relocate(&schema, "#/c/t", true),
            json!({
                "properties": {
                    "$ref": {"$ref": "#/c/t/$defs/Node"},
                    "list": {"items": {"$ref": "#/c/t"}, "default": [{"$ref": "#"}]},
                    "one": {"oneOf": [{"const": {"$ref": "#"}}, {"not": {"$ref": "#/c/t/properties/list"}}]},
                },
                "required": ["$ref", "list", "one"],
                "$defs": {"Node": {"additionalProperties": {"$ref": "#/c/t/$defs/Node"}}},
            })
        );
    }

    #[test]
    fn allows_null_for_optional_properties() {
        let schema = json!({
            "properties": {"a": {"type": "string"}, "b": {"properties": {"c": {"type": "integer"}}}},
            "required": ["b"],
        });
        assert_eq!(
            relocate(&schema, "", true),
            json!({
                "properties": {
                    "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "b": {"properties": {"c": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
                },
                "required": ["b"],
            })
        );
        assert_eq!(relocate(&schema, "", false), schema);
    }
}
