//! Inlines references, except those of recursive types.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::definition::profile::subschemas::{below, mapped};
use crate::definition::profile::{Profile, ProfileError, dialect};
use crate::schema::constants;
use crate::schema::json::pointer::push_escaped;
use crate::schema::normal::merge_under;
use crate::schema::reference;
use crate::schema::subschemas::subschemas;

/// The maximum number of inlined schemas: references multiply. A custom schema with more is rejected with its tool.
const MAX_SCHEMAS: usize = 20_000;

/// No declared type is as deep. A stack of 2 MB allows twice as much in a debug build.
const MAX_DEPTH: usize = 100;

/// Inlines references. Recursive types keep `$ref`s to one definition, if the profile supports that.
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
    /// The names of recursive definitions, by reference.
    names: HashMap<&'s str, String>,
    definitions: Map<String, Value>,
    /// Whether the target of a reference is recursive.
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

    /// Copies an object without references and definitions.
    fn without_definitions(
        &mut self,
        object: &'s Map<String, Value>,
        path: &str,
    ) -> Result<Map<String, Value>, ProfileError> {
        let led_to = ["$ref", "$defs", "definitions", "$schema", "$id"];
        let others = object.iter().filter(|(keyword, _)| !led_to.contains(&keyword.as_str()));
        mapped(others, path, |schema, path| self.schema(schema, path))
    }

    /// Returns the inlined target of a reference, or a reference to a recursive definition.
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
            // Reserves its position, so that nested definitions come after it.
            self.definitions.insert(name.clone(), Value::Null);
            let definition = self.schema(found, &below("", &["$defs", &name]))?;
            self.definitions.insert(name, definition);
        }
        let mut reference_to = "#/$defs/".to_owned();
        push_escaped(&mut reference_to, &self.names[reference]);
        Ok(json!({"$ref": reference_to}))
    }

    /// Returns the last token of the reference, with a number if the name is taken.
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
            waiting.extend(subschemas(object).into_iter().map(|part| part.schema));
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

/// Sibling keywords of a reference apply too, and take precedence. What the target says of single constants is kept.
fn together(mut beside: Map<String, Value>, target: Value) -> Value {
    if !beside.keys().all(|keyword| dialect::is_note(keyword)) {
        return json!({"allOf": [target, beside]});
    }
    if let Some(Value::String(description)) = beside.get_mut("description") {
        for line in constants::descriptions(&target) {
            description.push('\n');
            description.push_str(line);
        }
    }
    merge_under(&mut beside, target);
    beside.into()
}
