//! Finds 128-bit integers inside untagged enums, which serde cannot decode: its buffer does not support them, so it
//! reports that no variant matches.

use std::collections::HashSet;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::declare::input_spec::InputSpec;
use crate::schema::expansion::referring;
use crate::schema::json::pointer::push_token;

/// Returns the path of the first one, by names of inputs and members; `*` is any item of a list or value of a map.
///
/// The normal form drops the width, so this runs on the schema before it.
pub(crate) fn in_untagged(specs: &[&'static InputSpec]) -> Option<String> {
    let types: Vec<_> = specs.iter().map(|spec| spec.schema).collect();
    let (roots, definitions) = referring(SchemaSettings::draft2020_12().for_deserialize(), &types);
    let mut search = Search { definitions: &definitions, seen: HashSet::new() };
    specs.iter().zip(&roots).find_map(|(spec, schema)| {
        let name = if spec.flatten { "" } else { spec.name };
        search.below(schema, &mut String::new(), name, false)
    })
}

struct Search<'s> {
    definitions: &'s Map<String, Value>,
    /// The visited definitions, and whether serde buffers them.
    seen: HashSet<(&'s str, bool)>,
}

impl<'s> Search<'s> {
    /// Visits the schema of a member.
    fn below(&mut self, schema: &'s Value, path: &mut String, name: &str, buffered: bool) -> Option<String> {
        let length = path.len();
        if !name.is_empty() {
            push_token(path, name);
        }
        let found = self.look(schema, path, buffered);
        path.truncate(length);
        found
    }

    fn look(&mut self, schema: &'s Value, path: &mut String, buffered: bool) -> Option<String> {
        if buffered && matches!(schema["format"].as_str(), Some("int128" | "uint128")) {
            return Some(path.clone());
        }
        let referred = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        if let Some((name, definition)) = referred.and_then(|name| self.definitions.get_key_value(name))
            && self.seen.insert((name, buffered))
            && let Some(found) = self.look(definition, path, buffered)
        {
            return Some(found);
        }
        let keywords = schema.as_object()?;
        keywords.iter().find_map(|(keyword, value)| match (keyword.as_str(), value) {
            ("properties", Value::Object(members)) => {
                members.iter().find_map(|(name, member)| self.below(member, path, name, buffered))
            }
            ("patternProperties", Value::Object(members)) => {
                members.values().find_map(|member| self.below(member, path, "*", buffered))
            }
            ("items" | "additionalProperties", member) => self.below(member, path, "*", buffered),
            ("prefixItems", Value::Array(items)) => {
                items.iter().find_map(|item| self.below(item, path, "*", buffered))
            }
            // schemars uses these for untagged enums and for optional values; the latter are not a choice of types.
            ("anyOf", Value::Array(branches)) => {
                let buffered =
                    buffered || branches.iter().filter(|branch| branch["type"] != "null").count() > 1;
                branches.iter().find_map(|branch| self.look(branch, path, buffered))
            }
            ("oneOf" | "allOf", Value::Array(branches)) => {
                branches.iter().find_map(|branch| self.look(branch, path, buffered))
            }
            _ => None,
        })
    }
}
