//! The types that a schema allows.

use serde_json::{Map, Value};

use crate::schema::json::children::children;
use crate::schema::reference::referred;

/// A set of JSON Schema types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Types = Types(1);
    pub(super) const BOOLEAN: Types = Types(1 << 1);
    pub(super) const INTEGER: Types = Types(1 << 2);
    pub(super) const NUMBER: Types = Types(1 << 3);
    pub(super) const STRING: Types = Types(1 << 4);
    pub(super) const ARRAY: Types = Types(1 << 5);
    pub(super) const OBJECT: Types = Types(1 << 6);
    const NONE: Types = Types(0);
    const ALL: Types = Types((1 << 7) - 1);

    /// Returns the types that a schema allows; all if it does not limit them.
    pub(super) fn of(schema: &Value, root: &Value) -> Types {
        // Choices are rarely nested deeper; beyond this, any type is allowed.
        allowed(schema, root, 8)
    }

    pub(super) fn contains(self, other: Types) -> bool {
        self.0 & other.0 == other.0
    }

    fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    fn named(name: &Value) -> Types {
        match name.as_str() {
            Some("null") => Types::NULL,
            Some("boolean") => Types::BOOLEAN,
            Some("integer") => Types::INTEGER,
            Some("number") => Types::NUMBER.or(Types::INTEGER),
            Some("string") => Types::STRING,
            Some("array") => Types::ARRAY,
            Some("object") => Types::OBJECT,
            _ => Types::ALL,
        }
    }

    fn of_value(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(_) => Types::NUMBER.or(Types::INTEGER),
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }
}

fn allowed(schema: &Value, root: &Value, depth: u8) -> Types {
    let Some(depth) = depth.checked_sub(1) else { return Types::ALL };
    if let Some(reference) = referred(schema, root) {
        return allowed(reference, root, depth);
    }
    let mut types = match &schema["type"] {
        Value::Array(names) => names.iter().map(Types::named).fold(Types::NONE, Types::or),
        name => Types::named(name),
    };
    if let Some(constants) = schema["enum"].as_array() {
        types = types.and(constants.iter().map(Types::of_value).fold(Types::NONE, Types::or));
    }
    if let Some(constant) = schema.get("const") {
        types = types.and(Types::of_value(constant));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[keyword].as_array() {
            let each = branches.iter().map(|branch| allowed(branch, root, depth));
            types = types.and(each.fold(Types::NONE, Types::or));
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        types = types.and(allowed(part, root, depth));
    }
    types
}

/// Returns `true` if a schema names this type.
pub(crate) fn names_type(schema: &Map<String, Value>, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        name => name.is_some_and(|name| name == wanted),
    }
}

/// Returns `true` if a schema contains a reference.
pub(super) fn refers(schema: &Value) -> bool {
    schema.get("$ref").is_some() || children(schema).any(refers)
}

#[cfg(test)]
mod tests {
    use super::Types;
    use serde_json::json;

    #[test]
    fn allows_what_is_not_forbidden() {
        let root = json!({"$defs": {"A": {"type": "array"}, "a b": {"type": "array"}, "Loop": {"$ref": "#/$defs/Loop"}}});
        let number = Types::NUMBER.or(Types::INTEGER);
        for (schema, types) in [
            (json!({}), Types::ALL),
            (json!({"type": "integer"}), Types::INTEGER),
            (json!({"type": "number"}), number),
            (json!({"type": ["string", "null"]}), Types::STRING.or(Types::NULL)),
            (json!({"const": 5}), number),
            (json!({"enum": ["a", null]}), Types::STRING.or(Types::NULL)),
            (json!({"type": "string", "enum": ["a", null]}), Types::STRING),
            (json!({"$ref": "#/$defs/A"}), Types::ARRAY),
            (json!({"$ref": "#/$defs/a%20b"}), Types::ARRAY),
            (json!({"$ref": "#/$defs/Loop"}), Types::ALL),
            (json!({"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/A"}]}), Types::BOOLEAN.or(Types::ARRAY)),
            (json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}), number),
            (json!({"allOf": [{"type": "number"}, {"type": "integer"}]}), Types::INTEGER),
            (json!({"allOf": [{}]}), Types::ALL),
        ] {
            assert_eq!(Types::of(&schema, &root), types, "{schema}");
        }
    }
}
