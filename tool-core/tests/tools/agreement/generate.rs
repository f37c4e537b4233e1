//! Generates valid JSON from a schema in normal form.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::string::string_regex;
use serde_json::Value;

use crate::agreement::json::{Json, Spelling};

/// Below this depth, recursive types are as small as possible.
const DEPTH: u8 = 3;

pub(crate) fn from(schema: &Value) -> BoxedStrategy<Json> {
    Generator { root: schema.clone() }.value(schema, DEPTH)
}

/// Any JSON at all.
pub(crate) fn any_json() -> BoxedStrategy<Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        integers(i128::from(i64::MIN) - 2, i128::from(u64::MAX) + 2),
        fractions(-1e9, 1e9),
        texts(0, 4),
        select(vec!["5", "true", "[1]", "{}", "2014-07-04", "null"]).prop_map(Json::text),
    ];
    let name = prop_oneof![
        select(vec!["a", "value", "kind", "n", "x", "__proto__"]).prop_map(str::to_owned),
        characters(0, 2)
    ];
    let nested = scalar.prop_recursive(2, 8, 3, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Json::List),
            vec((name.clone(), inner), 0..3).prop_map(Json::Object),
        ]
    });
    nested.boxed()
}

struct Generator {
    root: Value,
}

impl Generator {
    fn value(&self, schema: &Value, depth: u8) -> BoxedStrategy<Json> {
        if let Some(reference) = schema["$ref"].as_str() {
            let referred = self.root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            return self.value(referred, depth.saturating_sub(1));
        }
        if let Some(constants) = schema["enum"].as_array() {
            return select(constants.clone()).prop_map(constant).boxed();
        }
        if let Some(value) = schema.get("const") {
            return Just(constant(value.clone())).boxed();
        }
        let parts = ["properties", "allOf", "oneOf", "anyOf"];
        if parts.into_iter().filter(|keyword| schema.get(*keyword).is_some()).count() > 1
            || schema.get("allOf").is_some()
        {
            return self.object(schema, depth);
        }
        if let Some(branches) = choices(schema).next() {
            return self.choice(branches, depth);
        }
        match schema["type"].as_str() {
            Some("null") => Just(Json::Null).boxed(),
            Some("boolean") => any::<bool>().prop_map(Json::Bool).boxed(),
            Some("integer") => {
                let bound = |keyword: &str| {
                    schema.get(keyword).map(|bound| bound.to_string().parse::<i128>().unwrap())
                };
                integers(bound("minimum").unwrap_or(i128::MIN + 1), bound("maximum").unwrap_or(i128::MAX))
            }
            Some("number") => {
                let bound = |keyword: &str| schema[keyword].as_f64();
                fractions(bound("minimum").unwrap_or(-1e30), bound("maximum").unwrap_or(1e30))
            }
            Some("string") => self.string(schema),
            Some("array") => self.array(schema, depth),
            Some("object") => self.object(schema, depth),
            _ => any_json().prop_filter("a member is given twice", |json| !json.has_a_member_twice()).boxed(),
        }
    }

    fn choice(&self, branches: &[Value], depth: u8) -> BoxedStrategy<Json> {
        // At the end, only branches without references are chosen.
        let ends = |branch: &&Value| depth > 0 || !branch.to_string().contains("$ref");
        let branches: Vec<_> = branches.iter().filter(ends).map(|branch| self.value(branch, depth)).collect();
        proptest::strategy::Union::new(branches).boxed()
    }

    /// A part of an object with other parts.
    fn part(&self, schema: &Value, depth: u8) -> BoxedStrategy<Json> {
        match choices(schema).next() {
            Some(branches) => {
                let branches: Vec<_> = branches.iter().map(|branch| self.part(branch, depth)).collect();
                proptest::strategy::Union::new(branches).boxed()
            }
            None => self.object(schema, depth),
        }
    }

    fn string(&self, schema: &Value) -> BoxedStrategy<Json> {
        if let Some(pattern) = schema["pattern"].as_str() {
            return string_regex(pattern.trim_matches(['^', '$']))
                .unwrap()
                .prop_map(|text| Json::text(&text))
                .boxed();
        }
        match schema["format"].as_str() {
            Some("date") => {
                select(vec!["2014-07-04", "1999-12-31", "2024-02-29"]).prop_map(Json::text).boxed()
            }
            Some("date-time") => select(vec!["2014-07-04T12:30:00Z", "1999-12-31T23:59:59.5+01:00"])
                .prop_map(Json::text)
                .boxed(),
            Some(format) => panic!("there is no generator for the format `{format}`"),
            None => texts(least(schema, "minLength"), most(schema, "maxLength", 6)),
        }
    }

    fn array(&self, schema: &Value, depth: u8) -> BoxedStrategy<Json> {
        if let Some(items) = schema["prefixItems"].as_array() {
            let items: Vec<_> = items.iter().map(|item| self.value(item, depth)).collect();
            return items.prop_map(Json::List).boxed();
        }
        let least = least(schema, "minItems");
        if depth == 0 && least == 0 {
            return Just(Json::List(Vec::new())).boxed();
        }
        let most = most(schema, "maxItems", 3).max(least);
        let unique = schema["uniqueItems"] == true;
        let items = vec(self.value(&schema["items"], depth), least..=most);
        items
            .prop_filter("an item occurs twice", move |items| {
                let values: Vec<_> = items.iter().map(Json::value).collect();
                !unique
                    || values.iter().enumerate().all(|(position, value)| !values[..position].contains(value))
            })
            .prop_map(Json::List)
            .boxed()
    }

