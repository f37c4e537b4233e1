//! Differences between two schemas, part by part, and whether more or fewer values fit.
//!
//! Both are walked side by side. A changed part allows more values than before, fewer, or others; what that means depends on
//! the side of the call. A difference in an unknown keyword is undecided.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use crate::lock::difference::DifferenceKind as Kind;
use crate::lock::keywords::{
    BOUNDS, CHOICES, COMPARED, LIMITS, TEXTS, constants, is_choice, members, named, required, requires, show,
    types, was_is,
};
use crate::lock::relation::Relation;
use crate::schema::json::integers::compare as compare_numbers;
use crate::schema::json::pointer::push_token;
use crate::schema::normal::Side;
use crate::schema::reference::{followed, referred};

/// A difference: its kind, location and text.
pub(super) type SchemaDifference = (Kind, String, String);

/// Returns all differences between two schemas.
pub(super) fn compare(side: Side, old: &Value, new: &Value) -> Vec<SchemaDifference> {
    let mut walk = SchemaComparison {
        side,
        roots: (old, new),
        same_definitions: old.get("$defs") == new.get("$defs"),
        compared: HashSet::new(),
        path: String::new(),
        found: Vec::new(),
    };
    walk.schema(old, new);
    if walk.found.is_empty() && old != new {
        walk.push(Kind::OrderChanged, "the schema is written differently, and means the same");
    }
    walk.found
}

static ANYTHING: Value = Value::Bool(true);
static NOTHING: Value = Value::Bool(false);

pub(super) struct SchemaComparison<'s> {
    side: Side,
    /// The schemas that references are resolved in.
    pub(super) roots: (&'s Value, &'s Value),
    same_definitions: bool,
    /// Pairs of referenced definitions, by address: a recursive type is walked once.
    compared: HashSet<(*const Value, *const Value)>,
    path: String,
    pub(super) found: Vec<SchemaDifference>,
}

impl<'s> SchemaComparison<'s> {
    pub(super) fn schema(&mut self, old: &'s Value, new: &'s Value) {
        // Equal references may lead to different definitions.
        if old == new && (self.same_definitions || old.is_boolean()) {
            return;
        }
        let (Some(before), Some(after)) = (members(old), members(new)) else {
            match (old == &NOTHING, new == &NOTHING) {
                (false, true) => self.changed(Relation::Narrower, "no value fits any more"),
                (true, false) => self.changed(Relation::Wider, "a value fits now"),
                _ => {}
            }
            return;
        };
        self.texts(before, after);
        if before.contains_key("$ref") || after.contains_key("$ref") {
            return self.references(old, new);
        }
        if is_choice(before) || is_choice(after) {
            return self.choice(old, new);
        }
        self.values(before, after);
    }

    /// Compares everything but references and choices.
    pub(super) fn values(&mut self, old: &'s Map<String, Value>, new: &'s Map<String, Value>) {
        match types(old, new) {
            Some(Relation::Other) => {
                // With another type, all other keywords differ as well.
                return self.changed(Relation::Other, was_is("type", old.get("type"), new.get("type")));
            }
            Some(relation) => self.changed(relation, was_is("type", old.get("type"), new.get("type"))),
            None => {}
        }
        self.constants(old, new);
        self.bounds(old, new);
        for keyword in LIMITS {
            let relation = match (old.get(keyword), new.get(keyword)) {
                (old, new) if old == new => continue,
                (None | Some(Value::Bool(false)), Some(_)) => Relation::Narrower,
                (Some(_), None | Some(Value::Bool(false))) => Relation::Wider,
                _ => Relation::Other,
            };
            self.changed(relation, was_is(keyword, old.get(keyword), new.get(keyword)));
        }
        self.items(old, new);
        self.object(old, new);
        self.parts(old, new);
        self.the_rest(old, new);
    }

    /// Records a difference, by its meaning on this side.
    pub(super) fn changed(&mut self, relation: Relation, text: impl Into<String>) {
        let kind = match (self.side, relation) {
            (Side::Input, Relation::Wider) => Kind::InputWidened,
            (Side::Input, Relation::Narrower) => Kind::InputNarrowed,
            (Side::Input, Relation::Other) => Kind::InputReplaced,
            (Side::Output, Relation::Wider) => Kind::OutputWidened,
            (Side::Output, Relation::Narrower) => Kind::OutputNarrowed,
            (Side::Output, Relation::Other) => Kind::OutputReplaced,
        };
        self.push(kind, text);
    }

    pub(super) fn push(&mut self, kind: Kind, text: impl Into<String>) {
        let side = if self.side == Side::Input { "input" } else { "output" };
        let path = if self.path.is_empty() { side.to_owned() } else { format!("{side} {}", self.path) };
        self.found.push((kind, path, text.into()));
    }

