//! Messages of problems: what was expected, and what was received.

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::schema::format::{looks_like_a_date, sample};
use crate::schema::json::pointer::pointer;
use crate::schema::nearest::nearest;
use crate::schema::problem::Problem;
use crate::schema::reference::resolved;
use crate::schema::subschemas::branches;

/// What the members of a value are called.
#[derive(Clone, Copy)]
pub(crate) struct Noun {
    pub(crate) singular: &'static str,
    plural: &'static str,
}

const INPUT: Noun = Noun { singular: "input", plural: "inputs" };
const PROPERTY: Noun = Noun { singular: "property", plural: "properties" };

impl Noun {
    /// Returns the noun for the members of the value at this path.
    pub(crate) fn at(path: &str) -> Self {
        if path.is_empty() { INPUT } else { PROPERTY }
    }
}

/// The maximum number of values or names in a message.
const MAX_LISTED: usize = 20;

/// The maximum number of characters of a value in a message.
const MAX_REPEATED: usize = 64;

/// Returns the message for an unknown name, which is `None` if it is secret.
pub(crate) fn unknown(noun: Noun, name: Option<&str>, names: &[&str]) -> String {
    let name = name.map_or_else(|| "(secret)".to_owned(), |name| format!("`{}`", shortened(name)));
    let unknown = format!("unknown {} {name}", noun.singular);
    if names.is_empty() {
        format!("{unknown}: there are none")
    } else {
        format!("{unknown}: the {} are {}", noun.plural, listed(names.iter().copied()))
    }
}

/// Returns the problem of an unknown input.
pub(crate) fn unknown_input(name: &str, names: &[&str]) -> Problem {
    let message = unknown(INPUT, Some(name), names);
    let mut problem = Problem::new(pointer(&shortened(name)), "additionalProperties", message);
    problem.suggestion = nearest(name, names.iter().copied()).map(str::to_owned);
    problem
}

/// The received value, if it may be shown.
pub(crate) type Given<'v> = Option<&'v Value>;

/// Returns the message for a violated keyword.
pub(crate) fn of(kind: &Kind, schema: &Value, root: &Value, given: Given<'_>) -> String {
    let bound = |words: &str, bound: &Value| format!("expected {words} {bound}, got {}", shown(given));
    let length = |words: &str, limit: u64, unit: &str| {
        let s = if limit == 1 { "" } else { "s" };
        let length = match given {
            Some(Value::String(text)) => text.chars().count().to_string(),
            Some(Value::Array(items)) => items.len().to_string(),
            Some(Value::Object(members)) => members.len().to_string(),
            other => shown(other),
        };
        format!("expected {words} {limit} {unit}{s}, got {length}")
    };
    match kind {
        Kind::Minimum { limit } => bound("at least", limit),
        Kind::Maximum { limit } => bound("at most", limit),
        Kind::ExclusiveMinimum { limit } => bound("more than", limit),
        Kind::ExclusiveMaximum { limit } => bound("less than", limit),
        Kind::MinLength { limit } => length("at least", *limit, "character"),
        Kind::MaxLength { limit } => length("at most", *limit, "character"),
        Kind::MinItems { limit } => length("at least", *limit, "item"),
        Kind::MaxItems { limit } => length("at most", *limit, "item"),
        Kind::MinProperties { limit } => length("at least", *limit, "member"),
        Kind::MaxProperties { limit } => length("at most", *limit, "member"),
        Kind::Pattern { pattern } => {
            format!("expected a string that matches `{pattern}`, got {}", shown(given))
        }
        Kind::UniqueItems => "expected a list without an item that occurs twice".to_owned(),
        Kind::OneOfMultipleValid { .. } => format!("{} fits more than one alternative", shown(given)),
        Kind::MultipleOf { multiple_of } => {
            format!("expected a multiple of {multiple_of}, got {}", shown(given))
        }
        Kind::Format { .. } => {
            let text = given.and_then(Value::as_str).unwrap_or_default();
            let is_no_day = schema["format"] == "date" && looks_like_a_date(text);
            let reason = if is_no_day { ": there is no such day" } else { "" };
            format!("{}{reason}", mismatch(schema, root, given))
        }
        Kind::Type { .. } | Kind::Enum { .. } | Kind::Constant { .. } => mismatch(schema, root, given),
        // Keywords that only custom schemas have.
        kind => {
            let keyword = kind.keyword();
            let value = shortened(&schema[keyword].to_string());
            format!("expected a value that keeps to `{keyword}`: `{value}`, got {}", shown(given))
        }
    }
}

