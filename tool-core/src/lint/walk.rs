//! Visits every part of a schema.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::schema::json::pointer::push_token;
use crate::schema::reference::referred;

/// One part of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaPart<'s> {
    /// The path of its values: a JSON Pointer, in which `*` is any item of a list or any value of a map.
    pub(super) path: &'s str,
    pub(super) schema: &'s Value,
    /// The name of the member, if the part describes one.
    pub(super) member: Option<&'s str>,
    /// Whether the part, or a part around it, has an example or a default.
    pub(super) exemplified: bool,
}

/// Visits the schema and everything below it, in order. A definition is visited once, at the first reference to it.
pub(super) fn walk<'s>(root: &'s Value, visit: &mut dyn FnMut(SchemaPart<'_>)) {
    SchemaWalk { root, path: String::new(), visited: BTreeSet::new(), visit }.part(root, None, false);
}

struct SchemaWalk<'s, 'v> {
    root: &'s Value,
    path: String,
    /// The references that were followed.
    visited: BTreeSet<&'s str>,
    visit: &'v mut dyn FnMut(SchemaPart<'_>),
}

impl<'s> SchemaWalk<'s, '_> {
    fn part(&mut self, schema: &'s Value, member: Option<&str>, exemplified: bool) {
        let exemplified = exemplified
            || ["examples", "default", "enum", "const"].into_iter().any(|key| schema.get(key).is_some());
        (self.visit)(SchemaPart { path: &self.path, schema, member, exemplified });
        if let Some(reference) = schema["$ref"].as_str()
            && self.visited.insert(reference)
            && let Some(definition) = referred(schema, self.root)
        {
            // The member was visited at the reference.
            self.part(definition, None, exemplified);
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            self.below(name, schema, Some(name), exemplified);
        }
        for (_, schema) in schema["patternProperties"].as_object().into_iter().flatten() {
            self.below("*", schema, None, exemplified);
        }
        for keyword in ["items", "additionalProperties", "unevaluatedProperties"] {
            if let Some(schema) = schema.get(keyword).filter(|schema| schema.is_object()) {
                self.below("*", schema, None, exemplified);
            }
        }
        for (position, schema) in schema["prefixItems"].as_array().into_iter().flatten().enumerate() {
            self.below(&position.to_string(), schema, None, exemplified);
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            for schema in schema[keyword].as_array().into_iter().flatten() {
                self.part(schema, None, exemplified);
            }
        }
    }

    fn below(&mut self, step: &str, schema: &'s Value, member: Option<&str>, exemplified: bool) {
        let length = self.path.len();
        push_token(&mut self.path, step);
        self.part(schema, member, exemplified);
        self.path.truncate(length);
    }
}
