//! Coercion of invalid arguments where the intent is clear.
//!
//! Two coercions apply, both only to values that the schema forbids: a `null` for an optional member is removed, and a
//! string with the JSON text of a number, a boolean, a list or an object is parsed.

use serde_json::Value;

use crate::schema::json::patch::{Edit, Edits};
use crate::schema::json::pointer::push_token;
use crate::schema::json::{integers, parse};
use crate::schema::leniency::{Coercion, CoercionKind, Leniency};
use crate::schema::reference::resolved;
use crate::schema::secret;
use crate::schema::subschemas::{branches, requires};
use crate::schema::types::Types;

/// The maximum number of coercions; beyond it, none is applied.
const MAX_COERCIONS: usize = 1_000;

/// The maximum number of strings that cannot be coerced before the search stops.
const MAX_FAILED_ATTEMPTS: usize = 1_000;

/// The maximum number of visited branches before the search stops.
const MAX_BRANCHES: usize = 100_000;

/// The coercions of arguments.
#[derive(Default)]
pub(crate) struct Coercions {
    pub(crate) edits: Edits,
    /// The parsed strings, in the order of the arguments.
    pub(crate) coercions: Vec<Coercion>,
}

/// Finds coercions for arguments that are invalid.
pub(super) fn coerce(arguments: &Value, root: &Value, leniency: Leniency) -> Coercions {
    let look = |lenient| {
        let mut coercer = Coercer {
            root,
            lenient,
            path: String::new(),
            within_text: false,
            failed_attempts: 0,
            branches: 0,
            found: Coercions::default(),
        };
        coercer.value(arguments, root, Types::of(root, root));
        coercer.found
    };
    let found = look(leniency == Leniency::Coerce);
    if found.coercions.len() > MAX_COERCIONS { look(false) } else { found }
}

struct Coercer<'s> {
    root: &'s Value,
    lenient: bool,
    path: String,
    /// Whether the value is part of a parsed string, whose strings are not parsed again.
    within_text: bool,
    failed_attempts: usize,
    /// The number of visited branches.
    branches: usize,
    found: Coercions,
}