pub(crate) fn mismatch(schema: &Value, root: &Value, given: Given<'_>) -> String {
    format!("expected {}, got {}", expected(schema, root), shown(given))
}

pub(crate) fn not_among(allowed: &[&str], given: Given<'_>) -> String {
    format!("expected one of {}, got {}", listed(allowed.iter().copied()), shown(given))
}

/// Describes the valid values of a schema in a few words.
pub(crate) fn expected(schema: &Value, root: &Value) -> String {
    let schema = resolved(schema, root);
    if let Some(branches) = branches(schema) {
        let branches = branches.iter().take(MAX_LISTED).map(|branch| one(resolved(branch, root)));
        return branches.collect::<Vec<_>>().join(" or ");
    }
    one(schema)
}

/// Describes a schema that is not a choice.
fn one(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values);
    }
    if let Some(value) = schema.get("const") {
        return one_of(std::slice::from_ref(value));
    }
    match schema["type"].as_str() {
        Some("object") => object(schema),
        Some("string") => text(schema),
        Some(kind @ ("integer" | "number")) => number(schema, kind),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("array") => "a list".to_owned(),
        Some("null") => "`null`".to_owned(),
        _ => "another value".to_owned(),
    }
}

fn one_of(values: &[Value]) -> String {
    match values {
        [only] => received(only),
        _ => format!(
            "one of {}",
            listed(values.iter().map(plain).collect::<Vec<_>>().iter().map(String::as_str))
        ),
    }
}

/// Formats a value: a text without quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Describes an object by its required members.
fn object(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if required.is_empty() { "an object".to_owned() } else { format!("an object with {}", listed(required)) }
}

fn number(schema: &Value, kind: &str) -> String {
    let article = if kind == "integer" { "an" } else { "a" };
    // The range of an `f32` is omitted.
    let bound = |keyword: &str| {
        schema.get(keyword).filter(|bound| bound.as_f64().is_none_or(|bound| bound.abs() < 1e38))
    };
    match (bound("minimum"), bound("maximum")) {
        (Some(minimum), Some(maximum)) => format!("{article} {kind} from {minimum} to {maximum}"),
        (Some(minimum), None) => format!("{article} {kind} of at least {minimum}"),
        (None, Some(maximum)) => format!("{article} {kind} of at most {maximum}"),
        (None, None) => format!("{article} {kind}"),
    }
}

fn text(schema: &Value) -> String {
    match (schema["format"].as_str(), schema["pattern"].as_str()) {
        (Some(format), _) => match sample(format) {
            Some(sample) => format!("a string in the format `{format}`, such as `{sample}`"),
            None => format!("a string in the format `{format}`"),
        },
        (None, Some(pattern)) => format!("a string that matches `{pattern}`"),
        (None, None) => "a string".to_owned(),
    }
}

/// Describes the received value, if it may be shown.
fn shown(given: Given<'_>) -> String {
    given.map_or_else(|| "(secret)".to_owned(), received)
}

/// Describes a value with its type, shortened.
pub(crate) fn received(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string `{}`", shortened(text)),
        Value::Array(items) if items.len() == 1 => "a list of 1 item".to_owned(),
        Value::Array(items) => format!("a list of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
        // A number beyond integer types is shown as parsed.
        scalar => format!("`{scalar}`"),
    }
}

pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> =
        names.by_ref().take(MAX_LISTED).map(|name| format!("`{}`", shortened(name))).collect();
    let more = names.count();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// Returns `true` if a value seems intended for this branch of a choice.
