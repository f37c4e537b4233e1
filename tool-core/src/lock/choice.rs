//! Differences between two choices: shared, removed and new variants.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::lock::difference::DifferenceKind as Kind;
use crate::lock::keywords::{CHOICES, TEXTS, constants, required, show, type_names};
use crate::lock::relation::Relation;
use crate::lock::schemas::SchemaComparison;
use crate::schema::json::canonical::canonical;
use crate::schema::reference::followed;

/// The most levels that are inspected to distinguish variants.
const MOST_LEVELS: u8 = 8;

impl<'s> SchemaComparison<'s> {
    /// Compares two schemas of which at least one is a choice. The other one counts as a choice with one variant.
    pub(super) fn choice(&mut self, old: &'s Value, new: &'s Value) {
        let (Some(before), Some(after)) = (ChoiceSchema::of(old), ChoiceSchema::of(new)) else {
            return self.push(Kind::Undecided, "it is a choice of two kinds at once");
        };
        match (before.rest(), after.rest()) {
            (Some(old), Some(new)) => self.values(old, new),
            // Limits beside a choice, without a counterpart to compare with.
            (Some(rest), None) | (None, Some(rest)) if limits(rest) => {
                return self
                    .push(Kind::Undecided, "it became a choice, or is none any more, beside other limits");
            }
            _ => {}
        }
        let found = self.found.len();
        let (pairs, removed, more) = paired(&before.variants, &after.variants, self.roots);
        for (old, new) in pairs {
            let label = after.label(new, self.roots.1);
            self.at(&label, |walk| walk.schema(before.variants[old], after.variants[new]));
        }
        for old in removed {
            let label = before.label(old, self.roots.0);
            self.changed(Relation::Narrower, format!("the variant {label} is gone"));
        }
        for new in more {
            let label = after.label(new, self.roots.1);
            self.changed(Relation::Wider, format!("the variant {label} is new"));
        }
        let exclusive = [&before, &after].into_iter().any(|choice| choice.keyword == Some("oneOf"));
        let changed = self.found.len() > found || before.keyword != after.keyword;
        let disjoint = || before.is_disjoint(self.roots.0) && after.is_disjoint(self.roots.1);
        if exclusive && changed && !disjoint() {
            // `oneOf` rejects a value that fits two variants, so that fewer variants may allow more values.
            self.push(Kind::Undecided, "the variants may overlap, where only one may fit");
        } else if self.found.len() == found && before.variants != after.variants {
            self.push(Kind::OrderChanged, "the variants are written differently");
        }
    }
}

/// The variants of a schema.
struct ChoiceSchema<'s> {
    schema: &'s Value,
    keyword: Option<&'static str>,
    variants: Vec<&'s Value>,
}

impl<'s> ChoiceSchema<'s> {
    /// Returns the variants; `None` if the schema has both keywords.
    fn of(schema: &'s Value) -> Option<Self> {
        let mut keywords = CHOICES.into_iter().filter(|keyword| schema.get(keyword).is_some());
        let keyword = keywords.next();
        if keywords.next().is_some() {
            return None;
        }
        let variants = keyword.and_then(|keyword| schema[keyword].as_array());
        Some(ChoiceSchema {
            schema,
            keyword,
            variants: variants.map_or_else(|| vec![schema], |variants| variants.iter().collect()),
        })
    }

    /// Returns the schema around the choice.
    fn rest(&self) -> Option<&'s Map<String, Value>> {
        self.keyword.and_then(|_| self.schema.as_object())
    }

    /// Returns a label for a variant, for people.
    fn label(&self, position: usize, root: &Value) -> String {
        match tag(self.variants[position], root) {
            Tag::Constant(text) | Tag::Type(text) | Tag::Member(text) => format!("[{text}]"),
            Tag::Members(members) => {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                format!("[{}]", members.join(", "))
            }
            Tag::Unknown => format!("[{}]", position + 1),
        }
    }

    /// Returns `true` if no value fits two of the variants.
    fn is_disjoint(&self, root: &Value) -> bool {
        self.variants.iter().enumerate().all(|(position, a)| {
            self.variants[position + 1..].iter().all(|b| disjoint(a, b, root, MOST_LEVELS))
        })
    }
}

fn limits(schema: &Map<String, Value>) -> bool {
    let limit = |key: &str| !CHOICES.contains(&key) && !TEXTS.contains(&key) && key != "$defs";
    schema.keys().any(|key| limit(key))
}

/// What distinguishes a variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tag {
    /// A single value.
    Constant(String),
    /// The required members with a single value, as of an internally tagged enum.
    Members(BTreeMap<String, String>),
    /// The only member, as of an externally tagged enum.
    Member(String),
    /// The type.
    Type(String),
    Unknown,
}

