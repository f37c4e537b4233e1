//! Every kind of difference between schemas, on both sides.

use std::slice;

use serde_json::{Value, json};

use crate::lock::difference::DifferenceKind as Kind;
use crate::lock::schemas::compare;
use crate::schema::normal::Side;

/// A change of a schema, with its differences as an input and as an output, by kind and location.
pub(super) struct Row {
    old: Value,
    new: Value,
    input: Vec<(Kind, &'static str)>,
    output: Vec<(Kind, &'static str)>,
}

impl Row {
    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.input.iter().chain(&self.output).map(|(kind, _)| *kind).collect()
    }
}

/// A change after which more values fit at this location.
fn wider(location: &'static str, old: Value, new: Value) -> Row {
    Row {
        old,
        new,
        input: vec![(Kind::InputWidened, location)],
        output: vec![(Kind::OutputWidened, location)],
    }
}

/// A change after which fewer values fit at this location.
fn narrower(location: &'static str, old: Value, new: Value) -> Row {
    Row {
        old,
        new,
        input: vec![(Kind::InputNarrowed, location)],
        output: vec![(Kind::OutputNarrowed, location)],
    }
}

/// A change after which other values fit at this location.
fn replaced(location: &'static str, old: Value, new: Value) -> Row {
    Row {
        old,
        new,
        input: vec![(Kind::InputReplaced, location)],
        output: vec![(Kind::OutputReplaced, location)],
    }
}

/// A change with the same differences on both sides.
fn both(kinds: &[(Kind, &'static str)], old: Value, new: Value) -> Row {
    Row { old, new, input: kinds.to_vec(), output: kinds.to_vec() }
}

fn sides(input: &[(Kind, &'static str)], output: &[(Kind, &'static str)], old: Value, new: Value) -> Row {
    Row { old, new, input: input.to_vec(), output: output.to_vec() }
}

/// A closed object.
#[allow(clippy::needless_pass_by_value)] // Rows of a table read better so.
fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A tagged variant.
#[allow(clippy::needless_pass_by_value)]
fn tagged(tag: &str, more: Value) -> Value {
    let mut properties = json!({"kind": {"type": "string", "const": tag}});
    properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object(properties, &["kind"])
}

#[allow(clippy::needless_pass_by_value)]
fn tree(label: Value) -> Value {
    let node = json!({"type": "object", "properties": {
        "label": label, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    }});
    json!({"properties": {"tree": {"$ref": "#/$defs/Tree"}}, "$defs": {"Tree": node}})
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = of_values();
    rows.extend(of_objects());
    rows.extend(of_lists_and_definitions());
    rows.extend(of_choices());
    rows
}

fn of_values() -> Vec<Row> {
    let (text, integer, number) =
        (json!({"type": "string"}), json!({"type": "integer"}), json!({"type": "number"}));
    let mut rows = vec![
        both(&[], text.clone(), text.clone()),
        replaced("", text.clone(), integer.clone()),
        wider("", integer.clone(), number.clone()),
        narrower("", number, integer),
        wider("", text.clone(), json!({"type": ["string", "null"]})),
        narrower("", json!({"type": ["string", "null"]}), text.clone()),
        wider("", text.clone(), json!({})),
        narrower("", json!(true), text.clone()),
        narrower("", text.clone(), json!(false)),
        wider("", json!(false), text.clone()),
        both(&[], json!(false), json!(false)),
        both(&[(Kind::OrderChanged, "")], json!({"type": "string"}), json!({"type": ["string"]})),
        wider("", json!({"enum": ["a"]}), json!({"enum": ["a", "b"]})),
        narrower("", json!({"enum": ["a", "b"]}), json!({"enum": ["a"]})),
        sides(
            &[(Kind::InputNarrowed, ""), (Kind::InputWidened, "")],
            &[(Kind::OutputNarrowed, ""), (Kind::OutputWidened, "")],
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["b", "c"]}),
        ),
        both(&[(Kind::OrderChanged, "")], json!({"enum": ["a", "b"]}), json!({"enum": ["b", "a"]})),
        both(&[(Kind::OrderChanged, "")], json!({"enum": ["a"]}), json!({"const": "a"})),
        wider("", json!({"type": "string", "const": "a"}), text.clone()),
        narrower("", text.clone(), json!({"type": "string", "enum": ["a"]})),
        both(&[(Kind::TextChanged, "")], text.clone(), json!({"type": "string", "description": "A text."})),
        both(&[(Kind::TextChanged, "")], text.clone(), json!({"type": "string", "examples": ["a"]})),
        both(&[(Kind::Undecided, "")], text.clone(), json!({"type": "string", "not": {"const": "a"}})),
        both(&[(Kind::Undecided, "")], text.clone(), json!({"type": "string", "x-mcp-header": "Text"})),
        replaced("", json!({"pattern": "^a$"}), json!({"pattern": "^b$"})),
        replaced("", json!({"format": "date"}), json!({"format": "time"})),
        narrower("", json!({"uniqueItems": false}), json!({"uniqueItems": true})),
        // Beyond the precision of a float.
        narrower(
            "",
            json!({"minimum": 9_007_199_254_740_992_u64}),
            json!({"minimum": 9_007_199_254_740_993_u64}),
        ),
        narrower("", json!({"minimum": 1}), json!({"minimum": 1.5})),
    ];
    for keyword in ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"] {
        rows.push(narrower("", json!({keyword: 1}), json!({keyword: 2})));
        rows.push(wider("", json!({keyword: 2}), json!({keyword: 1})));
    }
    for keyword in ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"] {
        rows.push(wider("", json!({keyword: 1}), json!({keyword: 2})));
        rows.push(narrower("", json!({keyword: 2}), json!({keyword: 1})));
    }
    let limits =
        ["minimum", "maximum", "minLength", "maxItems", "pattern", "format", "multipleOf", "uniqueItems"];
    for keyword in limits {
        rows.push(narrower("", json!({}), json!({keyword: 2})));
        rows.push(wider("", json!({keyword: 2}), json!({})));
    }
    rows
}

