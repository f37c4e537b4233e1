//! Converts a schema to a choice of plain schemas: each of one type, without `allOf`, `anyOf` and `oneOf`.
//!
//! Vendors support choices only without sibling limits, and no `allOf`. So keywords that apply to all branches are
//! copied into each, and several choices become one choice of their combinations. `anyOf` and `oneOf` are treated
//! alike: they differ only for values that match two branches, which is decided when the tool is called.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::definition::profile::dialect::is_note;

/// The maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 200;

/// There are too many combinations.
pub(super) struct TooMany;

type Schema = Map<String, Value>;

/// Returns the annotations of the whole schema, and the plain schemas; none if nothing is valid.
pub(super) fn alternatives(schema: Schema) -> Result<(Schema, Vec<Schema>), TooMany> {
    let (notes, mut schema): (Schema, Schema) = schema.into_iter().partition(|(keyword, _)| is_note(keyword));
    let mut take = |keyword| match schema.shift_remove(keyword) {
        Some(Value::Array(parts)) => parts,
        _ => Vec::new(),
    };
    let (all, any, one) = (take("allOf"), take("anyOf"), take("oneOf"));
    let mut found = by_type(schema);
    for part in all {
        found = combined(&found, &whole(part)?)?;
    }
    for branches in [any, one] {
        if branches.is_empty() {
            continue;
        }
        let mut choice = Vec::new();
        for branch in branches {
            choice.extend(whole(branch)?);
        }
        found = combined(&found, &choice)?;
    }
    Ok((notes, found))
}

/// Returns the alternatives of a part, each with the annotations of the part.
fn whole(part: Value) -> Result<Vec<Schema>, TooMany> {
    let part = match part {
        Value::Object(part) => part,
        Value::Bool(false) => return Ok(Vec::new()),
        _ => Schema::new(),
    };
    let (notes, plain) = alternatives(part)?;
    Ok(plain.into_iter().filter_map(|plain| merged(notes.clone(), &plain)).collect())
}

/// Combines two lists of alternatives, without contradictions.
fn combined(some: &[Schema], others: &[Schema]) -> Result<Vec<Schema>, TooMany> {
    if some.len() * others.len() > MAX_ALTERNATIVES {
        return Err(TooMany);
    }
    let pairs = some.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
    Ok(pairs.filter_map(|(one, other)| merged(one.clone(), other)).collect())
}

/// Splits a schema by its types; constants determine their type.
fn by_type(schema: Schema) -> Vec<Schema> {
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(_) => return vec![schema],
        None => {
            let constants = schema.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let mut kinds: Vec<&str> = constants.iter().chain(schema.get("const")).map(kind_of).collect();
            let mut seen = HashSet::new();
            kinds.retain(|kind| seen.insert(*kind));
            kinds
        }
    };
    if kinds.is_empty() {
        return vec![schema];
    }
    kinds.into_iter().filter_map(|kind| of_type(&schema, kind)).collect()
}

/// Returns the schema for the values of one type; `None` if it lists only constants of other types.
fn of_type(schema: &Schema, kind: &str) -> Option<Schema> {
    let mut only = Schema::from_iter([("type".to_owned(), kind.into())]);
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("type", _) => {}
            ("enum", Value::Array(constants)) => {
                let fitting: Vec<Value> =
                    constants.iter().filter(|value| is_of(value, kind)).cloned().collect();
                if fitting.is_empty() {
                    return None;
                }
                only.insert(keyword.clone(), fitting.into());
            }
            ("const", value) if !is_of(value, kind) => return None,
            _ => {
                only.insert(keyword.clone(), value.clone());
            }
        }
    }
    Some(only)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    kind_of(value) == kind || kind == "number" && value.is_number()
}

/// Merges two schemas; `None` if no value is valid for both.
///
/// One part of an object may be closed while another adds a property: the merged object is closed over both, as such
/// schemas intend.
fn merged(mut ours: Schema, theirs: &Schema) -> Option<Schema> {
    for (keyword, their) in theirs {
        let Some(our) = ours.get_mut(keyword) else {
            ours.insert(keyword.clone(), their.clone());
            continue;
        };
        if our == their {
            continue;
        }
        match keyword.as_str() {
            "type" => *our = common_type(our, their)?,
            "const" => return None,
            "enum" => {
                let theirs = their.as_array()?;
                let ours = our.as_array_mut()?;
                ours.retain(|value| theirs.contains(value));
                if ours.is_empty() {
                    return None;
                }
            }
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
                if our.as_f64() < their.as_f64() {
                    *our = their.clone();
                }
            }
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
                if our.as_f64() > their.as_f64() {
                    *our = their.clone();
                }
            }
            "required" | "allOf" => add(our, their),
            "properties" | "patternProperties" => add_properties(our, their),
            "items" | "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems" => {
                *our = both(our, their);
            }
            "description" => {
                *our =
                    format!("{}\n{}", our.as_str().unwrap_or_default(), their.as_str().unwrap_or_default())
                        .into();
            }
            _ if is_note(keyword) => {}
            // The limits cannot be merged: the second one is described in words.
            _ => {
                let second = json!([{ keyword: their }]);
                add(ours.entry("allOf").or_insert_with(|| json!([])), &second);
            }
        }
    }
    Some(ours)
}

fn common_type(our: &Value, their: &Value) -> Option<Value> {
    match (our.as_str()?, their.as_str()?) {
        ("integer", "number") | ("number", "integer") => Some("integer".into()),
        _ => None,
    }
}

fn add(ours: &mut Value, theirs: &Value) {
    if let (Value::Array(ours), Value::Array(theirs)) = (ours, theirs) {
        for their in theirs {
            if !ours.contains(their) {
                ours.push(their.clone());
            }
        }
    }
}

fn add_properties(ours: &mut Value, theirs: &Value) {
    if let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) {
        for (name, their) in theirs {
            let joint = ours.get(name).map_or_else(|| their.clone(), |our| both(our, their));
            ours.insert(name.clone(), joint);
        }
    }
}

fn both(our: &Value, their: &Value) -> Value {
    match (our, their) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => false.into(),
        (Value::Bool(true), other) | (other, Value::Bool(true)) => other.clone(),
        (our, their) if our == their => our.clone(),
        (our, their) => json!({"allOf": [our, their]}),
    }
}
