//! Arguments that arrive as text, each of which is parsed as the type of its input: those of prompts over MCP, and those in the query
//! of a URL.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::decode::check::parsed;
use crate::definition::ToolDefinition;
use crate::schema::Validator;
use crate::schema::problem::Problem;

/// Returns the JSON of the arguments of a prompt. A string stays a string if the schema allows it; otherwise it is parsed as JSON, or, for
/// a list of strings, split at commas into at most 1,000 parts. A string that fits nowhere is reported by the validation.
pub(crate) fn read(prompt: &ToolDefinition, arguments: &Map<String, Value>) -> String {
    let validator = prompt.validator().ok();
    let members = arguments.iter().map(|(name, value)| {
        let meant = match (value, validator) {
            (Value::String(text), Some(validator)) => meant(text, name, validator),
            _ => None,
        };
        (name.as_str(), meant.unwrap_or_else(|| value.to_string()))
    });
    object(members)
}

/// Returns the JSON of the arguments in a query: scalars as text, the items of a list each under the name of the list, everything
/// else as JSON. A text that fits nowhere is reported by the validation.
pub(crate) fn read_query(tool: &ToolDefinition, pairs: &[(String, String)]) -> String {
    let inputs = &tool.input_schema()["properties"];
    let validator = tool.validator().ok();
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    let members = names.into_iter().map(|name| {
        let texts: Vec<&str> =
            pairs.iter().filter(|(other, _)| other == name).map(|(_, text)| text.as_str()).collect();
        let validator = validator.filter(|_| inputs.get(name).is_some());
        let value = match (texts.as_slice(), validator) {
            ([text], Some(validator)) => one(text, name, validator),
            ([text], None) => Value::from(*text).to_string(),
            (texts, Some(validator)) => items(texts, name, validator),
            (texts, None) => Value::from(texts).to_string(),
        };
        (name, value)
    });
    object(members)
}

/// Returns the JSON of an input that the query has once.
fn one(text: &str, name: &str, validator: &Validator) -> String {
    let string = Value::from(text);
    let as_string = validator.problems_of(name, &string);
    if as_string.is_empty() {
        return string.to_string();
    }
    match parsed(text) {
        Ok(value) if validator.problems_of(name, &value).is_empty() => text.to_owned(),
        Ok(Value::Array(_)) if validator.admits_list(name) => text.to_owned(),
        _ if validator.admits_list(name) => items(&[text], name, validator),
        // It is reported as a value of the type that it looks like.
        Ok(_) if is_of_wrong_type(&as_string) => text.to_owned(),
        _ => string.to_string(),
    }
}

/// Returns the JSON of a list, whose items are in the query one after the other.
fn items(texts: &[&str], name: &str, validator: &Validator) -> String {
    let strings = Value::from(texts);
    if validator.problems_of(name, &strings).is_empty() {
        return strings.to_string();
    }
    let item = |text: &&str| match parsed(text) {
        Ok(_) => (*text).to_owned(),
        Err(_) => Value::from(*text).to_string(),
    };
    format!("[{}]", texts.iter().map(item).collect::<Vec<_>>().join(","))
}

/// Returns a JSON object with these members, whose values are JSON.
fn object<'m>(members: impl Iterator<Item = (&'m str, String)>) -> String {
    let members: Vec<String> =
        members.map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn is_of_wrong_type(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.keyword == "type")
}

/// Returns the JSON that a string stands for, unless it stays a string.
///
/// Its JSON text is kept as it is, so that numbers stay exact and duplicate members are reported.
fn meant(text: &str, name: &str, validator: &Validator) -> Option<String> {
    let as_it_is = validator.problems_of(name, &Value::from(text));
    if as_it_is.is_empty() {
        return None;
    }
    let parsed = parsed(text);
    if let Ok(value) = &parsed
        && validator.problems_of(name, value).is_empty()
    {
        return Some(text.to_owned());
    }
    let list = if validator.admits_list(name) { list(text) } else { None };
    let as_list = list.as_ref().map(|list| validator.problems_of(name, list));
    // A string that fits nowhere is reported as the closest type: a string that is too long as a string, a list with an invalid
    // item at that item.
    match parsed {
        _ if as_list.as_ref().is_some_and(Vec::is_empty) => list.map(|list| list.to_string()),
        _ if !is_of_wrong_type(&as_it_is) => None,
        Ok(_) => Some(text.to_owned()),
        Err(problem) if problem.keyword == "duplicate" && is_one_value(text) => Some(text.to_owned()),
        Err(_) if !as_list.is_none_or(|problems| is_of_wrong_type(&problems)) => {
            list.map(|list| list.to_string())
        }
        Err(_) => None,
    }
}

/// Returns `true` if a text is one complete JSON value.
fn is_one_value(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The most parts of a list.
const MOST_PARTS: usize = 1_000;

/// Splits a text at commas.
fn list(text: &str) -> Option<Value> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.take(MOST_PARTS + 1).collect();
    (parts.len() <= MOST_PARTS).then(|| parts.into())
}
