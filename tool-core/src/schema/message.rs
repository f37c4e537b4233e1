//! What a problem says: what was expected, and what came.

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

/// What a member of the arguments is called: an input at the top, a property below.
#[derive(Clone, Copy, Debug)]
pub(super) enum Noun {
    Input,
    Property,
}

impl Noun {
    /// The noun for the members of the value at this place.
    pub(super) fn at(path: &str) -> Self {
        if path.is_empty() { Noun::Input } else { Noun::Property }
    }

    pub(super) fn singular(self) -> &'static str {
        match self {
            Noun::Input => "input",
            Noun::Property => "property",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Noun::Input => "inputs",
            Noun::Property => "properties",
        }
    }
}

/// As many allowed values and names as a message lists.
const MOST_LISTED: usize = 20;

/// As many characters of a value as a message repeats.
const MOST_REPEATED: usize = 64;

pub(super) fn unknown(noun: Noun, name: &str, known: &[&str]) -> String {
    let unknown = format!("unknown {} `{}`", noun.singular(), shortened(name));
    if known.is_empty() {
        format!("{unknown}: there are none")
    } else {
        format!("{unknown}: the {} are {}", noun.plural(), listed(known.iter().copied()))
    }
}

/// The message for a broken keyword.
pub(super) fn of(kind: &Kind, schema: &Value, given: &Value) -> String {
    let bound = |words: &str, bound: &Value| format!("expected {words} {bound}, got {}", received(given));
    let length = |words: &str, limit: u64| {
        let (unit, length) = match given {
            Value::String(text) => ("character", text.chars().count()),
            Value::Array(items) => ("item", items.len()),
            Value::Object(members) => ("member", members.len()),
            _ => ("item", 0),
        };
        let s = if limit == 1 { "" } else { "s" };
        format!("expected {words} {limit} {unit}{s}, got {length}")
    };
    match kind {
        Kind::Minimum { limit } => bound("at least", limit),
        Kind::Maximum { limit } => bound("at most", limit),
        Kind::ExclusiveMinimum { limit } => bound("more than", limit),
        Kind::ExclusiveMaximum { limit } => bound("less than", limit),
        Kind::MinLength { limit } | Kind::MinItems { limit } | Kind::MinProperties { limit } => {
            length("at least", *limit)
        }
        Kind::MaxLength { limit } | Kind::MaxItems { limit } | Kind::MaxProperties { limit } => {
            length("at most", *limit)
        }
        Kind::Pattern { pattern } => {
            format!("expected a text that matches `{pattern}`, got {}", received(given))
        }
        Kind::UniqueItems => "expected a list without an item that occurs twice".to_owned(),
        Kind::OneOfMultipleValid { .. } => format!("{} fits more than one alternative", received(given)),
        _ => mismatch(schema, given),
    }
}

pub(super) fn mismatch(schema: &Value, given: &Value) -> String {
    format!("expected {}, got {}", expected(schema), received(given))
}

pub(super) fn not_among(allowed: &[&str], given: &Value) -> String {
    format!("expected one of {}, got {}", listed(allowed.iter().copied()), received(given))
}

pub(super) fn no_branch(branches: &[&Value], given: &Value) -> String {
    let alternatives: Vec<String> =
        branches.iter().take(MOST_LISTED).map(|branch| expected(branch)).collect();
    format!("expected {}, got {}", alternatives.join(" or "), received(given))
}

/// What a schema admits, in a few words.
pub(super) fn expected(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values);
    }
    if let Some(value) = schema.get("const") {
        return one_of(std::slice::from_ref(value));
    }
    match &schema["type"] {
        Value::String(kind) if kind == "object" => object(schema),
        Value::String(kind) => number_or(schema, kind),
        _ => "another value".to_owned(),
    }
}

fn one_of(values: &[Value]) -> String {
    match values {
        [only] => received(only),
        _ => format!("one of {}", listed(values.iter().map(|value| value.as_str().unwrap_or("null")))),
    }
}

/// An object is known by its required members.
fn object(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if required.is_empty() { "an object".to_owned() } else { format!("an object with {}", listed(required)) }
}

fn number_or(schema: &Value, kind: &str) -> String {
    match kind {
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(minimum), Some(maximum)) => format!("an integer from {minimum} to {maximum}"),
            (Some(minimum), None) => format!("an integer of at least {minimum}"),
            (None, Some(maximum)) => format!("an integer of at most {maximum}"),
            (None, None) => "an integer".to_owned(),
        },
        "number" => "a number".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        "null" => "`null`".to_owned(),
        _ => match schema["format"].as_str() {
            Some(format) => format!("a string in the format `{format}`"),
            None => "a string".to_owned(),
        },
    }
}

/// What came, with its type, and cut where it is long.
pub(crate) fn received(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string `{}`", shortened(text)),
        Value::Array(items) if items.len() == 1 => "a list of 1 item".to_owned(),
        Value::Array(items) => format!("a list of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
        scalar => format!("`{scalar}`"),
    }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> =
        names.by_ref().take(MOST_LISTED).map(|name| format!("`{}`", shortened(name))).collect();
    let more = names.count();
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// Whether a value looks as if it was meant for this branch of a choice.
pub(super) fn is_meant_for(given: &Value, branch: &Value) -> bool {
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

/// The tag that all branches of a choice have, and its values.
pub(super) fn tags<'s>(branches: &[&'s Value]) -> Option<(&'s str, Vec<&'s str>)> {
    let tag_of = |branch: &'s Value| {
        let properties = branch["properties"].as_object()?;
        properties.iter().find_map(|(name, schema)| Some((name.as_str(), schema["const"].as_str()?)))
    };
    let tags: Option<Vec<(&str, &str)>> = branches.iter().map(|branch| tag_of(branch)).collect();
    let tags = tags?;
    let (tag, _) = tags.first()?;
    tags.iter().all(|(other, _)| other == tag).then(|| (*tag, tags.iter().map(|(_, value)| *value).collect()))
}
