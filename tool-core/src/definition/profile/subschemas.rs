//! Rendering of the schemas in a schema.

use serde_json::{Map, Value};

use crate::schema::json::pointer::push_token;
use crate::schema::subschemas::{NodeShape, applicator};

/// Maps each direct subschema of an object schema with `render`, which also takes its path.
pub(super) fn mapped<'s, E>(
    object: impl IntoIterator<Item = (&'s String, &'s Value)>,
    path: &str,
    mut render: impl FnMut(&'s Value, &str) -> Result<Value, E>,
) -> Result<Map<String, Value>, E> {
    let mut rendered = Map::new();
    for (keyword, value) in object {
        let shape = applicator(keyword).map(|(shape, _)| shape);
        let value = match (shape, value) {
            (Some(NodeShape::Schema), schema) => render(schema, &below(path, &[keyword]))?,
            (Some(NodeShape::List), Value::Array(schemas)) => {
                let mut list = Vec::new();
                for (position, schema) in schemas.iter().enumerate() {
                    list.push(render(schema, &below(path, &[keyword, &position.to_string()]))?);
                }
                list.into()
            }
            (Some(NodeShape::Map), Value::Object(schemas)) => {
                let mut map = Map::new();
                for (name, schema) in schemas {
                    map.insert(name.clone(), render(schema, &below(path, &[keyword, name]))?);
                }
                map.into()
            }
            (_, other) => other.clone(),
        };
        rendered.insert(keyword.clone(), value);
    }
    Ok(rendered)
}

/// Appends tokens to a JSON Pointer.
pub(super) fn below(path: &str, steps: &[&str]) -> String {
    let mut below = path.to_owned();
    for step in steps {
        push_token(&mut below, step);
    }
    below
}
