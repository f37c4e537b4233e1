//! The one normal form that every adapter publishes and the validator runs on.
//!
//! What it changes in the output of `schemars` (which already inlines what is not recursive):
//!
//! - for inputs, an object that names its members is closed: `additionalProperties` is `false`. One that names none, such as
//!   a hand-written `{"type": "object"}`, stays open, and so do outputs: what a serializer writes is not cut by its schema;
//! - for outputs, one that `deny_unknown_fields` has closed is opened: of `#[serde(tag = "…")]` on a struct, which is written and not
//!   read, its schema says nothing;
//! - for inputs, a property that may be left out does not admit `null` as well;
//! - an enum of constants with documentation becomes a plain `enum`, its texts kept beside it until [`publish`], which adds them
//!   to the description: `oneOf` and `const`, the other way to say it, are refused or dropped by most vendors' models;
//! - a `format` that JSON Schema does not know becomes the range that it stands for, if that is narrower than 64 bits: the
//!   range of an `i64` or the upper bound of a `u64` is no news to anybody, and a third of what an input takes;
//! - a list of types becomes a choice between them;
//! - `true` as a schema becomes `{}`, `false` its opposite, and no subschema carries a `$schema` or a generated `title`;
//! - properties beside a choice of objects move into each of its branches, so that these can be closed; where they cannot,
//!   the whole is closed by `unevaluatedProperties`.

use serde_json::{Map, Value, json};

use crate::schema::patterns;

/// Which way the values of a schema travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

/// Where the texts of documented constants wait for [`publish`]. No schema has this key of its own.
pub(crate) const TEXTS: &str = "\u{0}texts";

/// Brings a schema and everything below it into normal form.
pub(crate) fn normalize(schema: &mut Value, side: Side) {
    if side == Side::Output {
        open(schema);
    }
    normalize_as(schema, side, Part::Whole);
}

/// Whether a schema describes all of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// It describes a part of an object whose other parts stand beside it, so that it cannot be closed on its own.
    Some,
}

fn normalize_as(schema: &mut Value, side: Side, part: Part) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        _ => {}
    }
    let Some(object) = schema.as_object_mut() else { return };
    object.shift_remove("$schema");
    object.shift_remove("title");
    merge_choice(object);
    let parts = if part == Part::Some || is_in_parts(object) { Part::Some } else { Part::Whole };
    for_each_subschema(object, &mut |keyword, subschema| {
        let part = if matches!(keyword, "anyOf" | "oneOf" | "allOf") { parts } else { Part::Whole };
        if side == Side::Output && !(keyword == "oneOf" && is_variant(subschema)) {
            open(subschema);
        }
        normalize_as(subschema, side, part);
    });
    collapse_constants(object);
    translate_format(object, side);
    portable_patterns(object);
    if side == Side::Input && part == Part::Whole {
        close(object, parts);
    }
    // Before the properties of an object that may be `null` move into a branch of their own.
    if side == Side::Input {
        drop_null_of_optional_properties(object);
    }
    split_types(object);
}

/// Returns `true` if an object is described in parts: by its own properties and a choice that could not be merged with them,
/// or by several choices, as of several flattened enums.
fn is_in_parts(object: &Map<String, Value>) -> bool {
    let parts = ["oneOf", "anyOf", "properties"].into_iter().filter(|keyword| object.contains_key(*keyword));
    object.contains_key("allOf") || parts.count() > 1
}

/// Moves what [`normalize`] kept for the other renderings into descriptions.
pub(crate) fn publish(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(texts)) = object.shift_remove(TEXTS) {
                describe_constants(object, &texts);
            }
            object.values_mut().for_each(publish);
        }
        Value::Array(items) => items.iter_mut().for_each(publish),
        _ => {}
    }
}

/// Adds a line for each documented constant to the description, in the order of the constants.
fn describe_constants(object: &mut Map<String, Value>, texts: &Map<String, Value>) {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(object.get("description").and_then(Value::as_str).map(str::to_owned));
    for constant in
        object.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if let Some(text) = texts.get(constant).and_then(Value::as_str) {
            let words: Vec<&str> = text.split_whitespace().collect();
            lines.push(format!("- `{constant}`: {}", words.join(" ")));
        }
    }
    object.insert("description".to_owned(), lines.join("\n").into());
}

