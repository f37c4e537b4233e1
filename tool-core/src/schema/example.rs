//! Generates a minimal valid call, for callers with invalid arguments.

use std::cmp::Ordering;

use serde_json::{Map, Value, json};

use crate::schema::format::sample;
use crate::schema::reference::target;
use crate::schema::subschemas::branches;
use crate::schema::types::refers;
use crate::schema::{locate, secret};

/// Returns a valid value: a declared example, a default, or else the smallest valid value.
///
/// An object has only its required members. For a pattern, the value is a guess: declare an example to avoid it.
pub(crate) fn of(root: &Value) -> Value {
    without_secrets(guess(root, root, &mut Budget::default()), root)
}

/// The size limit of one example, because a short schema can refer to a long value often.
struct Budget {
    values: usize,
    /// The remaining bytes of copied values.
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { values: 1_000, bytes: 64 * 1024 }
    }
}

impl Budget {
    /// Copies a value of the schema, if the budget allows it.
    fn copied(&mut self, value: &Value) -> Option<Value> {
        crate::schema::json::size::take(&mut self.bytes, value).then(|| value.clone())
    }
}

/// Returns a valid value for one schema of the document.
pub(crate) fn guess_of(schema: &Value, root: &Value) -> Value {
    guess(schema, root, &mut Budget::default())
}

fn guess(schema: &Value, root: &Value, budget: &mut Budget) -> Value {
    Guess { root, depth: 0, budget }.value(schema)
}

/// Replaces every secret in a call by a placeholder.
pub(crate) fn without_secrets(call: Value, root: &Value) -> Value {
    if !secret::any(root) {
        return call;
    }
    masked(call, &locate::parts([root], root), root, &mut Budget::default())
}

/// Replaces secrets in a value with these schemas.
fn masked(value: Value, schemas: &[&Value], root: &Value, budget: &mut Budget) -> Value {
    if schemas.iter().any(|schema| secret::is_secret(schema)) {
        let mut guesses = schemas.iter().map(|schema| guess(schema, root, budget));
        return guesses.find(|guess| !guess.is_null()).unwrap_or_else(|| "(secret)".into());
    }
    match value {
        Value::Object(members) => {
            let nameless = secret::names_are_secret(schemas);
            let members = members.into_iter().enumerate().map(|(position, (name, value))| {
                let below = locate::below(schemas, &name, root);
                let name = if nameless && !below.named { format!("name{}", position + 1) } else { name };
                (name, masked(value, &below.schemas, root, budget))
            });
            members.collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            let item = |(position, item): (usize, Value)| {
                masked(item, &locate::below(schemas, &position.to_string(), root).schemas, root, budget)
            };
            items.into_iter().enumerate().map(item).collect()
        }
        scalar => scalar,
    }
}

struct Guess<'s, 'b> {
    root: &'s Value,
    depth: u8,
    budget: &'b mut Budget,
}

