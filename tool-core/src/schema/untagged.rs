//! Limits the decoding of recursive untagged enums.
//!
//! serde tries each alternative until one matches. If two alternatives have the next level as a member of the same
//! name, both decode it, which doubles the work per level: a few hundred bytes can take minutes.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::schema::json::children::children;
use crate::schema::json::pointer::pointer;
use crate::schema::problem::Problem;
use crate::schema::reference::referred;
use crate::schema::{locate, message};

/// The maximum number of decoded values, counted once per attempt.
const MAX_DECODED: u64 = 20_000;

/// How a value leads to its next level, each with the number of alternatives that go there.
#[derive(Debug, Default)]
pub(crate) struct Untagged<'s> {
    members: HashMap<&'s str, u64>,
    /// Through any member.
    any: u64,
    /// Through an item of a list.
    items: u64,
}

/// A member or an item of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PathStep<'s> {
    Member(&'s str),
    Any,
    Item,
}

impl<'s> Untagged<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        let mut untagged = Untagged::default();
        // Without references, nothing is recursive.
        if super::types::refers(root) {
            untagged.look(root, root);
        }
        untagged
    }

    /// Returns `true` if there is no choice that decodes a level more than once.
    pub(crate) fn is_any(&self) -> bool {
        self.any > 1
            || self.items > 1
            || self.members.values().any(|alternatives| alternatives + self.any > 1)
    }

    fn look(&mut self, schema: &'s Value, root: &'s Value) {
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = schema[keyword].as_array().filter(|branches| branches.len() > 1) {
                self.add(schema, branches, root);
            }
        }
        children(schema).for_each(|child| self.look(child, root));
    }

    fn add(&mut self, choice: &'s Value, branches: &'s [Value], root: &'s Value) {
        let parts: Vec<Vec<&Value>> = branches.iter().map(|branch| locate::parts([branch], root)).collect();
        let whole: Vec<&Value> =
            branches.iter().map(|branch| super::reference::resolved(branch, root)).collect();
        if message::tags(&whole).is_some() {
            return;
        }
        let mut alternatives: HashMap<PathStep<'s>, u64> = HashMap::new();
        for parts in parts {
            let steps: HashSet<PathStep<'s>> = parts
                .into_iter()
                .flat_map(steps)
                .filter(|(_, next)| reaches(next, choice, root))
                .map(|(step, _)| step)
                .collect();
            steps.into_iter().for_each(|step| *alternatives.entry(step).or_default() += 1);
        }
        for (step, alternatives) in alternatives {
            let most = match step {
                PathStep::Member(name) => self.members.entry(name).or_default(),
                PathStep::Any => &mut self.any,
                PathStep::Item => &mut self.items,
            };
            *most = alternatives.max(*most);
        }
    }

    /// Returns the number of values decoded for this one, at most [`MAX_DECODED`] plus one.
    fn decoded(&self, value: &Value) -> u64 {
        let mut sum: u64 = 1;
        let mut add = |alternatives: u64, part: &Value| {
            if sum <= MAX_DECODED {
                sum = sum.saturating_add(alternatives.max(1).saturating_mul(self.decoded(part)));
            }
        };
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    add(self.members.get(name.as_str()).copied().unwrap_or(0) + self.any, member);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| add(self.items, item)),
            _ => {}
        }
        sum
    }

    /// Returns the inputs that would be decoded too often. Long values without nesting are fine.
    pub(crate) fn problems(&self, arguments: &Value) -> Vec<Problem> {
        if !self.is_any() {
            return Vec::new();
        }
        let once = Untagged::default();
        let is_endless =
            |value: &Value| self.decoded(value) > MAX_DECODED && once.decoded(value) <= MAX_DECODED;
        let members = arguments.as_object().into_iter().flatten();
        members
            .filter(|(_, value)| is_endless(value))
            .map(|(name, _)| {
                let text = "nested too deeply for a choice of which nothing in it says what is meant";
                Problem::new(pointer(name), "depth", text)
            })
            .collect()
    }
}

/// Returns the subschemas for parts of a value.
fn steps(schema: &Value) -> Vec<(PathStep<'_>, &Value)> {
    let mut steps = Vec::new();
    let properties = schema["properties"].as_object().into_iter().flatten();
    steps.extend(properties.map(|(name, next)| (PathStep::Member(name), next)));
    let patterns = schema["patternProperties"].as_object().into_iter().flatten();
    steps.extend(patterns.map(|(_, next)| (PathStep::Any, next)));
    steps.extend(schema.get("additionalProperties").map(|next| (PathStep::Any, next)));
    steps.extend(schema.get("items").map(|next| (PathStep::Item, next)));
    steps.extend(schema["prefixItems"].as_array().into_iter().flatten().map(|next| (PathStep::Item, next)));
    steps
}

/// Returns `true` if a schema contains this one, also through references.
fn reaches(schema: &Value, wanted: &Value, root: &Value) -> bool {
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open = vec![schema];
    while let Some(next) = open.pop() {
        if std::ptr::eq(next, wanted) {
            return true;
        }
        open.extend(referred(next, root).filter(|target| seen.insert(std::ptr::from_ref(*target))));
        open.extend(children(next));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::Untagged;
    use serde_json::{Value, json};

    fn of(branches: &Value) -> bool {
        Untagged::of(
            &json!({"properties": {"e": {"$ref": "#/$defs/E"}}, "$defs": {"E": {"anyOf": branches}}}),
        )
        .is_any()
    }

    #[test]
    fn counts_branches_that_share_a_member() {
        let next = json!({"$ref": "#/$defs/E"});
        let list = json!({"type": "array", "items": next});
        let with = |name: &str, next: &Value, own: &str| json!({"properties": {name: next, own: {}}, "required": [name, own]});
        for (branches, expected) in [
            (json!([with("left", &next, "and"), with("left", &next, "or")]), true),
            (json!([with("of", &list, "and"), with("of", &list, "or")]), true),
            (json!([list, {"type": "array", "prefixItems": [next, next]}]), true),
            (json!([{"additionalProperties": next}, with("a", &next, "b")]), true),
            // Each alternative has its own member.
            (json!([with("and", &list, "x"), with("or", &list, "y"), {"type": "integer"}]), false),
            (json!([next, {"type": "null"}]), false),
            (
                json!([
                    with("left", &json!({"type": "string"}), "a"),
                    with("left", &json!({"type": "string"}), "b")
                ]),
                false,
            ),
            // A tag selects the alternative.
            (
                json!([
                    {"properties": {"kind": {"const": "and"}, "left": next}},
                    {"properties": {"kind": {"const": "or"}, "left": next}},
                ]),
                false,
            ),
        ] {
            assert_eq!(of(&branches), expected, "{branches}");
        }
    }

    #[test]
    fn limits_depth_but_not_length() {
        let branch = |own: &str| json!({"properties": {"left": {"$ref": "#/$defs/E"}, own: {}}});
        let schema = json!({"$defs": {"E": {"anyOf": [branch("and"), branch("or"), branch("xor")]}}});
        let untagged = Untagged::of(&schema);
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({"left": inner, "xor": 1}));
        assert_eq!(untagged.problems(&json!({"e": nested(6), "long": vec![1; 50_000]})), []);
        let problems = untagged.problems(&json!({"f": nested(3), "e": nested(60)}));
        assert_eq!((problems.len(), problems[0].path.as_str()), (1, "/e"));
    }
}