/// Whether serde accepts no more than a schema fresh from `schemars` does, so that a value which decodes need not be
/// validated: scalars without a constraint of their own, and lists of them. The format of a text is not implied: it is
/// [checked](crate::schema::Limits) off the JSON text, outside of lists.
///
/// A range counts as a constraint unless it is the range of the integer type itself.
pub(crate) fn decode_implies_validity(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    let only = |known: &[&str]| object.keys().all(|key| known.contains(&key.as_str()));
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

/// Returns `true` if a plain schema has a limit by its format: that of a text, and the range of an `f32`.
pub(crate) fn names_a_format(schema: &Value) -> bool {
    schema["type"] != "array"
        && schema["format"]
            .as_str()
            .is_some_and(|format| format == "float" || STANDARD_FORMATS.contains(&format))
}

/// The one type that a schema admits beside `null`.
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

/// `T | null` becomes `T`.
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

/// Properties beside a choice of objects, as a flattened enum gives them, move into each branch.
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
    // Beside all properties, no others are left to be evaluated.
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

/// A choice between constants becomes an `enum`, in the order of `schemars`: it puts undocumented variants into one branch, the
/// first, and nothing says where they stood among the others.
fn collapse_constants(object: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = object.get("oneOf") else { return };
    let mut constants = Vec::new();
    let mut texts = Map::new();
    for branch in branches {
        let Some(branch) = branch.as_object() else { return };
        let known = |key: &String| matches!(key.as_str(), "type" | "const" | "enum" | "description");
        if branch.get("type").is_none_or(|kind| kind != "string") || !branch.keys().all(known) {
            return;
        }
        match (branch.get("const"), branch.get("enum")) {
            (Some(Value::String(constant)), None) => {
                if let Some(text) = branch.get("description") {
                    texts.insert(constant.clone(), text.clone());
                }
                constants.push(Value::from(constant.as_str()));
            }
            (None, Some(Value::Array(several))) => constants.extend(several.iter().cloned()),
            _ => return,
        }
    }
    object.shift_remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), constants.into());
    if !texts.is_empty() {
        object.insert(TEXTS.to_owned(), texts.into());
    }
}

/// `type: [T, null]` becomes a choice between `T` and `null`: a list of types is what some clients refuse.
///
/// What describes the value stays outside of the choice, what limits it goes along with its type.
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

/// Adds the members of `schema` that `object` does not have itself: a description on the outside wins.
fn merge_under(object: &mut Map<String, Value>, schema: Value) {
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
    // Types write durations that RFC 3339 does not have: negative ones, and fractions of a second.
    let is_kept = side == Side::Input || format != "duration";
    if STANDARD_FORMATS.contains(&format) && is_kept {
        return;
    }
    // What is beyond is read as infinite. The limit is the greatest `f32` as its own shortest text, which is a little more as an `f64`.
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

/// The range of an integer type, by the name that `schemars` gives it.
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

/// Writes the patterns of `schemars` itself in the subset that means the same in ECMA-262 and in Rust. Those of an author stay as
/// they are, and `check` refuses them.
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

/// Closes an object that names its members and does not say itself whether it has others.
fn close(object: &mut Map<String, Value>, parts: Part) {
    if OPEN.into_iter().chain(["$ref"]).any(|keyword| object.contains_key(keyword)) {
        return;
    }
    let keyword = match parts {
        // Closed as a whole, over all of its parts.
        Part::Some if names_members(object) => "unevaluatedProperties",
        Part::Whole if is_object(object) && object.contains_key("properties") => "additionalProperties",
        _ => return,
    };
    object.insert(keyword.to_owned(), false.into());
}

/// Opens an object that says that it has no other members; the names of a map stay those of its pattern.
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

/// Returns `true` for a variant under its name, as serde writes it unless told otherwise: nothing else stands beside it.
fn is_variant(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(|properties| properties.len() == 1)
}

/// The keywords that say which other members an object may have.
const OPEN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}

/// Returns `true` if a schema or a part of it names members.
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