impl Coercer<'_> {
    /// Coerces a value; `types` are those that the schema allows.
    fn value(&mut self, value: &Value, schema: &Value, types: Types) {
        match value {
            Value::String(text) if self.lenient && !types.contains(Types::STRING) => {
                match read(text, types, self.within_text) {
                    Some((read, kind)) => self.apply(text, &read, kind, schema),
                    None => self.failed_attempts += 1,
                }
            }
            Value::Object(_) | Value::Array(_) => self.inside(value, schema),
            _ => {}
        }
    }

    fn apply(&mut self, text: &str, read: &Value, kind: CoercionKind, schema: &Value) {
        // Several parts of a schema may apply to the same member.
        if self.found.edits.insert(&self.path, Edit::Replace(text.to_owned())) {
            let path = secret::of(self.root, &self.path).shown;
            self.found.coercions.push(Coercion { path, kind });
        }
        let outside = std::mem::replace(&mut self.within_text, true);
        self.inside(read, schema);
        self.within_text = outside;
    }

    fn is_over(&self) -> bool {
        self.failed_attempts > MAX_FAILED_ATTEMPTS
            || self.branches > MAX_BRANCHES
            || self.found.coercions.len() > MAX_COERCIONS
    }

    /// Coerces the members or items of a value.
    fn inside(&mut self, value: &Value, schema: &Value) {
        if self.is_over() {
            return;
        }
        let parts = applicable_schemas(value, schema, self.root, &mut self.branches);
        for part in &parts {
            match value {
                Value::Object(members) => {
                    for (name, member) in members {
                        if self.is_over() {
                            return;
                        }
                        self.member(name, member, part, &parts);
                    }
                }
                Value::Array(items) => self.items(items, part),
                _ => {}
            }
        }
    }

    fn items(&mut self, items: &[Value], schema: &Value) {
        let first = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
        for (position, (item, schema)) in items.iter().zip(first).enumerate() {
            self.below(&position.to_string(), item, schema, Types::of(schema, self.root));
        }
        let Some(schema) = schema.get("items") else { return };
        let types = Types::of(schema, self.root);
        for (position, item) in items.iter().enumerate().skip(first.len()) {
            if self.is_over() {
                return;
            }
            self.below(&position.to_string(), item, schema, types);
        }
    }

    /// Coerces a member; `applicable_schemas` are all schemas of the object, including `schema`.
    fn member(&mut self, name: &str, value: &Value, schema: &Value, applicable_schemas: &[&Value]) {
        let Some(property) = schema["properties"].get(name) else {
            let patterns = schema["patternProperties"].as_object();
            let only =
                patterns.filter(|patterns| patterns.len() == 1).and_then(|patterns| patterns.values().next());
            if let Some(free) = only.or_else(|| schema.get("additionalProperties")) {
                self.below(name, value, free, Types::of(free, self.root));
            }
            return;
        };
        self.branches += branches(resolved(property, self.root)).map_or(0, Vec::len);
        let types = Types::of(property, self.root);
        let may_be_left_out = !applicable_schemas.iter().any(|schema| requires(schema, name));
        if value.is_null() && may_be_left_out && !types.contains(Types::NULL) {
            let length = self.path.len();
            push_token(&mut self.path, name);
            self.found.edits.insert(&self.path, Edit::Remove);
            self.path.truncate(length);
        } else {
            self.below(name, value, property, types);
        }
    }

    fn below(&mut self, step: &str, value: &Value, schema: &Value, types: Types) {
        let length = self.path.len();
        push_token(&mut self.path, step);
        self.value(value, schema, types);
        self.path.truncate(length);
    }
}

/// Returns the distinct schemas that apply to a value: the parts of a schema, and the only possible branch of a choice.
/// `looked` counts the branches.
fn applicable_schemas<'s>(
    value: &Value,
    schema: &'s Value,
    root: &'s Value,
    looked: &mut usize,
) -> Vec<&'s Value> {
    let mut parts: Vec<&Value> = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let schema = resolved(schema, root);
        if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
            continue;
        }
        parts.push(schema);
        open.extend(schema["allOf"].as_array().into_iter().flatten());
        let mut may_be = branches(schema).into_iter().flatten().filter(|branch| {
            *looked += 1;
            !rules_out(branch, value, root)
        });
        if let (Some(only), None) = (may_be.next(), may_be.next()) {
            open.push(only);
        }
    }
    parts
}

/// Returns `true` if an object or a list cannot match a branch, even after coercion.
fn rules_out(branch: &Value, value: &Value, root: &Value) -> bool {
    let types = Types::of(branch, root);
    let Value::Object(members) = value else { return !types.contains(Types::ARRAY) };
    let branch = resolved(branch, root);
    let properties = branch["properties"].as_object();
    let has_another_tag = properties.into_iter().flatten().any(|(name, property)| {
        property.get("const").is_some_and(|tag| members.get(name).is_some_and(|given| given != tag))
    });
    let lacks_a_member = branch["required"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|name| name.as_str().is_some_and(|name| !members.contains_key(name)));
    let is_closed = branch["additionalProperties"] == false && branch.get("patternProperties").is_none();
    let knows = |name: &String| properties.is_some_and(|properties| properties.contains_key(name));
    let has_an_unknown_member = is_closed && !members.keys().all(knows);
    !types.contains(Types::OBJECT) || has_another_tag || lacks_a_member || has_an_unknown_member
}

