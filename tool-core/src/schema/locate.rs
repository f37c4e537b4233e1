//! Finds the schemas of a value in the arguments.

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::json::pointer::unescaped;
use crate::schema::reference::referred;

/// Returns the schemas of the value at a JSON Pointer, its own first; empty if there is none.
pub(super) fn schemas_at<'s>(root: &'s Value, path: &str) -> Vec<&'s Value> {
    let names = path.split('/').skip(1).map(unescaped);
    names.fold(parts([root], root), |schemas, name| below(&schemas, &name, root).schemas)
}

/// The schemas of a member or an item.
pub(super) struct Below<'s> {
    pub(super) schemas: Vec<&'s Value>,
    /// Whether the name is declared in a schema, or is the position of an item, and was not chosen by the caller.
    pub(super) named: bool,
}

/// Returns the schemas of a member or an item. Patterns and unevaluated members are not matched, so the result may have
/// too many schemas.
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

/// Expands these schemas with their parts for the same value, each before its parts.
pub(super) fn parts<'s>(schemas: impl IntoIterator<Item = &'s Value>, root: &'s Value) -> Vec<&'s Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open: Vec<&Value> = schemas.into_iter().collect();
    // The stack is popped from the end.
    open.reverse();
    while let Some(schema) = open.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        found.push(schema);
        let lists = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array());
        open.extend(lists.flatten());
        // Conditional and negated schemas also describe the value.
        open.extend(["not", "if", "then", "else"].into_iter().filter_map(|key| schema.get(key)));
        let dependent = schema["dependentSchemas"].as_object().into_iter().flatten();
        open.extend(dependent.map(|(_, schema)| schema));
        open.extend(referred(schema, root));
    }
    found
}
