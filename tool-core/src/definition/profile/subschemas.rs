//! The keywords of JSON Schema 2020-12 with subschemas (Core, section 10).

use serde_json::{Map, Value};

use crate::schema::json::pointer::push_escaped;

const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Maps each direct subschema of an object schema with `render`, which also takes its path.
pub(super) fn mapped<'s, E>(
    object: impl IntoIterator<Item = (&'s String, &'s Value)>,
    path: &str,
    mut render: impl FnMut(&'s Value, &str) -> Result<Value, E>,
) -> Result<Map<String, Value>, E> {
    let mut rendered = Map::new();
    for (keyword, value) in object {
        let value = match value {
            schema if ONE.contains(&keyword.as_str()) => render(schema, &below(path, &[keyword]))?,
            Value::Array(schemas) if LISTS.contains(&keyword.as_str()) => {
                let mut list = Vec::new();
                for (position, schema) in schemas.iter().enumerate() {
                    list.push(render(schema, &below(path, &[keyword, &position.to_string()]))?);
                }
                list.into()
            }
            Value::Object(schemas) if MAPS.contains(&keyword.as_str()) => {
                let mut map = Map::new();
                for (name, schema) in schemas {
                    map.insert(name.clone(), render(schema, &below(path, &[keyword, name]))?);
                }
                map.into()
            }
            other => other.clone(),
        };
        rendered.insert(keyword.clone(), value);
    }
    Ok(rendered)
}

/// Returns the direct subschemas of an object schema.
pub(super) fn of(object: &Map<String, Value>) -> Vec<&Value> {
    let mut found = Vec::new();
    for (keyword, value) in object {
        match value {
            schema if ONE.contains(&keyword.as_str()) => found.push(schema),
            Value::Array(schemas) if LISTS.contains(&keyword.as_str()) => found.extend(schemas),
            Value::Object(schemas) if MAPS.contains(&keyword.as_str()) => found.extend(schemas.values()),
            _ => {}
        }
    }
    found
}

/// Appends tokens to a JSON Pointer.
pub(super) fn below(path: &str, steps: &[&str]) -> String {
    let mut below = path.to_owned();
    for step in steps {
        below.push('/');
        push_escaped(&mut below, step);
    }
    below
}