impl Guess<'_, '_> {
    fn value(&mut self, schema: &Value) -> Value {
        // A declared value may be a secret.
        if !secret::is_secret(schema)
            && let Some(example) = schema["examples"].get(0).or_else(|| schema.get("default"))
            && let Some(example) = self.budget.copied(example)
        {
            return example;
        }
        if let Some(constant) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return self.budget.copied(constant).unwrap_or_default();
        }
        // A recursive type ends in an optional member or an empty list, or else here.
        if self.depth == 16 || self.budget.values == 0 {
            return Value::Null;
        }
        self.budget.values -= 1;
        self.depth += 1;
        let value = self.made(schema);
        self.depth -= 1;
        value
    }

    fn made(&mut self, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return target(reference, self.root).map_or(Value::Null, |target| self.value(target));
        }
        if let Some(branches) = branches(schema) {
            // Prefers a branch without references, where a recursive type ends.
            let ends = branches.iter().find(|branch| !refers(branch));
            return ends.or(branches.first()).map_or(Value::Null, |branch| self.value(branch));
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema),
            Some("array") => self.array(schema),
            Some("string") => text(schema).into(),
            Some("integer") => number(schema, json!(1)),
            Some("number") => number(schema, json!(1.0)),
            Some("boolean") => true.into(),
            _ => Value::Null,
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let member = |name: &Value| {
            let name = name.as_str().unwrap_or_default();
            (name.to_owned(), self.value(&schema["properties"][name]))
        };
        let mut members: Map<_, _> = required.iter().map(member).collect();
        // In an object with several choices, each adds members.
        for part in schema["allOf"].as_array().into_iter().flatten() {
            if let Value::Object(more) = self.value(part) {
                members.extend(more);
            }
        }
        for number in members.len()..length(schema, "minProperties").min(MOST) {
            if let Some((name, value)) = self.free_member(schema, number + 1) {
                members.insert(name, value);
            }
        }
        members.into()
    }

    /// Returns a member of a map. Only integer names have a pattern.
    fn free_member(&mut self, schema: &Value, number: usize) -> Option<(String, Value)> {
        let pattern = schema["patternProperties"].as_object().and_then(|patterns| patterns.values().next());
        match pattern {
            Some(value) => Some((number.to_string(), self.value(value))),
            None => Some((format!("name{number}"), self.value(schema.get("additionalProperties")?))),
        }
    }

    fn array(&mut self, schema: &Value) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            return items.iter().map(|item| self.value(item)).collect::<Vec<_>>().into();
        }
        let least = length(schema, "minItems").min(MOST);
        let most = if schema["items"]["$ref"].is_null() && schema["maxItems"] != 0 { 1 } else { 0 };
        let item = |number| {
            let item = self.value(&schema["items"]);
            if schema["uniqueItems"] == true { self.another(item, number, &schema["items"]) } else { item }
        };
        (0..least.max(most)).map(item).collect::<Vec<_>>().into()
    }

    /// Returns the item of a set with this number.
    fn another(&mut self, value: Value, number: usize, schema: &Value) -> Value {
        match schema["enum"].get(number) {
            Some(constant) => self.budget.copied(constant).unwrap_or_default(),
            None => another(value, number),
        }
    }
}

/// The maximum number of items or members of an example.
const MOST: usize = 16;

fn length(schema: &Value, keyword: &str) -> usize {
    schema[keyword].as_u64().map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX))
}

/// Varies a value by the number of the item in a set.
fn another(value: Value, number: usize) -> Value {
    match value {
        Value::String(text) if number > 0 => format!("{text}{}", number + 1).into(),
        Value::Number(value) => {
            let (i64, u64) = (value.as_i64(), value.as_u64());
            let next = i64.and_then(|value| value.checked_add(i64::try_from(number).ok()?)).map(Value::from);
            // After the largest integer, the value repeats, and is not an example.
            next.or_else(|| u64?.checked_add(number as u64).map(Value::from)).unwrap_or(Value::Number(value))
        }
        Value::Bool(value) => (value ^ (number > 0)).into(),
        value => value,
    }
}

/// Returns the usual number, or the nearest limit.
fn number(schema: &Value, usual: Value) -> Value {
    let beyond =
        |limit: &Value, value: &Value, order| limit.as_f64().partial_cmp(&value.as_f64()) == Some(order);
    let least = schema.get("minimum").filter(|least| beyond(least, &usual, Ordering::Greater)).cloned();
    let usual = least.unwrap_or(usual);
    let most = schema.get("maximum").filter(|most| beyond(most, &usual, Ordering::Less)).cloned();
    most.unwrap_or(usual)
}