fn of_objects() -> Vec<Row> {
    let one = || object(json!({"a": {"type": "string"}}), &[]);
    let two = |required: &[&str]| object(json!({"a": {"type": "string"}, "b": {"type": "string"}}), required);
    let of = |a: Value| object(json!({"a": a}), &[]);
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    let patterns = |pattern: &str, kind: &str| json!({"patternProperties": {pattern: {"type": kind}}});
    vec![
        sides(&[(Kind::InputAdded, "/b")], &[(Kind::OutputAddedClosed, "/b")], one(), two(&[])),
        sides(
            &[(Kind::InputAdded, "/a")],
            &[(Kind::OutputAdded, "/a")],
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"a": {}}}),
        ),
        sides(&[(Kind::InputAddedRequired, "/b")], &[(Kind::OutputAddedClosed, "/b")], one(), two(&["b"])),
        sides(&[(Kind::InputRemoved, "/b")], &[(Kind::OutputRemoved, "/b")], two(&[]), one()),
        sides(&[(Kind::InputRemoved, "/b")], &[(Kind::OutputRemoved, "/b")], two(&["b"]), one()),
        sides(
            &[(Kind::InputBecameRequired, "/b")],
            &[(Kind::OutputBecameRequired, "/b")],
            two(&["a"]),
            two(&["a", "b"]),
        ),
        sides(
            &[(Kind::InputBecameOptional, "/b")],
            &[(Kind::OutputBecameOptional, "/b")],
            two(&["a", "b"]),
            two(&["a"]),
        ),
        both(&[(Kind::OrderChanged, "")], two(&["a", "b"]), two(&["b", "a"])),
        // The default of an optional input affects what a call means.
        sides(
            &[(Kind::DefaultChanged, "/a")],
            &[(Kind::TextChanged, "/a")],
            of(json!({"default": 1})),
            of(json!({"default": 2})),
        ),
        sides(
            &[(Kind::DefaultChanged, "/a")],
            &[(Kind::TextChanged, "/a")],
            of(json!({})),
            of(json!({"default": 2})),
        ),
        sides(
            &[(Kind::DefaultChanged, "/a")],
            &[(Kind::TextChanged, "/a")],
            of(json!({"default": 2})),
            of(json!({})),
        ),
        sides(
            &[(Kind::InputBecameOptional, "/a")],
            &[(Kind::OutputBecameOptional, "/a")],
            object(json!({"a": {}}), &["a"]),
            of(json!({"default": 2})),
        ),
        both(
            &[(Kind::TextChanged, "/a")],
            object(json!({"a": {}}), &["a"]),
            object(json!({"a": {"default": 2}}), &["a"]),
        ),
        // Maps and open objects.
        wider("/*", map(json!({"type": "integer"})), map(json!({"type": "number"}))),
        narrower("/*", map(json!(true)), map(json!(false))),
        wider("/*", json!({"type": "object", "unevaluatedProperties": false}), json!({"type": "object"})),
        sides(
            &[(Kind::InputAdded, "/a"), (Kind::InputReplaced, "/a")],
            &[(Kind::OutputAdded, "/a"), (Kind::OutputReplaced, "/a")],
            map(json!({"type": "integer"})),
            json!({"type": "object", "additionalProperties": {"type": "integer"}, "properties": {"a": {"type": "string"}}}),
        ),
        sides(
            &[(Kind::InputBecameRequired, "/a")],
            &[(Kind::OutputBecameRequired, "/a")],
            map(json!(true)),
            json!({"type": "object", "additionalProperties": true, "required": ["a"]}),
        ),
        wider("/^a$", patterns("^a$", "integer"), patterns("^a$", "number")),
        both(&[(Kind::Undecided, "")], patterns("^a$", "integer"), patterns("^b$", "integer")),
        both(&[(Kind::Undecided, "")], json!({}), patterns("^b$", "integer")),
        // Deeply nested, with a name that a pointer escapes.
        narrower(
            "/a/b~1c/d",
            of(object(json!({"b/c": object(json!({"d": {"type": "number"}}), &[])}), &[])),
            of(object(json!({"b/c": object(json!({"d": {"type": "integer"}}), &[])}), &[])),
        ),
        narrower("/[part 2]", json!({"allOf": [{}, {}]}), json!({"allOf": [{}, {"type": "string"}]})),
        both(&[(Kind::Undecided, "")], json!({"allOf": [{}]}), json!({"allOf": [{}, {}]})),
    ]
}

