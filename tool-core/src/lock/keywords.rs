//! Keywords of schemas.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::lock::relation::Relation;
use crate::schema::json::canonical::canonical;
use crate::schema::message::shortened;

/// Keywords that do not affect which values fit. `default` is compared separately for optional inputs.
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

/// Keywords that are compared individually, beside [`BOUNDS`]; all others must be equal.
pub(super) const COMPARED: [&str; 12] = [
    "type",
    "enum",
    "const",
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

/// Bounds, and the effect of a greater number.
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

/// Keywords that only restrict values: removing one allows more, adding one allows fewer, and a changed one allows others.
pub(super) const LIMITS: [&str; 4] = ["format", "pattern", "multipleOf", "uniqueItems"];

/// The keywords of choices.
pub(super) const CHOICES: [&str; 2] = ["oneOf", "anyOf"];

pub(super) fn is_choice(schema: &Map<String, Value>) -> bool {
    CHOICES.into_iter().any(|keyword| schema.contains_key(keyword))
}

/// Returns the members of a schema: none for `true`, and `None` for `false`.
pub(super) fn members(schema: &Value) -> Option<&Map<String, Value>> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    match schema {
        Value::Object(members) => Some(members),
        Value::Bool(false) => None,
        _ => Some(&NONE),
    }
}

/// Returns the allowed values, if they are listed.
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
    // An integer is a number.
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

/// Returns the names of all members in a schema.
pub(super) fn named(schema: &Map<String, Value>) -> BTreeSet<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).map(String::as_str).chain(required(schema)).collect()
}

pub(super) fn was_is(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    let shown = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), show);
    format!("`{keyword}` was {}, is {}", shown(old), shown(new))
}

/// Returns a value as JSON, shortened.
pub(super) fn show(value: &Value) -> String {
    format!("`{}`", shortened(&canonical(value)))
}