    fn object(&self, schema: &Value, depth: u8) -> BoxedStrategy<Json> {
        let mut members = Vec::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let required = schema["required"]
                .as_array()
                .is_some_and(|required| required.contains(&Value::from(name.as_str())));
            if depth == 0 && !required {
                continue;
            }
            let name = name.clone();
            let given = self.value(property, depth);
            // Optional members may be `null`, too.
            let chance = if required { 100 } else { 60 };
            let value = (0..100_u8, any::<u8>(), given).prop_map(move |(luck, null, given)| match luck {
                luck if luck < chance => {
                    Some((name.clone(), if required || null > 20 { given } else { Json::Null }))
                }
                _ => None,
            });
            members.push(value.boxed());
        }
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let mut parts: Vec<_> = parts.map(|part| self.part(part, depth)).collect();
        for branches in choices(schema) {
            let branches: Vec<_> = branches.iter().map(|branch| self.part(branch, depth)).collect();
            parts.push(proptest::strategy::Union::new(branches).boxed());
        }
        let own = members.prop_map(|members| members.into_iter().flatten().collect::<Vec<_>>());
        (own, parts, self.free_members(schema, depth), any::<u64>())
            .prop_map(|(mut members, parts, free, seed)| {
                for part in parts {
                    let Json::Object(more) = part else { panic!("a part of an object is no object") };
                    members.extend(more);
                }
                for (name, value) in free {
                    if !members.iter().any(|(other, _)| *other == name) {
                        members.push((name, value));
                    }
                }
                // In any order.
                let count = members.len().max(1);
                members.rotate_left(usize::try_from(seed).unwrap_or(0) % count);
                Json::Object(members)
            })
            .boxed()
    }

    /// Members whose names the schema does not list.
    fn free_members(&self, schema: &Value, depth: u8) -> BoxedStrategy<Vec<(String, Json)>> {
        let least = least(schema, "minProperties");
        if depth == 0 && least == 0 {
            return Just(Vec::new()).boxed();
        }
        let most = most(schema, "maxProperties", 3);
        if let Some((pattern, value)) =
            schema["patternProperties"].as_object().and_then(|patterns| patterns.iter().next())
        {
            // Only integer keys have patterns.
            assert!(pattern.contains("[0-9]"), "{pattern}");
            let negative = pattern.contains("-?");
            let name = (0..100_i32).prop_map(move |n| if negative { n - 50 } else { n }.to_string());
            return distinct(vec((name, self.value(value, depth)), least..=most));
        }
        let keywords = ["additionalProperties", "unevaluatedProperties"];
        let mut others = keywords.into_iter().filter_map(|keyword| schema.get(keyword));
        let Some(value) = others.next().filter(|value| **value != false) else {
            return Just(Vec::new()).boxed();
        };
        let members = vec((characters(1, 3), self.value(value, depth)), least..=most);
        distinct(members)
    }
}

fn distinct(
    members: impl Strategy<Value = Vec<(String, Json)>> + 'static,
) -> BoxedStrategy<Vec<(String, Json)>> {
    members
        .prop_filter("a name occurs twice", |members| !Json::Object(members.clone()).has_a_member_twice())
        .boxed()
}

fn least(schema: &Value, keyword: &str) -> usize {
    schema[keyword].as_u64().map_or(0, |count| usize::try_from(count).unwrap())
}

fn most(schema: &Value, keyword: &str, otherwise: usize) -> usize {
    schema[keyword].as_u64().map_or(otherwise, |count| usize::try_from(count).unwrap())
}

/// Returns the branches of each choice in a schema.
fn choices(schema: &Value) -> impl Iterator<Item = &[Value]> {
    ["oneOf", "anyOf"].into_iter().filter_map(|keyword| schema[keyword].as_array().map(Vec::as_slice))
}

fn constant(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::String(text) => Json::Text(text, false),
        other => panic!("there is no generator for the constant {other}"),
    }
}

/// Integers of this range in every spelling, more often its ends.
fn integers(least: i128, most: i128) -> BoxedStrategy<Json> {
    let notable =
        [least, most, 1_000, 9_007_199_254_740_993].into_iter().filter(|n| (least..=most).contains(n));
    let value = prop_oneof![
        2 => select(notable.collect::<Vec<_>>()),
        2 => least.max(-9).min(most)..=most.min(9).max(least),
        1 => least..=most,
    ];
    (value, spellings()).prop_map(|(value, spelling)| Json::Integer(value, spelling)).boxed()
}

fn spellings() -> impl Strategy<Value = Spelling> {
    prop_oneof![2 => Just(Spelling::Digits), 1 => Just(Spelling::Point), 1 => Just(Spelling::Exponent)]
}

/// Numbers of this range, integers among them.
fn fractions(least: f64, most: f64) -> BoxedStrategy<Json> {
    let (lowest, highest) = ((least.max(-9e15)).ceil() as i128, (most.min(9e15)).floor() as i128);
    let number = prop_oneof![Just(least), Just(most), least..=most];
    let number = number.prop_map(|number| Json::Fraction(Value::from(number).to_string())).boxed();
    if lowest > highest {
        return number;
    }
    let whole = (lowest..=highest, spellings()).prop_map(|(value, spelling)| Json::Integer(value, spelling));
    prop_oneof![number, whole].boxed()
}

fn texts(least: usize, most: usize) -> BoxedStrategy<Json> {
    (characters(least, most), any::<bool>()).prop_map(|(text, escaped)| Json::Text(text, escaped)).boxed()
}

/// A text of this many code points, of one to four bytes each.
fn characters(least: usize, most: usize) -> BoxedStrategy<String> {
    let character =
        select("ab1 \"\\/\n\u{0}\u{7f}äß€\u{301}\u{202e}\u{1f600}\u{10ffff}".chars().collect::<Vec<_>>());
    vec(character, least..=most).prop_map(String::from_iter).boxed()
}