pub(crate) fn is_meant_for(given: &Value, branch: &Value) -> bool {
    let kind = branch["type"].as_str();
    match given {
        Value::Object(members) if kind == Some("object") => {
            let properties = branch["properties"].as_object();
            let mut constants = properties
                .into_iter()
                .flatten()
                .filter_map(|(name, schema)| Some((name, schema.get("const")?)));
            match constants.next() {
                // Internally and adjacently tagged: the tag decides.
                Some((tag, constant)) => members.get(tag) == Some(constant),
                // Externally tagged: the only member decides. Untagged: any shared member is a hint.
                None => properties
                    .is_some_and(|properties| members.keys().any(|name| properties.contains_key(name))),
            }
        }
        Value::Array(_) => kind == Some("array"),
        Value::Bool(_) => kind == Some("boolean"),
        Value::Number(_) => matches!(kind, Some("integer" | "number")),
        Value::String(_) => kind == Some("string"),
        _ => false,
    }
}

/// Returns the tag that all branches of a choice have, and its values.
pub(crate) fn tags<'s>(branches: &[&'s Value]) -> Option<(&'s str, Vec<&'s str>)> {
    let tag_of = |branch: &'s Value| {
        let properties = branch["properties"].as_object()?;
        properties.iter().find_map(|(name, schema)| Some((name.as_str(), schema["const"].as_str()?)))
    };
    let tags: Option<Vec<(&str, &str)>> = branches.iter().map(|branch| tag_of(branch)).collect();
    let tags = tags?;
    let (tag, _) = tags.first()?;
    tags.iter().all(|(other, _)| other == tag).then(|| (*tag, tags.iter().map(|(_, value)| *value).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_the_branch_that_a_value_is_meant_for() {
        let tagged = json!({"type": "object", "properties": {"kind": {"const": "a"}, "n": {}}});
        let untagged = json!({"type": "object", "properties": {"n": {}}});
        for (given, branch, is_meant) in [
            (json!({"kind": "a"}), &tagged, true),
            (json!({"kind": "b", "n": 1}), &tagged, false),
            (json!({"n": 1}), &untagged, true),
            (json!({"m": 1}), &untagged, false),
            (json!({"n": 1}), &json!({"properties": {"n": {}}}), false),
            (json!([]), &json!({"type": "array"}), true),
            (json!([]), &json!({"type": "object"}), false),
            (json!(true), &json!({"type": "boolean"}), true),
            (json!(true), &json!({"type": "string"}), false),
            (json!(1), &json!({"type": "integer"}), true),
            (json!(1.5), &json!({"type": "number"}), true),
            (json!(1), &json!({"type": "string"}), false),
            (json!("a"), &json!({"type": "string"}), true),
            (json!("a"), &json!({"type": "integer"}), false),
            (json!(null), &json!({"type": "null"}), false),
        ] {
            assert_eq!(is_meant_for(&given, branch), is_meant, "{given} {branch}");
        }
    }

    #[test]
    fn describes_what_a_schema_expects() {
        for (schema, description) in [
            (json!({"type": "null"}), "`null`"),
            (json!({"type": "boolean"}), "`true` or `false`"),
            (json!({"type": "array"}), "a list"),
            (json!({"const": "a"}), "the string `a`"),
            (json!({"enum": ["a"]}), "the string `a`"),
            (json!({"enum": ["a", 1]}), "one of `a`, `1`"),
            (json!({"type": "integer", "minimum": 1}), "an integer of at least 1"),
            (json!({"type": "number", "maximum": 1.5}), "a number of at most 1.5"),
            (json!({"type": "number", "minimum": -3.4e38, "maximum": 3.4e38}), "a number"),
            (json!({"type": "object", "required": ["a", "b"]}), "an object with `a`, `b`"),
            (json!({"type": "string", "pattern": "^a$"}), "a string that matches `^a$`"),
            (json!({}), "another value"),
        ] {
            assert_eq!(one(&schema), description, "{schema}");
        }
    }
}
