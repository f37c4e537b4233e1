//! What single keywords of a schema say.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::lock::schemas::Relation;
use crate::schema::json::canonical::canonical;

/// What says nothing about which values fit. `default` is looked at where it counts: at an input that may be left out.
pub(super) const TEXTS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
];

/// Keywords that a comparison looks at one by one; every other one must be the same.
pub(super) const COMPARED: [&str; 22] = [
    "type",
    "enum",
    "const",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "minProperties",
    "maximum",
    "exclusiveMaximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "items",
    "prefixItems",
    "allOf",
    "$defs",
];

/// Bounds, and which way a greater number goes.
pub(super) const BOUNDS: [(&str, Relation); 10] = [
    ("minimum", Relation::Narrower),
    ("exclusiveMinimum", Relation::Narrower),
    ("minLength", Relation::Narrower),
    ("minItems", Relation::Narrower),
    ("minProperties", Relation::Narrower),
    ("maximum", Relation::Wider),
    ("exclusiveMaximum", Relation::Wider),
    ("maxLength", Relation::Wider),
    ("maxItems", Relation::Wider),
    ("maxProperties", Relation::Wider),
];

/// Keywords that only take values away: to drop one takes more, to add one fewer, and another value is another schema.
pub(super) const LIMITS: [&str; 4] = ["format", "pattern", "multipleOf", "uniqueItems"];

/// The two keywords of a choice.
pub(super) const CHOICES: [&str; 2] = ["oneOf", "anyOf"];

pub(super) fn is_choice(schema: &Map<String, Value>) -> bool {
    CHOICES.into_iter().any(|keyword| schema.contains_key(keyword))
}

/// The members of a schema; `true` has none, `false` is no schema with members.
pub(super) fn members(schema: &Value) -> Option<&Map<String, Value>> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    match schema {
        Value::Object(members) => Some(members),
        Value::Bool(false) => None,
        _ => Some(&NONE),
    }
}

/// The values that are allowed, where they are listed.
pub(super) fn constants(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), constant) => {
            Some(values.iter().filter(|value| constant.is_none_or(|constant| constant == *value)).collect())
        }
        (_, Some(value)) => Some(vec![value]),
        _ => None,
    }
}

pub(super) fn type_names(schema: &Map<String, Value>) -> Option<BTreeSet<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(BTreeSet::from([name.as_str()])),
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

pub(super) fn types(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<Relation> {
    let (old, new) = match (type_names(old), type_names(new)) {
        (None, None) => return None,
        (Some(_), None) => return Some(Relation::Wider),
        (None, Some(_)) => return Some(Relation::Narrower),
        (Some(old), Some(new)) => (old, new),
    };
    // An integer is a number, too.
    let within = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
        a.iter().all(|name| b.contains(name) || *name == "integer" && b.contains("number"))
    };
    match (within(&old, &new), within(&new, &old)) {
        (true, true) => None,
        (true, false) => Some(Relation::Wider),
        (false, true) => Some(Relation::Narrower),
        (false, false) => Some(Relation::Other),
    }
}

pub(super) fn required(schema: &Map<String, Value>) -> BTreeSet<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

pub(super) fn requires(schema: &Map<String, Value>, name: &str) -> bool {
    required(schema).contains(name)
}

/// Every member that a schema names.
pub(super) fn named(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).map(String::as_str).chain(required(schema)).collect()
}

/// The order of two numbers, exactly.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let integer = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

pub(super) fn was_is(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), show);
    format!("`{keyword}` was {}, is {}", shown(old), shown(new))
}

/// A value as JSON, shortened.
pub(super) fn show(value: &Value) -> String {
    let text = canonical(value);
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
