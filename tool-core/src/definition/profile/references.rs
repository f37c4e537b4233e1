//! References: each is put in its place, but for those of a recursive type.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::definition::profile::subschemas;
use crate::definition::profile::subschemas::below;
use crate::definition::profile::{Profile, ProfileError, dialect};
use crate::schema::json::pointer::push_escaped;
use crate::schema::reference;

/// References that refer twice to the next one multiply. A hand-written schema with more is refused with its tool.
const MAX_SCHEMAS: usize = 20_000;

/// No declared type is as deep; the stack of a thread, 2 MB, holds twice as much in a debug build.
const MAX_DEPTH: usize = 100;

/// The schema without references; a recursive type keeps `$ref`s to one definition, where the profile takes that.
pub(super) fn inlined(root: &Value, profile: Profile) -> Result<Value, ProfileError> {
    let mut inlining = Inlining {
        root,
        profile,
        names: HashMap::new(),
        definitions: Map::new(),
        recursive: HashMap::new(),
        schemas: 0,
        depth: 0,
    };
    let mut rendered = inlining.schema(root, "")?;
    if !inlining.definitions.is_empty() {
        rendered["$defs"] = inlining.definitions.into();
    }
    Ok(rendered)
}

struct Inlining<'s> {
    root: &'s Value,
    profile: Profile,
    /// The definitions of recursive types: what they are called, by the reference to them.
    names: HashMap<&'s str, String>,
    definitions: Map<String, Value>,
    /// Whether what a reference leads to refers to itself.
    recursive: HashMap<&'s str, bool>,
    schemas: usize,
    depth: usize,
}

impl<'s> Inlining<'s> {
    fn schema(&mut self, schema: &'s Value, path: &str) -> Result<Value, ProfileError> {
        let Some(object) = schema.as_object() else { return Ok(schema.clone()) };
        self.schemas += 1;
        self.depth += 1;
        if self.schemas > MAX_SCHEMAS || self.depth > MAX_DEPTH {
            return Err(ProfileError::TooLarge { profile: self.profile });
        }
        let rendered = match object.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let target = self.target(reference, path)?;
                let beside = self.without_definitions(object, path)?;
                together(beside, target)
            }
            None => self.without_definitions(object, path)?.into(),
        };
        self.depth -= 1;
        Ok(rendered)
    }

    /// Everything but references and what they lead to.
    fn without_definitions(
        &mut self,
        object: &'s Map<String, Value>,
        path: &str,
    ) -> Result<Map<String, Value>, ProfileError> {
        let led_to = ["$ref", "$defs", "definitions", "$schema", "$id"];
        let others = object.iter().filter(|(keyword, _)| !led_to.contains(&keyword.as_str()));
        subschemas::mapped(others, path, |schema, path| self.schema(schema, path))
    }

    /// What a reference leads to, or a reference to the one definition of a recursive type.
    fn target(&mut self, reference: &'s str, path: &str) -> Result<Value, ProfileError> {
        let found = reference::target(reference, self.root);
        let Some(found) = found else {
            return Err(ProfileError::Reference { path: path.to_owned(), reference: reference.to_owned() });
        };
        if !self.is_recursive(reference, found) {
            return self.schema(found, path);
        }
        if !dialect::takes_recursion(self.profile) {
            return Err(ProfileError::Recursive { profile: self.profile, path: path.to_owned() });
        }
        if reference == "#" {
            return Ok(json!({"$ref": "#"}));
        }
        if !self.names.contains_key(reference) {
            let name = self.free_name(reference);
            self.names.insert(reference, name.clone());
            // Its place is kept, so that a type which it holds does not come before it.
            self.definitions.insert(name.clone(), Value::Null);
            let definition = self.schema(found, &below("", &["$defs", &name]))?;
            self.definitions.insert(name, definition);
        }
        let mut reference_to = "#/$defs/".to_owned();
        push_escaped(&mut reference_to, &self.names[reference]);
        Ok(json!({"$ref": reference_to}))
    }

    /// The last step of the reference, with a number where another definition has this name.
    fn free_name(&self, reference: &str) -> String {
        let last = crate::schema::json::pointer::unescaped(reference.rsplit('/').next().unwrap_or_default());
        let numbered = (2..).map(|number| format!("{last}{number}"));
        let mut names = std::iter::once(last.clone()).chain(numbered);
        names.find(|name| !self.definitions.contains_key(name)).unwrap_or(last)
    }

    fn is_recursive(&mut self, reference: &'s str, target: &'s Value) -> bool {
        if let Some(seen) = self.recursive.get(reference) {
            return *seen;
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![target];
        let mut recursive = false;
        while let Some(schema) = waiting.pop() {
            let Some(object) = schema.as_object() else { continue };
            waiting.extend(subschemas::of(object));
            if let Some(next) = object.get("$ref").and_then(Value::as_str) {
                recursive |= next == reference;
                if seen.insert(next) {
                    waiting.extend(reference::target(next, self.root));
                }
            }
        }
        self.recursive.insert(reference, recursive);
        recursive
    }
}

/// What stands beside a reference counts too: it describes the value at this place better than its type does.
fn together(beside: Map<String, Value>, target: Value) -> Value {
    if !beside.keys().all(|keyword| dialect::is_note(keyword)) {
        return json!({"allOf": [target, beside]});
    }
    let mut together = beside;
    if let Value::Object(target) = target {
        for (keyword, value) in target {
            together.entry(keyword).or_insert(value);
        }
    }
    together.into()
}
