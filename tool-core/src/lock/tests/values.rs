//! Property tests: a change that is reported as compatible is compatible for generated values.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::lock::difference::{Change, DifferenceKind as Kind};
use crate::lock::schemas::compare;
use crate::model::digest::Digest;
use crate::schema::Validator;
use crate::schema::normal::Side;

const NAMES: [&str; 3] = ["a", "b", "c"];

/// An old and a new schema.
type Pair = (Value, Value);

fn scalar() -> impl Strategy<Value = Value> {
    let bounds = |least: &'static str, most: &'static str, kind: &'static str| {
        (prop::option::of(0..3), prop::option::of(1..4)).prop_map(move |(min, max)| {
            let mut schema = json!({"type": kind});
            let mut set = |keyword: &str, bound: Option<i32>| {
                if let Some(bound) = bound {
                    schema[keyword] = bound.into();
                }
            };
            set(least, min);
            set(most, max);
            schema
        })
    };
    let constants = subsequence(vec![json!("a"), json!("bb"), json!(1), Value::Null], 1..4);
    prop_oneof![
        bounds("minLength", "maxLength", "string"),
        bounds("minimum", "maximum", "integer"),
        bounds("exclusiveMinimum", "maximum", "number"),
        constants.prop_map(|values| json!({"enum": values})),
        select(vec![json!({}), json!({"type": "boolean"}), json!({"type": ["string", "null"]})]),
    ]
}

fn pair() -> impl Strategy<Value = Pair> {
    let leaf = prop_oneof![
        2 => scalar().prop_map(|schema| (schema.clone(), schema)),
        1 => (scalar(), scalar()),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            list(inner.clone()),
            object(inner.clone()),
            choice(inner.clone()),
            tagged(inner.clone()),
            // An unrelated schema.
            (inner.clone(), inner).prop_map(|((old, _), (_, new))| (old, new)),
        ]
    })
}

fn list(inner: impl Strategy<Value = Pair>) -> impl Strategy<Value = Pair> {
    let most = || prop::option::of(0..3);
    (inner, most(), most()).prop_map(|((old, new), before, after)| {
        let list = |items: Value, most: Option<i32>| {
            let mut list = json!({"type": "array", "items": items});
            if let Some(most) = most {
                list["maxItems"] = most.into();
            }
            list
        };
        (list(old, before), list(new, after))
    })
}

/// Generates objects with members that are in the old schema, in the new one or in both, required or not.
fn object(inner: impl Strategy<Value = Pair>) -> impl Strategy<Value = Pair> {
    let present = select(vec![(true, true), (true, true), (true, true), (true, false), (false, true)]);
    let required = select(vec![(true, true), (false, false), (false, false), (true, false), (false, true)]);
    let open = select(vec![(false, false), (false, false), (true, true), (false, true), (true, false)]);
    (prop::collection::vec((inner, present, required), 1..=3), open).prop_map(|(members, open)| {
        let mut schemas = [(Map::new(), Vec::new()), (Map::new(), Vec::new())];
        for (name, ((old, new), present, required)) in NAMES.iter().zip(members) {
            let sides = [(old, present.0, required.0), (new, present.1, required.1)];
            for ((properties, names), (schema, present, required)) in schemas.iter_mut().zip(sides) {
                if present {
                    properties.insert((*name).to_owned(), schema);
                    if required {
                        names.push(*name);
                    }
                }
            }
        }
        let [old, new] = schemas;
        let object = |(properties, required), open: bool| {
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open})
        };
        (object(old, open.0), object(new, open.1))
    })
}

/// Generates choices with removed or new variants, exclusive or not.
fn choice(inner: impl Strategy<Value = Pair>) -> impl Strategy<Value = Pair> {
    let keyword = select(vec!["anyOf", "oneOf"]);
    (keyword, prop::collection::vec(inner, 2..=3), 0..4).prop_map(|(keyword, variants, dropped)| {
        let (mut old, mut new): (Vec<Value>, Vec<Value>) = variants.into_iter().unzip();
        match dropped {
            0 => _ = old.pop(),
            1 => _ = new.pop(),
            _ => {}
        }
        (json!({keyword: old}), json!({keyword: new}))
    })
}

/// Generates externally tagged enums.
fn tagged(inner: impl Strategy<Value = Pair>) -> impl Strategy<Value = Pair> {
    (prop::collection::vec(inner, 2..=3), 0..4).prop_map(|(variants, dropped)| {
        let variant = |name: &str, schema: &Value| {
            json!({"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": false})
        };
        let named = NAMES.iter().zip(&variants);
        let mut old: Vec<Value> = named.clone().map(|(name, (old, _))| variant(name, old)).collect();
        let mut new: Vec<Value> = named.map(|(name, (_, new))| variant(name, new)).collect();
        match dropped {
            0 => _ = old.pop(),
            1 => _ = new.pop(),
            _ => {}
        }
        (json!({"oneOf": old}), json!({"oneOf": new}))
    })
}

fn value() -> impl Strategy<Value = Value> {
    let scalars = vec![
        Value::Null,
        json!(true),
        json!(""),
        json!("a"),
        json!("bb"),
        json!("dddd"),
        json!(-1),
        json!(0),
        json!(1),
        json!(1.5),
        json!(3),
        json!(9),
    ];
    select(scalars).prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec(prop::option::of(inner.clone()), 3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            members.prop_map(|values| {
                let members = NAMES.iter().zip(values);
                members.filter_map(|(name, value)| Some(((*name).to_owned(), value?))).collect()
            }),
        ]
    })
}

#[test]
fn accepts_every_value_after_compatible_changes() {
    // Set `PROPTEST_CASES` for more cases.
    let cases = Config::default().cases.max(1_000);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let (compatible, witnesses) = (Cell::new(0), Cell::new(0));
    let values = prop::collection::vec(value(), 24);
    let outcome = TestRunner::new_with_rng(config, rng()).run(&(pair(), values), |((old, new), values)| {
        let (before, after) = (Validator::new(&old).unwrap(), Validator::new(&new).unwrap());
        let fits = |validator: &Validator, value: &Value| validator.is_valid(value);
        for (side, given, taken) in [(Side::Input, &before, &after), (Side::Output, &after, &before)] {
            let found = compare(side, &old, &new);
            let same = Digest::of(&old) == Digest::of(&new);
            prop_assert_eq!(found.is_empty(), same, "{:?}", found);
            let breaks = found.iter().any(|(kind, ..)| kind.change() == Change::Breaking);
            // A reader ignores unknown members; a validator does not.
            let skips = found.iter().any(|(kind, ..)| *kind == Kind::OutputAdded);
            if breaks || skips || same {
                continue;
            }
            compatible.set(compatible.get() + 1);
            for value in values.iter().filter(|value| fits(given, value)) {
                witnesses.set(witnesses.get() + 1);
                prop_assert!(fits(taken, value), "{side:?} {value}: {found:?}\n{old}\n{new}");
            }
        }
        Ok(())
    });
    outcome.unwrap();
    // The test covers both outcomes.
    assert!(compatible.get() > 100 && witnesses.get() > 200, "{compatible:?} {witnesses:?}");
}

/// Returns a generator with a fixed seed.
fn rng() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}
