//! Applies the declared constraints of an input to its schema.
//!
//! A constraint tightens the schema of the type, and is added where the type is: in each matching branch of a choice,
//! beside a reference to a recursive type.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use crate::declare::input_spec::{Bound, InputSpec};
use crate::schema::json::integers::compare;

/// Applies the constraints of an input to its schema, and reports those that do not fit.
pub(crate) fn constrain(
    schema: &mut Value,
    spec: &InputSpec,
    definitions: &Map<String, Value>,
) -> Vec<String> {
    let mut constraining = Constraining { definitions, faults: Vec::new() };
    if spec.minimum.is_some() || spec.maximum.is_some() {
        constraining.all("range", "a number", schema, &|this, kind, schema| this.range(kind, schema, spec));
    }
    if spec.min_length.is_some() || spec.max_length.is_some() {
        let wanted = "a text, a list or a map";
        constraining.all("length", wanted, schema, &|this, kind, schema| this.length(kind, schema, spec));
    }
    if let Some(pattern) = spec.pattern {
        constraining
            .all("pattern", "a text", schema, &|this, kind, schema| this.pattern(kind, schema, pattern));
    }
    constraining.faults
}

struct Constraining<'s> {
    definitions: &'s Map<String, Value>,
    faults: Vec<String>,
}

/// Applies one constraint to a schema of this type, and returns `true` if it fits.
type Placement<'p> = dyn Fn(&mut Constraining<'_>, &str, &mut Map<String, Value>) -> bool + 'p;

impl Constraining<'_> {
    /// Applies one constraint wherever it fits.
    fn all(&mut self, option: &str, wanted: &str, schema: &mut Value, placement: &Placement<'_>) {
        if !self.each(schema, placement) {
            let kind = self
                .kind(schema)
                .map_or_else(|| "of no one type".to_owned(), |kind| format!("of type `{kind}`"));
            self.faults.push(format!("`{option}` is for {wanted}, and the input is {kind}"));
        }
        self.faults.dedup();
    }

    fn each(&mut self, schema: &mut Value, placement: &Placement<'_>) -> bool {
        let kind = self.kind(schema);
        let Some(schema) = schema.as_object_mut() else { return false };
        if let Some(kind) = kind {
            return placement(self, &kind, schema);
        }
        let mut placed = false;
        for keyword in ["anyOf", "oneOf"] {
            for branch in schema.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten() {
                placed |= self.each(branch, placement);
            }
        }
        placed
    }

    /// Returns the type of a schema, or of the recursive type that it refers to.
    fn kind(&self, schema: &Value) -> Option<String> {
        let definition = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        let schema = definition.and_then(|name| self.definitions.get(name)).unwrap_or(schema);
        schema["type"].as_str().map(str::to_owned)
    }

    fn range(&mut self, kind: &str, schema: &mut Map<String, Value>, spec: &InputSpec) -> bool {
        if !matches!(kind, "integer" | "number") {
            return false;
        }
        let (minimum, maximum) = (self.bound(kind, spec.minimum), self.bound(kind, spec.maximum));
        tighten(schema, "minimum", minimum, Ordering::Greater);
        tighten(schema, "maximum", maximum, Ordering::Less);
        self.some_are_left("range", schema, "minimum", "maximum");
        true
    }

    /// Converts a bound to JSON for a schema of this type.
    fn bound(&mut self, kind: &str, bound: Option<Bound>) -> Option<Value> {
        let number = match bound? {
            Bound::Number(_) if kind == "integer" => {
                self.faults.push("`range` of an integer takes integers".to_owned());
                return None;
            }
            Bound::Number(number) => Number::from_f64(number),
            Bound::Integer(number) => Number::from_i128(number),
        };
        if number.is_none() {
            self.faults.push("a bound of `range` is beyond what JSON holds exactly".to_owned());
        }
        number.map(Value::Number)
    }

    fn length(&mut self, kind: &str, schema: &mut Map<String, Value>, spec: &InputSpec) -> bool {
        let (least, most) = match kind {
            "string" => ("minLength", "maxLength"),
            "array" => ("minItems", "maxItems"),
            // A struct has a fixed number of members.
            "object" if schema.get("properties").is_none() => ("minProperties", "maxProperties"),
            _ => return false,
        };
        tighten(schema, least, spec.min_length.map(Value::from), Ordering::Greater);
        tighten(schema, most, spec.max_length.map(Value::from), Ordering::Less);
        self.some_are_left("length", schema, least, most);
        true
    }

    fn pattern(&mut self, kind: &str, schema: &mut Map<String, Value>, pattern: &str) -> bool {
        if kind != "string" {
            return false;
        }
        match schema.get("pattern") {
            Some(own) if own != pattern => {
                self.faults.push(format!("the type of the input has a pattern of its own, {own}"));
            }
            _ => _ = schema.insert("pattern".to_owned(), pattern.into()),
        }
        true
    }

    fn some_are_left(&mut self, option: &str, schema: &Map<String, Value>, least: &str, most: &str) {
        if let (Some(least), Some(most)) = (schema.get(least), schema.get(most))
            && compare(least, most) == Some(Ordering::Greater)
        {
            self.faults.push(format!("no value is within its `{option}`, from {least} to {most}"));
        }
    }
}

