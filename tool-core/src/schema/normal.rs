//! The normal form of schemas, which adapters publish and the validator uses.
//!
//! Changes to the output of `schemars` (which already inlines types that are not recursive):
//!
//! - for inputs, an object that names its members is closed: `additionalProperties` is `false`. One that names none, such as
//!   a hand-written `{"type": "object"}`, stays open, and so do outputs: what a serializer writes is not cut by its schema;
//! - for outputs, one that `deny_unknown_fields` has closed is opened: of `#[serde(tag = "…")]` on a struct, which is written and not
//!   read, its schema says nothing;
//! - for inputs, a property that may be left out does not admit `null` as well;
//! - an enum of constants with documentation becomes a plain `enum`, its texts kept beside it until
//!   [`constants::publish`], which adds them to the description: `oneOf` and `const`, the other way to say it, are refused or
//!   dropped by most vendors' models;
//! - a `format` that JSON Schema does not know becomes the range that it stands for, if that is narrower than 64 bits: the
//!   range of an `i64` or the upper bound of a `u64` is no news to anybody, and a third of what an input takes;
//! - a list of types becomes a choice between them;
//! - `true` as a schema becomes `{}`, `false` its opposite, and no subschema carries a `$schema` or a generated `title`;
//! - properties beside a choice of objects move into each of its branches, so that these can be closed; where they cannot,
//!   the whole is closed by `unevaluatedProperties`.

use serde_json::{Map, Value, json};

use crate::schema::types::names_type;
use crate::schema::{constants, patterns};

/// Whether a schema describes inputs or outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// Normalizes a schema and its subschemas.
pub(crate) fn normalize(schema: &mut Value, side: Side) {
    if side == Side::Output {
        open(schema);
    }
    normalize_as(schema, side, Extent::Whole);
}

/// Whether a schema describes a whole value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Whole,
    /// A part of an object with other parts beside it, so it cannot be closed on its own.
    Some,
}

fn normalize_as(schema: &mut Value, side: Side, part: Extent) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        _ => {}
    }
    let Some(object) = schema.as_object_mut() else { return };
    object.shift_remove("$schema");
    object.shift_remove("title");
    merge_choice(object);
    let parts = if part == Extent::Some || is_in_parts(object) { Extent::Some } else { Extent::Whole };
    for_each_subschema(object, &mut |keyword, subschema| {
        let part = if matches!(keyword, "anyOf" | "oneOf" | "allOf") { parts } else { Extent::Whole };
        if side == Side::Output && !(keyword == "oneOf" && is_variant(subschema)) {
            open(subschema);
        }
        normalize_as(subschema, side, part);
    });
    constants::collapse(object);
    translate_format(object, side);
    portable_patterns(object);
    if side == Side::Input && part == Extent::Whole {
        close(object, parts);
    }
    // Before the properties of a nullable object move into a branch.
    if side == Side::Input {
        drop_null_of_optional_properties(object);
    }
    split_types(object);
}

/// Returns `true` if an object is described in parts: by properties and a choice that could not be merged, or by
/// several choices, as with several flattened enums.
fn is_in_parts(object: &Map<String, Value>) -> bool {
    let parts = ["oneOf", "anyOf", "properties"].into_iter().filter(|keyword| object.contains_key(*keyword));
    object.contains_key("allOf") || parts.count() > 1
}

/// Returns `true` if serde accepts only values that are valid for the `schemars` schema, so that decoded values need no
/// validation: scalars without constraints, and lists of them. Formats are [checked](crate::schema::Limits) on the JSON
/// text, outside of lists.
///
/// A range counts as a constraint, unless it is that of the integer type.
pub(crate) fn decode_implies_validity(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let only = |keywords: &[&str]| object.keys().all(|key| keywords.contains(&key.as_str()));
    match kind(object) {
        Some("boolean") => only(&["type", "description"]),
        Some("string") => only(&["type", "description", "format"]),
        Some("number") => only(&["type", "description", "format"]) && object.contains_key("format"),
        Some("integer") => {
            let format = object.get("format").and_then(Value::as_str);
            only(&["type", "description", "format", "minimum", "maximum"])
                && format.and_then(range).is_some_and(|(minimum, maximum)| {
                    object.get("minimum").is_none_or(|given| *given == minimum)
                        && object.get("maximum").is_none_or(|given| *given == maximum)
                })
        }
        Some("array") => {
            only(&["type", "description", "items"])
                && object
                    .get("items")
                    .is_some_and(|items| decode_implies_validity(items) && !names_a_format(items))
        }
        _ => false,
    }
}

/// Returns `true` if the format of a scalar schema limits it: that of a text, and the range of an `f32`.
pub(crate) fn names_a_format(schema: &Value) -> bool {
    schema["type"] != "array"
        && schema["format"]
            .as_str()
            .is_some_and(|format| format == "float" || STANDARD_FORMATS.contains(&format))
}

