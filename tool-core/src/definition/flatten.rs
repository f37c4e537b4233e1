//! Flattening: the fields of a struct become inputs of a tool.

use serde_json::{Map, Value};

/// The fields of a flattened input.
pub(crate) struct Fields {
    pub(crate) properties: Map<String, Value>,
    pub(crate) required: Vec<Value>,
}

impl Fields {
    /// Returns the fields of a struct without fields, if this schema of a type is of one. In normal form it looks like a map.
    pub(crate) fn none(schema: &Value) -> Option<Self> {
        const OTHERS: [&str; 6] =
            ["$ref", "additionalProperties", "allOf", "anyOf", "oneOf", "patternProperties"];
        let schema = schema.as_object()?;
        let has_members =
            |name| schema.get(name).and_then(Value::as_object).is_some_and(|members| !members.is_empty());
        let is_closed = |name: &&str| *name == "additionalProperties" && schema[*name] == false;
        let is_other = OTHERS.iter().any(|name| schema.contains_key(*name) && !is_closed(name));
        let is_empty = schema.get("type")? == "object" && !has_members("properties") && !is_other;
        is_empty.then(|| Fields { properties: Map::new(), required: Vec::new() })
    }
}

/// Returns the fields of a schema in normal form.
///
/// # Errors
///
/// If the schema has no fixed fields.
pub(crate) fn fields(schema: Value) -> Result<Fields, &'static str> {
    let Value::Object(mut schema) = schema else { return Err("its type is not a struct with named fields") };
    if ["oneOf", "anyOf", "allOf"].into_iter().any(|keyword| schema.contains_key(keyword)) {
        return Err("its fields depend on a choice, as those of an `enum` do");
    }
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err("its type is not a struct with named fields");
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false))
        || schema.contains_key("patternProperties")
    {
        return Err("the names of its members are free, as those of a map are");
    }
    let Some(Value::Object(properties)) = schema.shift_remove("properties") else {
        return Err("its type is not a struct with named fields");
    };
    let required = match schema.shift_remove("required") {
        Some(Value::Array(required)) => required,
        _ => Vec::new(),
    };
    Ok(Fields { properties, required })
}
