//! One field of a form.

use serde_json::{Map, Value, json};

use crate::schema::normal::merge_under;

/// A field, derived from the schema of its type.
pub(super) struct Field {
    /// The published schema.
    pub(super) shown: Map<String, Value>,
    /// The full schema, which answers are checked against.
    pub(super) checked: Map<String, Value>,
    /// Whether the field may be missing.
    pub(super) optional: bool,
    pub(super) secret: bool,
}

/// Describes a field that a form cannot have.
pub(super) struct UnsupportedField(pub(super) &'static str);

/// The keywords that every field may have.
const COMMON: [&str; 3] = ["title", "description", "default"];

/// The formats of texts that clients support.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

impl Field {
    pub(super) fn of(schema: &Value) -> Result<Self, UnsupportedField> {
        let Some(mut object) = schema.as_object().cloned() else { return Err(UnsupportedField("anything")) };
        let optional = drop_null(&mut object);
        let secret = object.get("writeOnly") == Some(&Value::Bool(true));
        let shown = shown(&object)?;
        // A problem then lists the values instead of the alternatives.
        plain(&mut object);
        if let Some(Value::Object(items)) = object.get_mut("items") {
            plain(items);
        }
        Ok(Field { shown, checked: object, optional, secret })
    }
}

/// Replaces the alternatives of a choice by an `enum`.
fn plain(object: &mut Map<String, Value>) {
    if let Some(Choice(texts)) = Choice::of(object) {
        object.retain(|keyword, _| !matches!(keyword.as_str(), "oneOf" | "anyOf" | "const" | "enumNames"));
        object.insert("enum".to_owned(), texts.into_iter().map(|(value, _)| value).collect());
    }
}

/// Returns the published part of a schema.
fn shown(object: &Map<String, Value>) -> Result<Map<String, Value>, UnsupportedField> {
    let kind = object.get("type").and_then(Value::as_str);
    let mut shown = Map::new();
    let mut take = |keywords: &[&str]| {
        for keyword in keywords {
            if let Some(value) = object.get(*keyword) {
                shown.insert((*keyword).to_owned(), value.clone());
            }
        }
    };
    if let Some(choice) = Choice::of(object) {
        take(&COMMON);
        shown.shift_insert(0, "type".to_owned(), "string".into());
        choice.write(&mut shown, "oneOf");
        if let Some(names) = object.get("enumNames") {
            shown.insert("enumNames".to_owned(), names.clone());
        }
        return Ok(shown);
    }
    take(&["type"]);
    take(&COMMON);
    match kind {
        Some("string") => {
            take(&["minLength", "maxLength"]);
            if object.get("format").and_then(Value::as_str).is_some_and(|format| FORMATS.contains(&format)) {
                shown.insert("format".to_owned(), object["format"].clone());
            }
        }
        Some("integer" | "number") => take(&["minimum", "maximum"]),
        Some("boolean") => {}
        Some("array") => {
            take(&["minItems", "maxItems"]);
            let items = object.get("items").and_then(Value::as_object);
            let choice = items
                .and_then(Choice::of)
                .ok_or(UnsupportedField("a list of anything but a choice of texts"))?;
            let mut items = Map::new();
            if choice.is_plain() {
                items.insert("type".to_owned(), "string".into());
            }
            choice.write(&mut items, "anyOf");
            shown.insert("items".to_owned(), items.into());
        }
        Some("object") => return Err(UnsupportedField("an object")),
        _ => return Err(UnsupportedField("of no one type")),
    }
    Ok(shown)
}

/// The texts of a choice, each with an optional title.
struct Choice(Vec<(String, Option<String>)>);

impl Choice {
    /// Reads the choices of a schema.
    fn of(object: &Map<String, Value>) -> Option<Self> {
        let untitled = |value: &Value| Some((value.as_str()?.to_owned(), None));
        if let Some(values) = object.get("enum").and_then(Value::as_array) {
            return values.iter().map(untitled).collect::<Option<Vec<_>>>().map(Choice);
        }
        if let Some(value) = object.get("const") {
            return untitled(value).map(|only| Choice(vec![only]));
        }
        let branches = ["oneOf", "anyOf"].iter().find_map(|keyword| object.get(*keyword)?.as_array())?;
        let mut choice = Vec::new();
        for branch in branches {
            // Constants without documentation are grouped in an `enum`.
            if let Some(values) = branch["enum"].as_array() {
                choice.extend(values.iter().map(untitled).collect::<Option<Vec<_>>>()?);
                continue;
            }
            let title = ["title", "description"].iter().find_map(|keyword| branch[*keyword].as_str());
            choice.push((branch["const"].as_str()?.to_owned(), title.map(first_paragraph)));
        }
        Some(Choice(choice))
    }

    /// Returns `true` if no choice has a title.
    fn is_plain(&self) -> bool {
        self.0.iter().all(|(_, title)| title.is_none())
    }

    /// Writes the choices as an `enum`, or with their titles under this keyword.
    fn write(&self, schema: &mut Map<String, Value>, keyword: &str) {
        if self.is_plain() {
            let values: Vec<Value> = self.0.iter().map(|(value, _)| value.as_str().into()).collect();
            schema.insert("enum".to_owned(), values.into());
            return;
        }
        let titled = |(value, title): &(String, Option<String>)| json!({"const": value, "title": title.as_ref().unwrap_or(value)});
        schema.insert(keyword.to_owned(), self.0.iter().map(titled).collect());
    }
}

/// Returns the first paragraph on one line: a title has no second one.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Turns `T | null` into `T`, and returns whether it was nullable.
fn drop_null(object: &mut Map<String, Value>) -> bool {
    let mut dropped = false;
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        let count = kinds.len();
        kinds.retain(|kind| kind != "null");
        dropped |= kinds.len() < count;
        if let [only] = &kinds[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        let count = values.len();
        values.retain(|value| !value.is_null());
        dropped |= values.len() < count;
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        let count = branches.len();
        branches.retain(|branch| *branch != json!({"type": "null"}));
        dropped |= branches.len() < count;
        if let [only @ Value::Object(_)] = &mut branches[..] {
            let only = only.take();
            object.shift_remove(keyword);
            // A keyword beside the choice is more specific.
            merge_under(object, only);
        }
    }
    if dropped && object.get("default").is_some_and(Value::is_null) {
        object.shift_remove("default");
    }
    dropped
}