/// Parses a string as JSON, if these types allow the result.
fn read(text: &str, types: Types, within_text: bool) -> Option<(Value, CoercionKind)> {
    // A cheap check first: most invalid strings are not JSON.
    let kind = match text.trim_ascii_start().bytes().next()? {
        b'-' | b'0'..=b'9' if types.contains(Types::NUMBER) || types.contains(Types::INTEGER) => {
            CoercionKind::Number
        }
        b't' | b'f' if types.contains(Types::BOOLEAN) => CoercionKind::Boolean,
        b'[' if types.contains(Types::ARRAY) && !within_text => CoercionKind::List,
        b'{' if types.contains(Types::OBJECT) && !within_text => CoercionKind::Object,
        _ => return None,
    };
    let spelled = integers::spell_out_integers(text);
    let value = parse::parse(spelled.as_deref().unwrap_or(text)).ok()?;
    let fits = kind != CoercionKind::Number || types.contains(Types::NUMBER) || is_integer(&value);
    fits.then_some((value, kind))
}

fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn coerced(schema: &Value, text: &str) -> (String, Vec<String>) {
        let arguments = parse::parse(text).unwrap();
        let Coercions { edits, coercions } = coerce(&arguments, schema, Leniency::Coerce);
        (edits.apply(text), coercions.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn reads_strings_as_json_where_no_string_is_allowed() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "x": {"type": "number"},
                "b": {"type": "boolean"},
                "s": {"type": "string"},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "any": {},
                "none": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "list": {"type": "array", "items": {"type": "integer"}},
                "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "tree": {"$ref": "#/$defs/Tree"},
            },
            "$defs": {"Tree": {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/Tree"}}}},
        });
        for (given, expected) in [
            (r#"{"n":"5"}"#, r#"{"n":5}"#),
            (r#"{"n":"-1e3"}"#, r#"{"n":-1e3}"#),
            (
                r#"{"n":"340282366920938463463374607431768211455"}"#,
                r#"{"n":340282366920938463463374607431768211455}"#,
            ),
            (r#"{"x":"1.5","b":"true"}"#, r#"{"x":1.5,"b":true}"#),
            (r#"{"none":"5"}"#, r#"{"none":5}"#),
            (r#"{"list":["1",2,"3"]}"#, r#"{"list":[1,2,3]}"#),
            (r#"{"list":" [\"1\", 2] "}"#, r#"{"list":[1,2]}"#),
            (r#"{"map":{"a":"false"}}"#, r#"{"map":{"a":false}}"#),
            (r#"{"tree":"{\"n\":\"1\",\"next\":{\"n\":\"2\"}}"}"#, r#"{"tree":{"n":1,"next":{"n":2}}}"#),
        ] {
            let (coerced, coercions) = coerced(&schema, given);
            assert_eq!(coerced, expected, "{given}");
            assert!(!coercions.is_empty());
        }
        for given in [
            r#"{"n":"1.5"}"#,
            r#"{"n":"five"}"#,
            r#"{"n":""}"#,
            r#"{"n":"5 6"}"#,
            r#"{"n":"0x5"}"#,
            r#"{"n":"true"}"#,
            r#"{"n":"[1]"}"#,
            r#"{"n":"{}"}"#,
            r#"{"b":"5"}"#,
            r#"{"b":"yes"}"#,
            r#"{"b":"null"}"#,
            r#"{"b":1}"#,
            r#"{"s":5}"#,
            r#"{"either":"5"}"#,
            r#"{"any":"5"}"#,
            r#"{"list":"{}"}"#,
            r#"{"list":"[1,"}"#,
            r#"{"map":"{\"a\":true,\"a\":true}"}"#,
        ] {
            assert_eq!(coerced(&schema, given), (given.to_owned(), vec![]));
        }
        // A string within a parsed string is not parsed.
        let (given, _) = coerced(&schema, r#"{"tree":"{\"next\":\"{}\"}"}"#);
        assert_eq!(given, r#"{"tree":{"next":"{}"}}"#);
    }

    #[test]
    fn coerces_within_the_only_possible_branch() {
        let schema = json!({"properties": {"of": {"anyOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "string"}}, "additionalProperties": false},
            {"type": "array", "items": {"type": "boolean"}},
        ]}, "open": {"anyOf": [
            {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ]}, "named": {"anyOf": [
            {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["name"]},
            {"type": "object", "properties": {"n": {"type": "integer"}}},
        ]}}});
        for (given, expected) in [
            (r#"{"of":{"kind":"a","n":"1"}}"#, r#"{"of":{"kind":"a","n":1}}"#),
            (r#"{"of":["true"]}"#, r#"{"of":[true]}"#),
            (r#"{"of":{"kind":"b","n":"1"}}"#, r#"{"of":{"kind":"b","n":"1"}}"#),
            (r#"{"of":{"n":"1"}}"#, r#"{"of":{"n":"1"}}"#),
            (r#"{"open":{"n":"1"}}"#, r#"{"open":{"n":"1"}}"#),
            (r#"{"named":{"n":"1"}}"#, r#"{"named":{"n":1}}"#),
            (r#"{"named":{"n":"1","name":"a"}}"#, r#"{"named":{"n":"1","name":"a"}}"#),
        ] {
            assert_eq!(coerced(&schema, given).0, expected, "{given}");
        }
    }

    #[test]
    fn coerces_members_of_the_only_pattern() {
        let numbers =
            json!({"patternProperties": {"^n": {"type": "integer"}}, "additionalProperties": false});
        assert_eq!(coerced(&numbers, r#"{"n1":"1"}"#).0, r#"{"n1":1}"#);
        let both = json!({"patternProperties": {"^n": {"type": "integer"}, "^s": {"type": "string"}}});
        assert_eq!(coerced(&both, r#"{"n1":"1"}"#).0, r#"{"n1":"1"}"#);
    }

    #[test]
    fn removes_null_of_optional_members() {
        let schema = json!({"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {}}, "required": ["b"]});
        assert_eq!(coerced(&schema, r#"{"a":null,"b":null,"c":null}"#).0, r#"{"b":null,"c":null}"#);
    }

    #[test]
    fn keeps_null_that_another_part_requires() {
        let text = json!({"type": "string"});
        for schema in [
            json!({"allOf": [{"properties": {"a": text}}, {"required": ["a"]}]}),
            json!({"allOf": [{"required": ["a"]}, {"properties": {"a": text}}]}),
            json!({"properties": {"a": text}, "allOf": [{"allOf": [{"$ref": "#/$defs/A"}]}], "$defs": {"A": {"required": ["a"]}}}),
            json!({"required": ["a"], "allOf": [{"properties": {"a": text}}]}),
            json!({"properties": {"a": text}, "oneOf": [{"type": "object", "required": ["a"]}, {"type": "array"}]}),
        ] {
            assert_eq!(coerced(&schema, r#"{"a":null}"#).0, r#"{"a":null}"#, "{schema}");
        }
        let schema = json!({"allOf": [{"properties": {"a": text}}, {"required": ["b"]}]});
        assert_eq!(coerced(&schema, r#"{"a":null,"b":1}"#).0, r#"{"b":1}"#);
    }

    #[test]
    fn makes_no_coercion_beyond_the_limit() {
        let schema = json!({"properties": {"a": {"items": {"type": "integer"}}, "b": {"type": "string"}}});
        let list = |length| format!(r#"{{"a":[{}],"b":null}}"#, vec!["\"1\""; length].join(","));
        let (most, coercions) = coerced(&schema, &list(MAX_COERCIONS));
        assert!(most.ends_with("1,1]}"), "{most}");
        assert_eq!(coercions.len(), MAX_COERCIONS);
        let text = list(MAX_COERCIONS + 1);
        let (coerced, coercions) = coerced(&schema, &text);
        assert!(coerced.ends_with("\"1\"]}"), "the `null` is left out all the same");
        assert!(coercions.is_empty());
    }
}