/// Sets a limit, unless the type has a tighter one.
fn tighten(schema: &mut Map<String, Value>, keyword: &str, limit: Option<Value>, tighter: Ordering) {
    let Some(limit) = limit else { return };
    let is_tighter = |own: &Value| compare(&limit, own) == Some(tighter);
    if schema.get(keyword).is_none_or(is_tighter) {
        schema.insert(keyword.to_owned(), limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::input::input;
    use serde_json::json;

    fn constrained(mut schema: Value, spec: InputSpec) -> (Value, Vec<String>) {
        let definitions = json!({"Nodes": {"type": "array", "items": {"$ref": "#/$defs/Nodes"}}});
        let faults = constrain(&mut schema, &spec, definitions.as_object().unwrap());
        (schema, faults)
    }

    fn range(minimum: i128, maximum: i128) -> InputSpec {
        input::<i64>("n", "").range(Some(Bound::Integer(minimum)), Some(Bound::Integer(maximum))).spec
    }

    fn length(least: u64, most: u64) -> InputSpec {
        input::<String>("s", "").length(Some(least), Some(most)).spec
    }

    #[test]
    fn constraints_only_tighten() {
        let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
        let cases = [
            (byte.clone(), range(1, 9), json!({"type": "integer", "minimum": 1, "maximum": 9})),
            (byte.clone(), range(-5, 300), byte),
            (json!({"type": "number"}), range(0, 1), json!({"type": "number", "minimum": 0, "maximum": 1})),
            (
                json!({"type": "string", "minLength": 1, "maxLength": 1}),
                length(0, 5),
                json!({"type": "string", "minLength": 1, "maxLength": 1}),
            ),
        ];
        for (schema, spec, expected) in cases {
            assert_eq!(constrained(schema, spec), (expected, vec![]));
        }
    }

    #[test]
    fn constraints_apply_where_the_type_is() {
        let cases = [
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
                range(1, 9),
                json!({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]}),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}),
                length(1, 2),
                json!({"anyOf": [
                    {"type": "string", "minLength": 1, "maxLength": 2},
                    {"type": "array", "items": {}, "minItems": 1, "maxItems": 2},
                ]}),
            ),
            (
                json!({"$ref": "#/$defs/Nodes"}),
                length(1, 2),
                json!({"$ref": "#/$defs/Nodes", "minItems": 1, "maxItems": 2}),
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                length(1, 2),
                json!({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1, "maxProperties": 2}),
            ),
        ];
        for (schema, spec, expected) in cases {
            assert_eq!(constrained(schema, spec), (expected, vec![]));
        }
    }

    #[test]
    fn reports_constraints_that_do_not_apply() {
        let structure = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let half = input::<i64>("n", "").range(Some(Bound::Number(0.5)), None).spec;
        let wide = input::<u128>("n", "").range(None, Some(Bound::Integer(i128::MAX))).spec;
        let text = input::<String>("s", "").pattern("^a$").spec;
        for (schema, spec, fault) in [
            (
                json!({"type": "string"}),
                range(1, 9),
                "`range` is for a number, and the input is of type `string`",
            ),
            (json!({}), range(1, 9), "`range` is for a number, and the input is of no one type"),
            (
                json!({"type": "integer"}),
                length(1, 2),
                "`length` is for a text, a list or a map, and the input is of type `integer`",
            ),
            (
                structure,
                length(1, 2),
                "`length` is for a text, a list or a map, and the input is of type `object`",
            ),
            (json!({"type": "boolean"}), text, "`pattern` is for a text, and the input is of type `boolean`"),
            (json!({"type": "integer"}), half, "`range` of an integer takes integers"),
            (json!({"type": "integer"}), wide, "a bound of `range` is beyond what JSON holds exactly"),
        ] {
            assert_eq!(constrained(schema.clone(), spec), (schema, vec![fault.to_owned()]));
        }
        let none_left = constrained(json!({"type": "integer", "minimum": 0}), range(-9, -1)).1;
        assert_eq!(none_left, ["no value is within its `range`, from 0 to -1"]);
        let own = constrained(json!({"type": "string", "pattern": "^b$"}), text).1;
        assert_eq!(own, ["the type of the input has a pattern of its own, \"^b$\""]);
    }
}
