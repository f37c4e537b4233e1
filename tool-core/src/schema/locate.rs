//! The schemas that speak about a place in the arguments.

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::json::pointer::unescaped;
use crate::schema::reference::referred;

/// The schemas of the value at this place, a JSON Pointer, its own first; nothing where no schema speaks of it.
pub(super) fn schemas_at<'s>(root: &'s Value, path: &str) -> Vec<&'s Value> {
    let names = path.split('/').skip(1).map(unescaped);
    names.fold(parts([root], root), |schemas, name| below(&schemas, &name, root).schemas)
}

/// The schemas of a member or an item.
pub(super) struct Below<'s> {
    pub(super) schemas: Vec<&'s Value>,
    /// Whether its name is in a schema, or the position of an item: not one that the caller has chosen.
    pub(super) named: bool,
}

/// The schemas of the member of this name, or of the item at this position, below these. Whether a pattern matches the
/// name, or another schema leaves the value unevaluated, is not asked: too much is said rather than too little.
pub(super) fn below<'s>(schemas: &[&'s Value], name: &str, root: &'s Value) -> Below<'s> {
    let position = name.parse::<usize>().ok();
    let mut found: Vec<&Value> = Vec::new();
    let mut named = false;
    for schema in schemas {
        let property = schema["properties"].get(name);
        let item =
            position.and_then(|position| schema["prefixItems"].get(position).or_else(|| schema.get("items")));
        named |= property.or(item).is_some();
        found.extend(property);
        let patterns = schema["patternProperties"].as_object().into_iter().flatten();
        found.extend(patterns.map(|(_, schema)| schema));
        if property.is_none() {
            found.extend(schema.get("additionalProperties"));
        }
        found.extend(item);
        found.extend(schema.get("unevaluatedProperties"));
        if position.is_some() {
            found.extend(["contains", "unevaluatedItems"].into_iter().filter_map(|key| schema.get(key)));
        }
    }
    Below { schemas: parts(found, root), named }
}

/// These schemas with everything that they say in parts about the same value, each before its parts.
pub(super) fn parts<'s>(schemas: impl IntoIterator<Item = &'s Value>, root: &'s Value) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open: Vec<&Value> = schemas.into_iter().collect();
    // The next one is the last.
    open.reverse();
    while let Some(schema) = open.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        found.push(schema);
        let lists = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array());
        open.extend(lists.flatten());
        // What holds under a condition, or must not hold, speaks of the value, too.
        open.extend(["not", "if", "then", "else"].into_iter().filter_map(|key| schema.get(key)));
        let dependent = schema["dependentSchemas"].as_object().into_iter().flatten();
        open.extend(dependent.map(|(_, schema)| schema));
        open.extend(referred(schema, root));
    }
    found
}