fn text(schema: &Value) -> String {
    let usual = match schema["format"].as_str().and_then(sample) {
        Some(sample) => sample,
        None if schema["writeOnly"] == true => "(secret)",
        None => "text",
    };
    let length = |key: &str| schema[key].as_u64().and_then(|length| usize::try_from(length).ok());
    let mut text: String = usual.chars().take(length("maxLength").unwrap_or(usize::MAX)).collect();
    while text.chars().count() < length("minLength").unwrap_or(0).min(256) {
        text.push('a');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{of, without_secrets};
    use serde_json::{Map, Value, json};

    #[test]
    fn replaces_secrets_and_secret_names_only() {
        let schema = json!({"type": "object", "properties": {
            "user": {"type": "string"},
            "pin": {"type": "integer", "writeOnly": true},
            "any": {"writeOnly": true},
            "tokens": {
                "type": "object",
                "properties": {"main": {"type": "string"}},
                "propertyNames": {"writeOnly": true},
                "additionalProperties": {"type": "string"},
            },
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let call = json!({
            "user": "ada", "pin": 4711, "any": "swordfish",
            "tokens": {"main": "a", "swordfish": "b"}, "labels": {"color": "red"},
        });
        let masked = json!({
            "user": "ada", "pin": 1, "any": "(secret)",
            "tokens": {"main": "a", "name2": "b"}, "labels": {"color": "red"},
        });
        assert_eq!(without_secrets(call, &schema), masked);
    }

    #[test]
    fn has_a_value_of_each_type() {
        for (kind, value) in [
            ("object", json!({})),
            ("array", json!([null])),
            ("integer", json!(1)),
            ("number", json!(1.0)),
            ("boolean", json!(true)),
            ("null", json!(null)),
        ] {
            assert_eq!(of(&json!({ "type": kind })), value, "{kind}");
        }
    }

    #[test]
    fn limits_copies_of_long_values() {
        let names: Vec<String> = (0..900).map(|n| format!("a{n}")).collect();
        let refers = |name: &String| (name.clone(), json!({"$ref": "#/$defs/Big"}));
        let properties: Map<String, Value> = names.iter().map(refers).collect();
        let most = 64 * 1024 + names.len() * 64;
        for big in [
            json!({"type": "string", "examples": ["x".repeat(50_000)]}),
            json!({"type": "string", "default": "x".repeat(50_000)}),
            json!({"const": "x".repeat(50_000)}),
            json!({"type": "array", "uniqueItems": true, "minItems": 16, "items": {"enum": [1, "x".repeat(50_000)]}}),
        ] {
            let schema =
                json!({"type": "object", "required": names, "properties": properties, "$defs": {"Big": big}});
            let example = of(&schema).to_string();
            assert!((20_000..most).contains(&example.len()), "{}", example.len());
        }
        // Placeholders of secrets count toward the budget.
        let secret = json!({"type": "object", "required": ["of"], "writeOnly": true, "properties": {"of": {"examples": ["x".repeat(50_000)]}}});
        let schema =
            json!({"type": "object", "required": names, "properties": properties, "$defs": {"Big": secret}});
        let example = of(&schema).to_string();
        assert!(example.len() < 2 * most, "{}", example.len());
    }

    #[test]
    fn values_of_a_set_differ() {
        for (items, set) in [
            (json!({"type": "boolean"}), json!([true, false])),
            (json!({"type": "integer"}), json!([1, 2])),
            (json!({"type": "string", "examples": ["a"]}), json!(["a", "a2"])),
        ] {
            let schema = json!({"type": "array", "uniqueItems": true, "minItems": 2, "items": items});
            assert_eq!(of(&schema), set, "{items}");
        }
    }

    #[test]
    fn largest_integers_of_a_set_do_not_overflow() {
        let set = |least: u64| {
            of(
                &json!({"type": "array", "uniqueItems": true, "minItems": 2, "items": {"type": "integer", "minimum": least}}),
            )
        };
        assert_eq!(set(5), json!([5, 6]));
        assert_eq!(set(i64::MAX as u64), json!([i64::MAX, i64::MAX as u64 + 1]));
        assert_eq!(set(u64::MAX), json!([u64::MAX, u64::MAX]));
    }
}
