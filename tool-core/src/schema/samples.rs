//! Sample values of a schema, one per alternative and kind of member, to test its type.

use serde_json::{Map, Value};

use crate::schema::example::guess_of;
use crate::schema::reference::target;
use crate::schema::subschemas::branches;

/// The maximum number of samples.
const MOST: usize = 64;

/// The maximum depth of samples.
const DEPTH: u8 = 8;

/// Returns samples of the arguments: each sample of each input, with the first sample of the others.
pub(crate) fn of(root: &Value) -> Vec<Value> {
    Samples { root }.of(root, DEPTH)
}

struct Samples<'s> {
    root: &'s Value,
}

impl Samples<'_> {
    fn of(&self, schema: &Value, depth: u8) -> Vec<Value> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        if let Some(reference) = schema["$ref"].as_str() {
            return target(reference, self.root).map_or_else(Vec::new, |target| self.of(target, depth));
        }
        let choice = branches(schema);
        let mut samples = match (choice, schema["type"].as_str()) {
            _ if schema.get("allOf").is_some() || choice.is_some() && schema.get("properties").is_some() => {
                vec![guess_of(schema, self.root)]
            }
            (Some(branches), _) => branches.iter().flat_map(|branch| self.of(branch, depth)).collect(),
            (None, Some("object")) => self.objects(schema, depth),
            (None, Some("array")) if schema["items"].is_object() => {
                self.of(&schema["items"], depth).into_iter().map(|item| Value::Array(vec![item])).collect()
            }
            _ => vec![guess_of(schema, self.root)],
        };
        samples.truncate(MOST);
        samples
    }

    fn objects(&self, schema: &Value, depth: u8) -> Vec<Value> {
        let named = schema["properties"].as_object().into_iter().flatten();
        let mut members: Vec<(&str, Vec<Value>)> =
            named.map(|(name, schema)| (name.as_str(), self.of(schema, depth))).collect();
        // Only integer names have a pattern.
        let by_pattern = schema["patternProperties"].as_object().into_iter().flatten();
        members.extend(by_pattern.map(|(_, schema)| ("1", self.of(schema, depth))));
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        members.extend(others.map(|schema| ("name1", self.of(schema, depth))));
        let first: Map<String, Value> = members
            .iter()
            .filter_map(|(name, samples)| Some(((*name).to_owned(), samples.first()?.clone())))
            .collect();
        let mut objects = vec![Value::from(first.clone())];
        for (name, samples) in members {
            for sample in samples.into_iter().skip(1) {
                let mut object = first.clone();
                object.insert(name.to_owned(), sample);
                objects.push(object.into());
            }
        }
        objects
    }
}