fn tag(variant: &Value, root: &Value) -> Tag {
    let Some(Value::Object(schema)) = followed(variant, root) else { return Tag::Unknown };
    if let Some([constant]) = constants(schema).as_deref() {
        return Tag::Constant(show(constant));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = required(schema);
    let fixed = |(name, schema): (&String, &Value)| match constants(schema.as_object()?).as_deref() {
        Some([constant]) if required.contains(name.as_str()) => Some((name.clone(), canonical(constant))),
        _ => None,
    };
    let members: BTreeMap<String, String> = properties.into_iter().flatten().filter_map(fixed).collect();
    if !members.is_empty() {
        return Tag::Members(members);
    }
    if let Some(properties) = properties
        && let Some(name) = properties.keys().next()
        && properties.len() == 1
        && required.contains(name.as_str())
    {
        return Tag::Member(name.clone());
    }
    match type_names(schema) {
        Some(names) => Tag::Type(names.into_iter().collect::<Vec<_>>().join(" or ")),
        None => Tag::Unknown,
    }
}

/// The positions of variants in both choices, of removed variants, and of new variants.
type Paired = (Vec<(usize, usize)>, Vec<usize>, Vec<usize>);

fn paired(old: &[&Value], new: &[&Value], roots: (&Value, &Value)) -> Paired {
    let mut pairs = Vec::new();
    let mut removed: Vec<usize> = (0..old.len()).collect();
    let mut more: Vec<usize> = (0..new.len()).collect();
    // Equal variants first.
    removed.retain(|&a| match more.iter().position(|&b| old[a] == new[b]) {
        Some(position) => {
            pairs.push((a, more.remove(position)));
            false
        }
        None => true,
    });
    // Then variants with the same tag, if it is unique.
    let tags = |variants: &[&Value], root: &Value| -> Vec<Tag> {
        variants.iter().map(|variant| tag(variant, root)).collect()
    };
    let (old, new) = (tags(old, roots.0), tags(new, roots.1));
    let is_single =
        |tag: &Tag, tags: &[Tag], left: &[usize]| left.iter().filter(|&&at| tags[at] == *tag).count() == 1;
    for a in removed.clone() {
        if old[a] != Tag::Unknown
            && is_single(&old[a], &old, &removed)
            && is_single(&old[a], &new, &more)
            && let Some(position) = more.iter().position(|&b| new[b] == old[a])
        {
            pairs.push((a, more.remove(position)));
            removed.retain(|&left| left != a);
        }
    }
    pairs.sort_unstable_by_key(|(_, new)| *new);
    (pairs, removed, more)
}

/// Returns `true` if certainly no value fits both.
fn disjoint(a: &Value, b: &Value, root: &Value, levels: u8) -> bool {
    let (Some(Value::Object(a)), Some(Value::Object(b))) = (followed(a, root), followed(b, root)) else {
        return false;
    };
    let Some(levels) = levels.checked_sub(1) else { return false };
    if let (Some(a), Some(b)) = (type_names(a), type_names(b)) {
        let number = |name: &&str| matches!(*name, "number" | "integer");
        if a.is_disjoint(&b) && !(a.iter().any(number) && b.iter().any(number)) {
            return true;
        }
    }
    if let (Some(a), Some(b)) = (constants(a), constants(b))
        && !a.iter().any(|value| b.contains(value))
    {
        return true;
    }
    for keyword in CHOICES {
        let all = |choice: &Map<String, Value>, other: &Map<String, Value>| {
            let other = Value::Object(other.clone());
            choice.get(keyword).and_then(Value::as_array).is_some_and(|variants| {
                variants.iter().all(|variant| disjoint(variant, &other, root, levels))
            })
        };
        if all(a, b) || all(b, a) {
            return true;
        }
    }
    // Only objects have members that distinguish them.
    let object = |schema: &Map<String, Value>| schema.get("type").is_some_and(|kind| kind == "object");
    object(a) && object(b) && (are_distinguished(a, b, root, levels) || refuses(a, b) || refuses(b, a))
}

/// Returns `true` if both require a member that cannot have the same value in both.
fn are_distinguished(a: &Map<String, Value>, b: &Map<String, Value>, root: &Value, levels: u8) -> bool {
    let (required_a, required_b) = (required(a), required(b));
    let member = |schema: &'_ Map<String, Value>, name: &str| {
        schema.get("properties").and_then(|all| all.get(name)).cloned()
    };
    required_a.intersection(&required_b).any(|name| match (member(a, name), member(b, name)) {
        (Some(a), Some(b)) => disjoint(&a, &b, root, levels),
        _ => false,
    })
}

/// Returns `true` if `closed` rejects a member that `other` requires.
fn refuses(closed: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let knows = |name: &str| closed.get("properties").is_some_and(|all| all.get(name).is_some());
    closed.get("additionalProperties").is_some_and(|more| *more == Value::Bool(false))
        && closed.get("patternProperties").is_none()
        && required(other).into_iter().any(|name| !knows(name))
}
