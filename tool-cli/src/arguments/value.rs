//! What a typed text means to an input.

use std::collections::HashSet;

use serde_json::value::{RawValue, to_raw_value};
use tool_core::ToolDefinition;
use tool_core::schema::NativeSchema;

use crate::error::CliError;

/// Parses `key=value` or `key:=json`. `given` are the inputs before it.
pub(crate) fn assignment(
    tool: &ToolDefinition,
    pair: &str,
    given: &HashSet<String>,
) -> Result<(String, Box<RawValue>), CliError> {
    let invalid = || {
        // It may be the value of a secret whose name was forgotten.
        if tool.inputs().iter().any(|input| input.secret) {
            return CliError::InvalidPair { given: "***".to_owned(), correction: None };
        }
        CliError::InvalidPair { given: pair.to_owned(), correction: correction(tool, pair, given) }
    };
    let (key, value) = pair.split_once('=').ok_or_else(invalid)?;
    let (key, json) = key.strip_suffix(':').map_or((key, false), |key| (key, true));
    if key.is_empty() {
        return Err(invalid());
    }
    let input = tool.inputs().iter().find(|input| input.name.as_deref() == Some(key));
    let value = match input {
        _ if json => {
            parse_json(value).map_err(|error| CliError::InvalidJson { key: key.to_owned(), error })?
        }
        Some(input) if input.kind == "list" && !is_null(value) => list(input, &[value]),
        input => parse_typed(input, value),
    };
    Ok((key.to_owned(), value))
}

/// Returns what was probably meant by a word without `=`: the name of an input without its value, an object, or the value of
/// the first required input that is not among those given.
fn correction(tool: &ToolDefinition, word: &str, given: &HashSet<String>) -> Option<String> {
    if word.contains('=') {
        return None;
    }
    if word.starts_with('{') {
        return Some(format!("--input-json '{word}'"));
    }
    if tool.inputs().iter().any(|input| input.name.as_deref() == Some(word)) {
        return Some(format!("{word}=…"));
    }
    let required = tool.inputs().iter().filter(|input| input.required == Some(true));
    let next = required.filter_map(|input| input.name.as_deref()).find(|name| !given.contains(*name))?;
    Some(format!("{next}={word}"))
}

/// Returns the JSON of a value: a string if the input is one, the value itself if it is JSON that the input accepts, and a string
/// otherwise, which the call then coerces or refuses.
pub(super) fn parse_typed(input: Option<&NativeSchema>, value: &str) -> Box<RawValue> {
    if input.is_some_and(|input| input.kind == "string") {
        return string_json(value);
    }
    match parse_json(value) {
        Ok(json) if input.is_none_or(|input| accepts_json(input, &json)) => json,
        _ => string_json(value),
    }
}

/// Returns the JSON of a list of values. A single value that is a JSON list is that list.
pub(super) fn list(input: &NativeSchema, values: &[&str]) -> Box<RawValue> {
    if let [one] = values
        && let Ok(json) = parse_json(one)
        && json.get().starts_with('[')
    {
        return json;
    }
    let items: Vec<_> = values.iter().map(|value| parse_typed(input.items.as_deref(), value)).collect();
    // Raw values are JSON already.
    to_raw_value(&items).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Returns `true` if an input accepts a JSON value.
fn accepts_json(input: &NativeSchema, json: &RawValue) -> bool {
    match input.kind {
        // `5` is a text where the union has texts and no numbers.
        "union" => input.variants.iter().any(|variant| {
            variant.kind == "union" && accepts_json(variant, json) || is_kind(variant.kind, json)
        }),
        _ => true,
    }
}

/// Returns `true` if a JSON text is of this type.
fn is_kind(kind: &str, json: &RawValue) -> bool {
    let number = |c: u8| c == b'-' || c.is_ascii_digit();
    match (kind, json.get().as_bytes().first()) {
        ("any", _)
        | ("null", Some(b'n'))
        | ("boolean", Some(b't' | b'f'))
        | ("list", Some(b'['))
        | ("map", Some(b'{')) => true,
        ("integer" | "number", Some(first)) => number(*first),
        ("string", Some(b'"')) => true,
        _ => false,
    }
}

/// Parses JSON without changing its text.
fn parse_json(text: &str) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Returns `true` if a text is the JSON value `null`.
fn is_null(text: &str) -> bool {
    parse_json(text).is_ok_and(|json| json.get() == "null")
}

/// Returns a text as a JSON string.
fn string_json(text: &str) -> Box<RawValue> {
    // A string can always be written as JSON.
    to_raw_value(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
