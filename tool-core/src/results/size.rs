//! The largest size of a value that a schema allows.

use serde_json::{Map, Value};

/// The most bytes of a number.
const NUMBER: usize = 32;

/// The most bytes of a character in a JSON string: `\u001f`.
const CHARACTER: usize = 6;

/// The most levels of a schema that are inspected.
const MOST_LEVELS: usize = 32;

/// Returns the most bytes of JSON that a value of this schema takes; `None` if the schema sets no limit.
///
/// The output of a type has only the members that its schema names, even if the schema is open. `of_a_type` means that
/// `schema` was derived from a type.
pub(super) fn largest(schema: &Value, of_a_type: bool) -> Option<usize> {
    Size { of_a_type }.of(schema, MOST_LEVELS)
}

#[derive(Clone, Copy)]
struct Size {
    of_a_type: bool,
}

impl Size {
    fn of(self, schema: &Value, levels: usize) -> Option<usize> {
        let (schema, levels) = (schema.as_object()?, levels.checked_sub(1)?);
        if let Some(value) = schema.get("const") {
            return Some(value.to_string().len());
        }
        let most = |schemas: &[Value], size: &dyn Fn(&Value) -> Option<usize>| {
            schemas.iter().map(size).try_fold(0, |most, size| Some(most.max(size?)))
        };
        if let Some(Value::Array(values)) = schema.get("enum") {
            return most(values, &|value| Some(value.to_string().len()));
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get(choice) {
                return most(branches, &|branch| self.of(branch, levels));
            }
        }
        match schema.get("type")? {
            Value::String(kind) => self.of_type(kind, schema, levels),
            Value::Array(kinds) => most(kinds, &|kind| self.of_type(kind.as_str()?, schema, levels)),
            _ => None,
        }
    }

    fn of_type(self, kind: &str, schema: &Map<String, Value>, levels: usize) -> Option<usize> {
        let limit = |name: &str| usize::try_from(schema.get(name)?.as_u64()?).ok();
        match kind {
            "null" | "boolean" => Some(5),
            "integer" | "number" => Some(NUMBER),
            "string" => limit("maxLength")?.checked_mul(CHARACTER)?.checked_add(2),
            "array" => {
                (self.of(schema.get("items")?, levels)? + 1).checked_mul(limit("maxItems")?)?.checked_add(2)
            }
            "object" if self.has_no_other_members(schema) => {
                let properties = schema.get("properties").and_then(Value::as_object);
                properties.into_iter().flatten().try_fold(2_usize, |sum, (name, schema)| {
                    // With quotes, escapes, a colon and a comma.
                    sum.checked_add(name.len().checked_mul(CHARACTER)? + 4)?
                        .checked_add(self.of(schema, levels)?)
                })
            }
            _ => None,
        }
    }

    /// Returns `true` if a value has no members but the properties of its schema.
    fn has_no_other_members(self, schema: &Map<String, Value>) -> bool {
        let is_closed = match schema.get("additionalProperties") {
            Some(others) => *others == Value::Bool(false),
            None => {
                self.of_a_type
                    && schema.contains_key("properties")
                    && !["unevaluatedProperties", "allOf", "$ref"]
                        .iter()
                        .any(|keyword| schema.contains_key(*keyword))
            }
        };
        is_closed && !schema.contains_key("patternProperties")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn computes_the_size_of_bounded_schemas() {
        let object = |properties: Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
        for (schema, size) in [
            (json!({"type": "integer"}), Some(32)),
            (json!({"type": ["integer", "null"]}), Some(32)),
            (json!({"enum": ["a", "bcd"]}), Some(5)),
            (json!({"const": "bcd"}), Some(5)),
            (json!({"type": "string"}), None),
            (json!({"type": "string", "maxLength": 10}), Some(62)),
            (json!({"type": "array", "items": {"type": "boolean"}}), None),
            (json!({"type": "array", "items": {"type": "boolean"}, "maxItems": 10}), Some(62)),
            (object(json!({"n": {"type": "integer"}})), Some(44)),
            (object(json!({"n": {"type": "string"}})), None),
            (json!({"type": "object", "properties": {}}), None),
            (json!({"anyOf": [{"type": "null"}, {"type": "integer"}]}), Some(32)),
            (json!({"anyOf": [{"type": "null"}, {"$ref": "#"}]}), None),
            (json!({"type": "string", "maxLength": u64::MAX}), None),
            (json!(true), None),
            (json!({}), None),
        ] {
            assert_eq!(largest(&schema, false), size, "{schema}");
        }
    }

    #[test]
    fn treats_objects_of_types_as_closed() {
        let open = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        assert_eq!(largest(&open, true), Some(44));
        assert_eq!(largest(&open, false), None);
        for more in ["additionalProperties", "unevaluatedProperties", "patternProperties"] {
            let mut schema = open.clone();
            schema[more] = json!({});
            assert_eq!(largest(&schema, true), None, "{schema}");
        }
    }
}