/// Returns the only type besides `null`.
fn kind(object: &Map<String, Value>) -> Option<&str> {
    match object.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => match kinds.as_slice() {
            [Value::String(kind), null] | [null, Value::String(kind)] if null == "null" => Some(kind),
            _ => None,
        },
        _ => None,
    }
}

/// Turns `T | null` into `T`.
pub(crate) fn drop_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        branches.retain(|branch| *branch != json!({"type": "null"}));
        if branches.len() == 1 {
            let only = branches.remove(0);
            object.shift_remove(keyword);
            merge_under(object, only);
        }
    }
}

fn for_each_subschema(object: &mut Map<String, Value>, f: &mut dyn FnMut(&str, &mut Value)) {
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            (key @ ("properties" | "patternProperties" | "$defs"), Value::Object(schemas)) => {
                schemas.values_mut().for_each(|schema| f(key, schema));
            }
            (
                key @ ("items" | "not" | "contains" | "propertyNames" | "additionalProperties"),
                value @ Value::Object(_),
            ) => f(key, value),
            ("items", value @ Value::Bool(true)) => f("items", value),
            (key @ ("anyOf" | "oneOf" | "allOf" | "prefixItems"), Value::Array(schemas)) => {
                schemas.iter_mut().for_each(|schema| f(key, schema));
            }
            _ => {}
        }
    }
}

/// Moves properties beside a choice of objects, as for a flattened enum, into each branch.
fn merge_choice(object: &mut Map<String, Value>) {
    if !object.contains_key("properties") {
        return;
    }
    let is_open = OPEN.into_iter().any(|keyword| object.contains_key(keyword));
    let Some(keyword) = ["oneOf", "anyOf"].into_iter().find(|keyword| {
        object.get(*keyword).and_then(Value::as_array).is_some_and(|branches| {
            branches.iter().all(|branch| {
                branch["type"] == "object"
                    && branch.get("properties").is_some()
                    && !(is_open && OPEN.into_iter().any(|keyword| branch.get(keyword).is_some()))
            })
        })
    }) else {
        return;
    };
    let (Some(Value::Object(properties)), Some(Value::Array(mut branches))) =
        (object.shift_remove("properties"), object.shift_remove(keyword))
    else {
        return;
    };
    let required = object.shift_remove("required");
    let required = required.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // All properties are declared, so none is unevaluated.
    let open = OPEN.into_iter().filter_map(|keyword| object.shift_remove(keyword)).next();
    object.shift_remove("type");
    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
        let own = branch.insert("properties".to_owned(), properties.clone().into());
        if let (Some(Value::Object(all)), Some(Value::Object(own))) = (branch.get_mut("properties"), own) {
            all.extend(own);
        }
        let own = branch.shift_remove("required");
        let own = own.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        branch.insert("required".to_owned(), [required, own].concat().into());
        if let Some(open) = &open {
            branch.insert("additionalProperties".to_owned(), open.clone());
        }
    }
    object.insert(keyword.to_owned(), branches.into());
}

/// Turns `type: [T, null]` into a choice of `T` and `null`, because some clients reject lists of types.
///
/// Annotations stay outside of the choice; limits move along with their type.
fn split_types(object: &mut Map<String, Value>) {
    if !object.get("type").is_some_and(Value::is_array) {
        return;
    }
    let Some(Value::Array(kinds)) = object.shift_remove("type") else { return };
    let mut limits = Map::new();
    for (key, value) in std::mem::take(object) {
        let describes = matches!(key.as_str(), "description" | "default" | "examples");
        if describes { &mut *object } else { &mut limits }.insert(key, value);
    }
    let branch = |kind: Value| {
        if kind == "null" {
            return json!({"type": "null"});
        }
        let mut branch = Map::from_iter([("type".to_owned(), kind)]);
        branch.extend(limits.clone());
        if let Some(Value::Array(constants)) = branch.get_mut("enum") {
            constants.retain(|constant| !constant.is_null());
        }
        branch.into()
    };
    object.insert("anyOf".to_owned(), kinds.into_iter().map(branch).collect());
}

/// Adds the members of `schema` that `object` does not have: an outer description takes precedence.
pub(crate) fn merge_under(object: &mut Map<String, Value>, schema: Value) {
    if let Value::Object(schema) = schema {
        for (key, value) in schema {
            object.entry(key).or_insert(value);
        }
    }
}

/// The formats that JSON Schema 2020-12 defines (Validation, section 7.3).
pub(crate) const STANDARD_FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// The greatest `f32`, as serde writes it.
const GREATEST_SINGLE: f64 = 3.402_823_5e38;

