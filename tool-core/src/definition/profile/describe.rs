//! Describes keywords in sentences, for vendors that do not support them.

use serde_json::{Map, Value};

use crate::schema::message;

/// Describes the keywords, in a fixed order.
pub(super) fn sentences(keywords: &Map<String, Value>) -> Vec<String> {
    let get = |keyword: &str| keywords.get(keyword);
    let backquoted = |keyword: &str| get(keyword).and_then(Value::as_str).map(|text| format!("`{text}`"));
    let names: Vec<String> = get("patternProperties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|patterns| patterns.keys().map(|pattern| format!("`{pattern}`")))
        .collect();
    [
        get("const").map(|value| format!("Always {value}.")),
        get("enum").map(|values| format!("One of {}.", listed(values))),
        range(get("minimum"), get("maximum")),
        get("exclusiveMinimum").map(|bound| format!("More than {bound}.")),
        get("exclusiveMaximum").map(|bound| format!("Less than {bound}.")),
        get("multipleOf").map(|factor| format!("A multiple of {factor}.")),
        count(get("minLength"), get("maxLength"), "character"),
        backquoted("pattern").map(|pattern| format!("Matches the regular expression {pattern}.")),
        backquoted("format").map(|format| format!("In the format {format}.")),
        count(get("minItems"), get("maxItems"), "item"),
        get("uniqueItems").filter(|unique| **unique == true).map(|_| "No item occurs twice.".to_owned()),
        get("prefixItems").and_then(Value::as_array).map(|items| in_order(items)),
        count(get("minProperties"), get("maxProperties"), "property"),
        (!names.is_empty()).then(|| format!("Each name matches {}.", names.join(" or "))),
        others(keywords),
        get("deprecated").filter(|deprecated| **deprecated == true).map(|_| "Deprecated.".to_owned()),
        get("default").map(|value| format!("Default: {value}")),
        get("examples")
            .filter(|values| values[0] != Value::Null)
            .map(|values| format!("Example: {}", listed(values))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Appends sentences to a description, one per line.
pub(super) fn described(description: Option<&str>, sentences: &[String]) -> Option<String> {
    let lines: Vec<&str> = description.into_iter().chain(sentences.iter().map(String::as_str)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn listed(values: &Value) -> String {
    let values: Vec<String> = values.as_array().into_iter().flatten().map(Value::to_string).collect();
    values.join(", ")
}

fn range(minimum: Option<&Value>, maximum: Option<&Value>) -> Option<String> {
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => Some(format!("From {minimum} to {maximum}.")),
        (Some(minimum), None) => Some(format!("At least {minimum}.")),
        (None, Some(maximum)) => Some(format!("At most {maximum}.")),
        (None, None) => None,
    }
}

fn count(least: Option<&Value>, most: Option<&Value>, noun: &str) -> Option<String> {
    let nouns = |number: &Value| match noun {
        _ if *number == 1 => noun.to_owned(),
        "property" => "properties".to_owned(),
        _ => format!("{noun}s"),
    };
    match (least, most) {
        (Some(least), Some(most)) if least == most => Some(format!("Exactly {least} {}.", nouns(least))),
        (Some(least), Some(most)) => Some(format!("{least} to {most} {}.", nouns(most))),
        (Some(least), None) => Some(format!("At least {least} {}.", nouns(least))),
        (None, Some(most)) => Some(format!("At most {most} {}.", nouns(most))),
        (None, None) => None,
    }
}

fn in_order(items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(|item| message::expected(item, &Value::Null)).collect();
    format!("The items, in order: {}.", items.join("; "))
}

/// Describes other keywords as JSON Schema, which models can read.
fn others(keywords: &Map<String, Value>) -> Option<String> {
    const OTHERS: [&str; 15] = [
        "not",
        "if",
        "then",
        "else",
        "allOf",
        "contains",
        "minContains",
        "maxContains",
        "propertyNames",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentEncoding",
        "contentMediaType",
    ];
    let others: Map<String, Value> = keywords
        .iter()
        .filter(|(keyword, _)| OTHERS.contains(&keyword.as_str()))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    (!others.is_empty()).then(|| format!("Valid against the JSON Schema {} too.", Value::from(others)))
}
