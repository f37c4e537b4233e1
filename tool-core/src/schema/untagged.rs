//! Choices that nothing but trying decides, of a type that contains itself: what serde calls `untagged`.
//!
//! To decode one, each alternative is tried until one fits. Where two of them have the next level as a member of the same
//! name, both read it, and with every level that doubles: a few hundred bytes take a thread for minutes.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::schema::json::pointer::pointer;
use crate::schema::problem::Problem;
use crate::schema::reference::referred;
use crate::schema::{locate, message};

/// So many values are decoded at most, counted as often as each is tried.
const MAX_DECODED: u64 = 20_000;

/// By which steps a value of such a type leads to the next level, each with the number of alternatives that go there.
#[derive(Debug, Default)]
pub(crate) struct Untagged<'s> {
    members: HashMap<&'s str, u64>,
    /// Into a member of any name.
    any: u64,
    /// Into an item of a list.
    items: u64,
}

/// A step into a part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step<'s> {
    Member(&'s str),
    Any,
    Item,
}

impl<'s> Untagged<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        let mut untagged = Untagged::default();
        // Without a reference nothing contains itself.
        if super::types::refers(root) {
            untagged.look(root, root);
        }
        untagged
    }

    /// Whether there is a choice of which one level is tried more than once.
    pub(crate) fn is_any(&self) -> bool {
        self.any > 1
            || self.items > 1
            || self.members.values().any(|alternatives| alternatives + self.any > 1)
    }

    fn look(&mut self, schema: &'s Value, root: &'s Value) {
        match schema {
            Value::Object(keywords) => {
                for keyword in ["anyOf", "oneOf"] {
                    if let Some(branches) = schema[keyword].as_array().filter(|branches| branches.len() > 1) {
                        self.add(schema, branches, root);
                    }
                }
                keywords.values().for_each(|value| self.look(value, root));
            }
            Value::Array(items) => items.iter().for_each(|item| self.look(item, root)),
            _ => {}
        }
    }

    fn add(&mut self, choice: &'s Value, branches: &'s [Value], root: &'s Value) {
        let parts: Vec<Vec<&Value>> = branches.iter().map(|branch| locate::parts([branch], root)).collect();
        let whole: Vec<&Value> =
            branches.iter().map(|branch| super::reference::resolved(branch, root)).collect();
        if message::tags(&whole).is_some() {
            return;
        }
        let mut alternatives: HashMap<Step<'s>, u64> = HashMap::new();
        for parts in parts {
            let steps: HashSet<Step<'s>> = parts
                .into_iter()
                .flat_map(steps)
                .filter(|(_, next)| reaches(next, choice, root))
                .map(|(step, _)| step)
                .collect();
            steps.into_iter().for_each(|step| *alternatives.entry(step).or_default() += 1);
        }
        for (step, alternatives) in alternatives {
            let most = match step {
                Step::Member(name) => self.members.entry(name).or_default(),
                Step::Any => &mut self.any,
                Step::Item => &mut self.items,
            };
            *most = alternatives.max(*most);
        }
    }

    /// How many values are decoded of this one; no more than one more than [`MAX_DECODED`].
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

    /// The inputs that would be tried in too many ways. A long value without levels is none of them.
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

/// The parts of a value that a schema speaks of, without what it says about the value itself.
fn steps(schema: &Value) -> Vec<(Step<'_>, &Value)> {
    let mut steps = Vec::new();
    let properties = schema["properties"].as_object().into_iter().flatten();
    steps.extend(properties.map(|(name, next)| (Step::Member(name), next)));
    let patterns = schema["patternProperties"].as_object().into_iter().flatten();
    steps.extend(patterns.map(|(_, next)| (Step::Any, next)));
    steps.extend(schema.get("additionalProperties").map(|next| (Step::Any, next)));
    steps.extend(schema.get("items").map(|next| (Step::Item, next)));
    steps.extend(schema["prefixItems"].as_array().into_iter().flatten().map(|next| (Step::Item, next)));
    steps
}

/// Whether a schema has this one in it, by references too.
fn reaches(schema: &Value, wanted: &Value, root: &Value) -> bool {
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut open = vec![schema];
    while let Some(next) = open.pop() {
        if std::ptr::eq(next, wanted) {
            return true;
        }
        match next {
            Value::Object(keywords) => {
                if let Some(target) =
                    referred(next, root).filter(|target| seen.insert(std::ptr::from_ref(*target)))
                {
                    open.push(target);
                }
                open.extend(keywords.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
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
            // Each has its own.
            (json!([with("and", &list, "x"), with("or", &list, "y"), {"type": "integer"}]), false),
            (json!([next, {"type": "null"}]), false),
            (
                json!([
                    with("left", &json!({"type": "string"}), "a"),
                    with("left", &json!({"type": "string"}), "b")
                ]),
                false,
            ),
            // A tag says which.
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