fn of_lists_and_definitions() -> Vec<Row> {
    let list = |items: Value| json!({"type": "array", "items": items});
    let pair = |a: &str, b: &str| json!({"prefixItems": [{"type": a}, {"type": b}], "items": false});
    let inline = |kind: &str| json!({"properties": {"a": {"type": kind}}});
    let by_way_of = |least: u8| json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/B", "minLength": least}, "B": {"type": "string"}}});
    let referred =
        |kind: &str| json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": kind}}});
    vec![
        wider("/*", list(json!({"type": "integer"})), list(json!({"type": "number"}))),
        narrower("/*/*", list(list(json!({"type": "number"}))), list(list(json!({"type": "integer"})))),
        narrower("/*", json!({"type": "array"}), list(json!({"type": "string"}))),
        replaced("/1", pair("string", "string"), pair("string", "integer")),
        wider(
            "/1",
            json!({"prefixItems": [{}], "items": false}),
            json!({"prefixItems": [{}, {}], "items": false}),
        ),
        // A definition is compared once, however often it is referenced.
        narrower("/tree/label", tree(json!({"type": ["string", "null"]})), tree(json!({"type": "string"}))),
        both(&[], tree(json!({})), tree(json!({}))),
        both(
            &[(Kind::TextChanged, "/tree/label")],
            tree(json!({})),
            tree(json!({"description": "A label."})),
        ),
        wider("/a", referred("integer"), inline("number")),
        narrower("/a", inline("number"), referred("integer")),
        both(&[(Kind::OrderChanged, "")], inline("string"), referred("string")),
        both(&[(Kind::Undecided, "/a")], by_way_of(1), by_way_of(2)),
        both(&[(Kind::OrderChanged, "")], by_way_of(1), {
            let mut same = by_way_of(1);
            same["$defs"]["Unused"] = json!({});
            same
        }),
        Row {
            old: json!({"enum": ["a", "b"], "const": "a"}),
            new: json!({"enum": ["a", "b"], "const": "b"}),
            input: vec![(Kind::InputNarrowed, ""), (Kind::InputWidened, "")],
            output: vec![(Kind::OutputNarrowed, ""), (Kind::OutputWidened, "")],
        },
        both(
            &[(Kind::Undecided, "/a")],
            json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}}),
            json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}}),
        ),
        both(
            &[(Kind::Undecided, "/a")],
            referred("string"),
            json!({"properties": {"a": {"$ref": "#/$defs/A", "minLength": 1}}, "$defs": {"A": {"type": "string"}}}),
        ),
    ]
}

