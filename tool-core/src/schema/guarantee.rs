//! What the type of an output guarantees, so that it need not be validated.

use serde_json::{Map, Value};

use crate::schema::normal::range;
use crate::schema::subschemas::subschemas;
use crate::schema::types::names_type;

/// What serde guarantees for the output of a type, given its `schemars` schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guarantee {
    /// Whether the schema has no constraint beyond the type, such as a pattern or a custom range.
    pub(crate) structure: bool,
    /// Whether it can contain a float. Non-finite floats serialize as `null`.
    pub(crate) numbers: bool,
}

impl Guarantee {
    /// Derives the guarantee from `schemars` schemas before normalization.
    pub(crate) fn of<'s>(schemas: impl IntoIterator<Item = &'s Value>) -> Self {
        let mut guarantee = Guarantee { structure: true, numbers: false };
        schemas.into_iter().for_each(|schema| guarantee.look(schema));
        guarantee
    }

    fn look(&mut self, schema: &Value) {
        let Some(keywords) = schema.as_object() else { return };
        self.structure &= !keywords.keys().any(|keyword| is_limit(keyword, keywords));
        self.numbers |= names_type(keywords, "number");
        subschemas(keywords).iter().for_each(|part| self.look(part.schema));
    }
}

/// Returns `true` for a keyword that types do not have by themselves.
fn is_limit(keyword: &str, schema: &Map<String, Value>) -> bool {
    let is_of_the_type = |pick: fn((Value, Value)) -> Value| {
        let range = schema.get("format").and_then(Value::as_str).and_then(range);
        range.map(pick).as_ref() == schema.get(keyword)
    };
    let is_exact = |least: &str, most: &str| schema.get(least) == schema.get(most);
    match keyword {
        "minimum" => !is_of_the_type(|(minimum, _)| minimum) && !is_unsigned(schema),
        "maximum" => !is_of_the_type(|(_, maximum)| maximum),
        // An array or a tuple has equal limits, which look like those of a constrained list.
        "minItems" | "maxItems" => {
            !is_exact("minItems", "maxItems") && schema.get("maxItems") != Some(&0.into())
        }
        // A `char` has one character.
        "minLength" | "maxLength" => {
            !(is_exact("minLength", "maxLength") && schema.get("minLength") == Some(&1.into()))
        }
        "pattern" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minProperties"
        | "maxProperties" | "not" | "if" | "contains" | "propertyNames" | "dependentRequired"
        | "dependentSchemas" => true,
        _ => false,
    }
}

/// Returns `true` for an unsigned integer type.
fn is_unsigned(schema: &Map<String, Value>) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    format.is_some_and(|format| format.starts_with("uint")) && schema.get("minimum") == Some(&0.into())
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, schema_for};
    use serde_json::{Value, json};

    use super::Guarantee;

    fn of<T: JsonSchema>() -> Guarantee {
        let mut schema = Value::from(schema_for!(T));
        let definitions: Vec<Value> =
            schema["$defs"].take().as_object().into_iter().flatten().map(|(_, it)| it.clone()).collect();
        Guarantee::of(definitions.iter().chain([&schema]))
    }

    #[test]
    fn guarantees_what_serde_enforces() {
        type Plain = (Vec<Option<u8>>, [i64; 3], std::collections::BTreeSet<char>, String, u128, ());
        assert_eq!(of::<Plain>(), Guarantee { structure: true, numbers: false });
        assert_eq!(
            of::<std::collections::BTreeMap<i32, Option<f32>>>(),
            Guarantee { structure: true, numbers: true }
        );
        for limit in [
            json!({"type": "integer", "format": "uint8", "minimum": 5, "maximum": 255}),
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$"}}}),
            json!({"anyOf": [{"type": "array", "items": {}, "minItems": 1}, {"type": "null"}]}),
            json!({"type": "integer", "format": "int64", "minimum": 0}),
            json!({"type": "string", "minLength": 3, "maxLength": 3}),
        ] {
            assert!(!Guarantee::of([&limit]).structure, "{limit}");
        }
    }
}