fn translate_format(object: &mut Map<String, Value>, side: Side) {
    let Some(format) = object.get("format").and_then(Value::as_str) else { return };
    // Types serialize durations beyond RFC 3339: negative ones, and fractions of a second.
    let is_kept = side == Side::Input || format != "duration";
    if STANDARD_FORMATS.contains(&format) && is_kept {
        return;
    }
    // Larger numbers parse as infinite. The limit is the shortest text of the greatest `f32`, which is slightly more as
    // an `f64`.
    let is_single = format == "float" && side == Side::Input;
    let range =
        if is_single { Some(((-GREATEST_SINGLE).into(), GREATEST_SINGLE.into())) } else { range(format) };
    object.shift_remove("format");
    if let Some((minimum, maximum)) = range {
        if minimum != i64::MIN {
            object.entry("minimum").or_insert(minimum);
        }
        if maximum != i64::MAX && maximum != u64::MAX {
            object.entry("maximum").or_insert(maximum);
        }
    }
}

/// Returns the range of an integer type, by its `schemars` format.
pub(crate) fn range(format: &str) -> Option<(Value, Value)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0.into(), u8::MAX.into()),
        "uint16" => (0.into(), u16::MAX.into()),
        "uint32" => (0.into(), u32::MAX.into()),
        "uint64" | "uint" => (0.into(), u64::MAX.into()),
        _ => return None,
    })
}

/// Rewrites the patterns of `schemars` in the common subset of ECMA-262 and Rust. Custom patterns stay unchanged, and
/// `check` rejects them.
fn portable_patterns(object: &mut Map<String, Value>) {
    if let Some(Value::String(pattern)) = object.get_mut("pattern")
        && let Some(portable) = patterns::of_schemars(pattern)
    {
        *pattern = portable;
    }
    if let Some(Value::Object(patterns)) = object.get_mut("patternProperties") {
        let portable =
            std::mem::take(patterns).into_iter().map(|(key, schema)| (key.replace(r"\d", "[0-9]"), schema));
        *patterns = portable.collect();
    }
}

/// Closes an object with declared members that does not set whether it has others.
fn close(object: &mut Map<String, Value>, parts: Extent) {
    if OPEN.into_iter().chain(["$ref"]).any(|keyword| object.contains_key(keyword)) {
        return;
    }
    let keyword = match parts {
        // Closed as a whole, over all parts.
        Extent::Some if names_members(object) => "unevaluatedProperties",
        Extent::Whole if names_type(object, "object") && object.contains_key("properties") => {
            "additionalProperties"
        }
        _ => return,
    };
    object.insert(keyword.to_owned(), false.into());
}

/// Opens a closed object; the names of a map keep their pattern.
fn open(schema: &mut Value) {
    let Some(object) = schema.as_object_mut().filter(|object| !object.contains_key("patternProperties"))
    else {
        return;
    };
    for keyword in OPEN {
        if object.get(keyword) == Some(&Value::Bool(false)) {
            object.shift_remove(keyword);
        }
    }
}

/// Returns `true` for an externally tagged variant, which has no other members.
fn is_variant(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(|properties| properties.len() == 1)
}

/// The keywords for additional members.
const OPEN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// Returns `true` if a schema or a part of it declares members.
fn names_members(schema: &Map<String, Value>) -> bool {
    let parts = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    schema.contains_key("properties") || parts.flatten().filter_map(Value::as_object).any(names_members)
}