fn of_choices() -> Vec<Row> {
    let one_of = |variants: &[Value]| json!({"oneOf": variants});
    let any_of = |variants: &[Value]| json!({"anyOf": variants});
    let (text, nothing, integer) =
        (json!({"type": "string"}), json!({"type": "null"}), json!({"type": "integer"}));
    let cat = |more: Value| tagged("cat", more);
    let dog = || tagged("dog", json!({}));
    let external = |name: &str| object(json!({name: {"type": "integer"}}), &[name]);
    vec![
        wider("", any_of(slice::from_ref(&text)), any_of(&[text.clone(), nothing.clone()])),
        narrower("", any_of(&[text.clone(), nothing.clone()]), any_of(slice::from_ref(&text))),
        wider("", text.clone(), any_of(&[text.clone(), nothing.clone()])),
        narrower("", any_of(&[text.clone(), nothing.clone()]), text.clone()),
        both(
            &[(Kind::OrderChanged, "")],
            any_of(&[text.clone(), nothing.clone()]),
            any_of(&[nothing.clone(), text.clone()]),
        ),
        wider("", one_of(&[cat(json!({}))]), one_of(&[cat(json!({})), dog()])),
        narrower("", one_of(&[cat(json!({})), dog()]), one_of(&[cat(json!({}))])),
        narrower(
            "/[kind = \"cat\"]/lives",
            one_of(&[cat(json!({"lives": {"type": "number"}})), dog()]),
            one_of(&[dog(), cat(json!({"lives": {"type": "integer"}}))]),
        ),
        wider("", one_of(&[external("a")]), one_of(&[external("a"), external("b")])),
        wider("", one_of(&[external("a")]), one_of(&[external("a"), text.clone()])),
        // `oneOf` rejects a value that fits two variants.
        sides(
            &[(Kind::InputWidened, ""), (Kind::Undecided, "")],
            &[(Kind::OutputWidened, ""), (Kind::Undecided, "")],
            one_of(slice::from_ref(&integer)),
            one_of(&[integer.clone(), json!({"type": "number"})]),
        ),
        sides(
            &[(Kind::InputNarrowed, ""), (Kind::Undecided, "")],
            &[(Kind::OutputNarrowed, ""), (Kind::Undecided, "")],
            one_of(&[integer.clone(), json!({"type": "number"})]),
            one_of(slice::from_ref(&integer)),
        ),
        both(
            &[(Kind::OrderChanged, "")],
            one_of(&[text.clone(), nothing.clone()]),
            any_of(&[text.clone(), nothing.clone()]),
        ),
        both(
            &[(Kind::Undecided, "")],
            one_of(&[json!({}), text.clone()]),
            any_of(&[json!({}), text.clone()]),
        ),
        both(
            &[(Kind::Undecided, "")],
            json!({"anyOf": [{}], "oneOf": [{}]}),
            json!({"anyOf": [{}, {}], "oneOf": [{}]}),
        ),
        // A value that is not an object fits both, whatever members they require.
        sides(
            &[(Kind::InputWidened, ""), (Kind::Undecided, "")],
            &[(Kind::OutputWidened, ""), (Kind::Undecided, "")],
            one_of(&[json!({"required": ["a"], "properties": {"a": {"const": 1}}})]),
            one_of(&[
                json!({"required": ["a"], "properties": {"a": {"const": 1}}}),
                json!({"required": ["a"], "properties": {"a": {"const": 2}}}),
            ]),
        ),
        // Two candidates for the old variant: neither is paired with it.
        sides(
            &[(Kind::InputNarrowed, ""), (Kind::InputWidened, ""), (Kind::InputWidened, "")],
            &[(Kind::OutputNarrowed, ""), (Kind::OutputWidened, ""), (Kind::OutputWidened, "")],
            any_of(&[json!({"type": "string", "minLength": 1})]),
            any_of(&[json!({"type": "string", "minLength": 2}), json!({"type": "string", "maxLength": 2})]),
        ),
        // Keywords beside a choice are compared separately.
        narrower(
            "",
            json!({"anyOf": [text.clone(), nothing.clone()], "minLength": 1}),
            json!({"anyOf": [text.clone(), nothing.clone()], "minLength": 2}),
        ),
        both(
            &[(Kind::Undecided, "")],
            json!({"type": "string", "minLength": 1}),
            json!({"anyOf": [text.clone(), nothing], "minLength": 1}),
        ),
        // Variants without a distinction are removed and new, not paired by chance.
        sides(
            &[(Kind::InputNarrowed, ""), (Kind::InputWidened, "")],
            &[(Kind::OutputNarrowed, ""), (Kind::OutputWidened, "")],
            any_of(&[text.clone(), integer.clone()]),
            any_of(&[text, json!({"type": "boolean"})]),
        ),
    ]
}

#[test]
fn reports_the_differences_of_each_row() {
    for row in rows() {
        for (side, expected) in [(Side::Input, &row.input), (Side::Output, &row.output)] {
            let found = compare(side, &row.old, &row.new);
            let name = if side == Side::Input { "input" } else { "output" };
            let location = |location: &str| {
                if location.is_empty() { name.to_owned() } else { format!("{name} {location}") }
            };
            let expected: Vec<_> = expected.iter().map(|(kind, at)| (*kind, location(at))).collect();
            let seen: Vec<_> = found.iter().map(|(kind, at, _)| (*kind, at.clone())).collect();
            assert_eq!(seen, expected, "{} -> {}: {found:?}", row.old, row.new);
        }
    }
}