    /// Walks one level down.
    pub(super) fn at(&mut self, step: &str, walk: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        push_token(&mut self.path, step);
        walk(self);
        self.path.truncate(length);
    }

    fn texts(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        for keyword in TEXTS.into_iter().filter(|keyword| *keyword != "default") {
            if old.get(keyword) != new.get(keyword) {
                self.push(Kind::TextChanged, format!("`{keyword}` reads differently"));
            }
        }
    }

    /// Follows references on both sides.
    fn references(&mut self, old: &'s Value, new: &'s Value) {
        let limits = |schema: &Value| {
            let mut limits = schema.as_object().cloned().unwrap_or_default();
            limits.retain(|key, _| key != "$ref" && !TEXTS.contains(&key.as_str()));
            limits
        };
        let refer = (old.get("$ref").is_some(), new.get("$ref").is_some());
        let undecided = match refer {
            (true, true) => limits(old) != limits(new),
            (true, false) => !limits(old).is_empty(),
            _ => !limits(new).is_empty(),
        };
        // One reference at a time, so that keywords beside the next reference are compared as well.
        fn step<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
            followed(schema, root).map(|_| referred(schema, root).unwrap_or(schema))
        }
        match (step(old, self.roots.0), step(new, self.roots.1)) {
            (Some(old), Some(new)) if !undecided => {
                if self.compared.insert((old, new)) {
                    self.schema(old, new);
                }
            }
            _ => self.push(Kind::Undecided, "a reference was changed in a way that cannot be followed"),
        }
    }

    fn constants(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        let shown = |values: &[&Value]| {
            let values: Vec<String> = values.iter().take(20).map(|value| show(value)).collect();
            values.join(", ")
        };
        match (constants(old), constants(new)) {
            (Some(old), Some(new)) => {
                let removed: Vec<&Value> = old.iter().filter(|value| !new.contains(value)).copied().collect();
                let more: Vec<&Value> = new.iter().filter(|value| !old.contains(value)).copied().collect();
                if !removed.is_empty() {
                    self.changed(Relation::Narrower, format!("allowed no more: {}", shown(&removed)));
                }
                if !more.is_empty() {
                    self.changed(Relation::Wider, format!("also allowed: {}", shown(&more)));
                }
                if removed.is_empty() && more.is_empty() && old != new {
                    self.push(Kind::OrderChanged, "the allowed values stand in another order");
                }
            }
            (Some(old), None) => self.changed(Relation::Wider, format!("was one of {}", shown(&old))),
            (None, Some(new)) => self.changed(Relation::Narrower, format!("is one of {}", shown(&new))),
            (None, None) => {}
        }
        if constants(old) == constants(new)
            && (old.get("enum"), old.get("const")) != (new.get("enum"), new.get("const"))
        {
            self.push(Kind::OrderChanged, "the allowed values are written differently");
        }
    }

    fn bounds(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        for (keyword, greater) in BOUNDS {
            let smaller = if greater == Relation::Wider { Relation::Narrower } else { Relation::Wider };
            let (before, after) = (old.get(keyword), new.get(keyword));
            let relation = match (before, after) {
                (before, after) if before == after => continue,
                (None, Some(_)) => Relation::Narrower,
                (_, None) => Relation::Wider,
                (Some(before), Some(after)) => match compare_numbers(before, after) {
                    Some(Ordering::Less) => greater,
                    Some(Ordering::Greater) => smaller,
                    _ => Relation::Other,
                },
            };
            self.changed(relation, was_is(keyword, before, after));
        }
    }

    fn items(&mut self, old: &'s Map<String, Value>, new: &'s Map<String, Value>) {
        fn positions(schema: &Map<String, Value>) -> &[Value] {
            schema.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice)
        }
        fn item(schema: &Map<String, Value>, position: usize) -> &Value {
            positions(schema).get(position).or_else(|| schema.get("items")).unwrap_or(&ANYTHING)
        }
        for position in 0..positions(old).len().max(positions(new).len()) {
            self.at(&position.to_string(), |walk| walk.schema(item(old, position), item(new, position)));
        }
        let rest = |schema: &'s Map<String, Value>| schema.get("items").unwrap_or(&ANYTHING);
        self.at("*", |walk| walk.schema(rest(old), rest(new)));
    }

    fn object(&mut self, old: &'s Map<String, Value>, new: &'s Map<String, Value>) {
        let names: BTreeSet<&str> = [old, new].into_iter().flat_map(|schema| named(schema)).collect();
        for name in names {
            let declared =
                |schema: &'s Map<String, Value>| schema.get("properties").and_then(|all| all.get(name));
            self.at(name, |walk| match (declared(old), declared(new)) {
                (Some(_), None) => {
                    walk.push(walk.either(Kind::InputRemoved, Kind::OutputRemoved), "it is gone");
                }
                (None, Some(after)) => walk.added(old, after, requires(new, name)),
                (before, after) => {
                    walk.presence((requires(old, name), before), (requires(new, name), after));
                    if let (Some(before), Some(after)) = (before, after) {
                        walk.schema(before, after);
                    }
                }
            });
        }
        if old.get("required") != new.get("required") && required(old) == required(new) {
            self.push(Kind::OrderChanged, "`required` names the same in another order");
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            let other = |schema: &'s Map<String, Value>| schema.get(keyword).unwrap_or(&ANYTHING);
            self.at("*", |walk| walk.schema(other(old), other(new)));
        }
        self.patterns(old, new);
    }

    /// Compares maps whose names match a pattern.
    fn patterns(&mut self, old: &'s Map<String, Value>, new: &'s Map<String, Value>) {
        let patterns =
            |schema: &'s Map<String, Value>| schema.get("patternProperties").and_then(Value::as_object);
        match (patterns(old), patterns(new)) {
            (None, None) => {}
            (Some(old), Some(new))
                if old.len() == new.len() && old.keys().all(|key| new.contains_key(key)) =>
            {
                for (pattern, schema) in old {
                    self.at(pattern, |walk| walk.schema(schema, &new[pattern]));
                }
            }
            _ => self.push(Kind::Undecided, "other names are taken, by another pattern"),
        }
    }

    fn added(&mut self, old: &'s Map<String, Value>, after: &'s Value, required: bool) {
        // An open schema has accepted values of this name before.
        let open = ["additionalProperties", "unevaluatedProperties"].into_iter().find_map(|key| old.get(key));
        let before = open.unwrap_or(&ANYTHING);
        let kind = match (self.side, required) {
            (Side::Input, true) => Kind::InputAddedRequired,
            (Side::Input, false) => Kind::InputAdded,
            (Side::Output, _) if *before == NOTHING => Kind::OutputAddedClosed,
            (Side::Output, _) => Kind::OutputAdded,
        };
        self.push(kind, if required { "it is new, and required" } else { "it is new" });
        if *before != NOTHING {
            self.schema(before, after);
        }
    }

    /// Compares whether a member is required, and its default.
    fn presence(&mut self, old: (bool, Option<&Value>), new: (bool, Option<&Value>)) {
        let default = |schema: Option<&'_ Value>| schema.and_then(|schema| schema.get("default")).cloned();
        let (before, after) = (default(old.1), default(new.1));
        match (old.0, new.0) {
            (false, true) => {
                self.push(
                    self.either(Kind::InputBecameRequired, Kind::OutputBecameRequired),
                    "it is required now",
                );
            }
            (true, false) => self.push(
                self.either(Kind::InputBecameOptional, Kind::OutputBecameOptional),
                "it may be left out now",
            ),
            (false, false) if before != after && self.side == Side::Input => {
                self.push(Kind::DefaultChanged, was_is("default", before.as_ref(), after.as_ref()));
            }
            _ if before != after => self.push(Kind::TextChanged, "`default` reads differently"),
            _ => {}
        }
    }

    /// Compares each part of `allOf` individually.
    fn parts(&mut self, old: &'s Map<String, Value>, new: &'s Map<String, Value>) {
        let parts = |schema: &'s Map<String, Value>| {
            schema.get("allOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
        };
        let (old, new) = (parts(old), parts(new));
        if old.len() != new.len() {
            return self.push(Kind::Undecided, "`allOf` has another number of parts");
        }
        for (position, (old, new)) in old.iter().zip(new).enumerate() {
            self.at(&format!("[part {}]", position + 1), |walk| walk.schema(old, new));
        }
    }

    fn the_rest(&mut self, old: &Map<String, Value>, new: &Map<String, Value>) {
        let is_compared = |keyword: &str| {
            COMPARED.contains(&keyword)
                || BOUNDS.iter().any(|(bound, _)| *bound == keyword)
                || LIMITS.contains(&keyword)
                || TEXTS.contains(&keyword)
                || CHOICES.contains(&keyword)
        };
        let keywords: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for keyword in keywords.into_iter().filter(|keyword| !is_compared(keyword)) {
            if old.get(keyword) != new.get(keyword) {
                self.push(Kind::Undecided, was_is(keyword, old.get(keyword), new.get(keyword)));
            }
        }
    }

    fn either(&self, input: Kind, output: Kind) -> Kind {
        if self.side == Side::Input { input } else { output }
    }
}
