//! The schemas that speak about a place in the arguments.

use serde_json::Value;

use crate::schema::types::resolved;
use crate::schema::unescaped;

/// The schemas of the value at this place, a JSON Pointer, its own first; nothing where no schema speaks of it.
pub(super) fn at<'s>(root: &'s Value, path: &str) -> Vec<&'s Value> {
    let names = path.split('/').skip(1).map(unescaped);
    names.fold(parts(root, root), |schemas, name| below(&schemas, &name, root).schemas)
}

/// The schemas of a member or an item.
pub(super) struct Below<'s> {
    pub(super) schemas: Vec<&'s Value>,
    /// Whether its name is in a schema, or the position of an item: not one that the caller has chosen.
    pub(super) named: bool,
}

/// The schemas of the member of this name, or of the item at this position, below these.
pub(super) fn below<'s>(schemas: &[&'s Value], name: &str, root: &'s Value) -> Below<'s> {
    let position = name.parse::<usize>().ok();
    let mut below = Below { schemas: Vec::new(), named: false };
    for schema in schemas {
        if let Some(property) = schema["properties"].get(name) {
            below.named = true;
            below.schemas.extend(parts(property, root));
            continue;
        }
        let item =
            position.and_then(|position| schema["prefixItems"].get(position).or_else(|| schema.get("items")));
        below.named |= item.is_some();
        let patterns =
            schema["patternProperties"].as_object().into_iter().flat_map(|patterns| patterns.values());
        for schema in patterns.chain(schema.get("additionalProperties")).chain(item) {
            below.schemas.extend(parts(schema, root));
        }
    }
    below
}

/// A schema with everything that it says in parts about the same value, itself first.
pub(super) fn parts<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        found.push(schema);
        open.push(resolved(schema, root));
        for keyword in ["anyOf", "oneOf", "allOf"] {
            open.extend(schema[keyword].as_array().into_iter().flatten());
        }
    }
    found
}