fn drop_null_of_optional_properties(object: &mut Map<String, Value>) {
    let required = object.get("required").cloned().unwrap_or_default();
    let required = required.as_array().map_or(&[][..], Vec::as_slice);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, schema) in properties.iter_mut() {
            if !required.iter().any(|required| required == name) {
                drop_null(schema);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_variants_of_outputs_closed() {
        let branch = |properties: Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
        let (variant, members) = (branch(json!({"Circle": {}})), branch(json!({"x": {}, "y": {}})));
        let mut schema = json!({"oneOf": [variant, members], "anyOf": [variant]});
        normalize(&mut schema, Side::Output);
        let is_closed = |branch: &Value| branch.get("additionalProperties").is_some();
        let choices = [&schema["oneOf"][0], &schema["oneOf"][1], &schema["anyOf"][0]];
        assert_eq!(choices.map(is_closed), [true, false, false], "{schema}");
    }

    #[test]
    fn decoding_implies_validity_without_other_keywords() {
        for (schema, is_implied) in [
            (json!({"type": "boolean", "description": "x"}), true),
            (json!({"type": "boolean", "const": true}), false),
            (json!({"type": "string"}), true),
            (json!({"type": ["string", "null"]}), true),
            (json!({"type": ["null", "string"]}), true),
            (json!({"type": ["string", "integer"]}), false),
            (json!({"type": "string", "maxLength": 5}), false),
            (json!({"type": "number", "format": "double"}), true),
            (json!({"type": "number", "format": "double", "minimum": 0}), false),
            (json!({"type": "number"}), false),
            (json!({"type": "integer", "format": "int32"}), true),
            (json!({"type": "integer", "format": "int32", "multipleOf": 5}), false),
            (json!({"type": "integer"}), false),
            (json!({"type": "integer", "format": "even"}), false),
            (json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}), true),
            (json!({"type": "integer", "format": "uint8", "minimum": 1}), false),
            (json!({"type": "integer", "format": "uint8", "maximum": 9}), false),
            (json!({"type": "array", "items": {"type": "string"}}), true),
            (json!({"type": "array", "items": {"type": "string"}, "minItems": 1}), false),
            (json!({"type": "array", "items": {"type": "string", "format": "date"}}), false),
            (json!({"type": "array", "items": {"type": "string", "maxLength": 5}}), false),
            (json!({"type": "array", "items": {"type": "number", "format": "float"}}), false),
            (json!({"type": "array", "items": {"type": "number", "format": "double"}}), true),
            (json!({"type": "array"}), false),
            (json!({"type": "object"}), false),
            (json!(true), false),
        ] {
            assert_eq!(decode_implies_validity(&schema), is_implied, "{schema}");
        }
    }

    #[test]
    fn formats_limit_scalars() {
        for (schema, limits) in [
            (json!({"type": "string", "format": "date"}), true),
            (json!({"type": "number", "format": "float"}), true),
            (json!({"type": "number", "format": "double"}), false),
            (json!({"type": "array", "format": "date"}), false),
            (json!({"type": "string"}), false),
        ] {
            assert_eq!(names_a_format(&schema), limits, "{schema}");
        }
    }

    #[test]
    fn publishes_the_range_of_each_integer_type() {
        for (format, minimum, maximum) in [
            ("int8", Some(json!(-128)), Some(json!(127))),
            ("int16", Some(json!(-32_768)), Some(json!(32_767))),
            ("int32", Some(json!(-2_147_483_648)), Some(json!(2_147_483_647))),
            ("int64", None, None),
            ("int", None, None),
            ("uint8", Some(json!(0)), Some(json!(255))),
            ("uint16", Some(json!(0)), Some(json!(65_535))),
            ("uint32", Some(json!(0)), Some(json!(4_294_967_295_u32))),
            ("uint64", Some(json!(0)), None),
            ("uint", Some(json!(0)), None),
        ] {
            let mut schema = json!({"type": "integer", "format": format});
            normalize(&mut schema, Side::Input);
            assert_eq!((schema.get("minimum"), schema.get("maximum")), (minimum.as_ref(), maximum.as_ref()));
            assert_eq!(schema.get("format"), None, "{format}");
        }
    }

    #[test]
    fn rewrites_schemas_that_are_booleans() {
        let mut schema = json!({"type": "object", "properties": {
            "any": true, "none": false, "list": {"type": "array", "items": true},
        }});
        normalize(&mut schema, Side::Input);
        let properties = json!({"any": {}, "none": {"not": {}}, "list": {"type": "array", "items": {}}});
        assert_eq!(schema["properties"], properties);
    }

    #[test]
    fn merges_properties_into_a_choice_of_closed_objects() {
        let branch = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
        let merged = |branches: Value, more: Value| {
            let mut schema =
                json!({"type": "object", "properties": {"n": {"type": "boolean"}}, "oneOf": branches});
            schema.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
            normalize(&mut schema, Side::Input);
            schema["oneOf"][0]["properties"].get("n").is_some()
        };
        assert!(merged(json!([branch("a"), branch("b")]), json!({})));
        // Of another type, or without members.
        assert!(!merged(json!([branch("a"), {"type": "string"}]), json!({})));
        assert!(!merged(json!([branch("a"), {"type": "object"}]), json!({})));
        // The object and a branch both say whether it is open.
        let mut closed = branch("a");
        closed["additionalProperties"] = json!(false);
        assert!(merged(json!([closed, branch("b")]), json!({})));
        assert!(!merged(json!([closed, branch("b")]), json!({"additionalProperties": false})));
    }

    #[test]
    fn closes_inputs_and_opens_outputs() {
        let object = |extra: Value| {
            let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
            schema.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap_or_default());
            schema
        };
        let closed = json!({"additionalProperties": false});
        for (side, extra, is_closed) in [
            (Side::Input, json!({}), true),
            (Side::Input, closed.clone(), true),
            (Side::Input, json!({"additionalProperties": true}), false),
            (Side::Output, json!({}), false),
            (Side::Output, closed, false),
        ] {
            let mut schema = object(extra.clone());
            normalize(&mut schema, side);
            assert_eq!(schema["additionalProperties"] == false, is_closed, "{side:?} {extra}");
        }
    }
}
