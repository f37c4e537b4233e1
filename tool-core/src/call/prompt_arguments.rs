//! Arguments of prompts: MCP sends all of them as strings, and each is parsed as the type of its input.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::decode::check::parsed;
use crate::definition::ToolDefinition;
use crate::schema::Validator;
use crate::schema::problem::Problem;

/// Returns the JSON of the arguments. A string stays a string if the schema allows it; otherwise it is parsed as JSON, or, for
/// a list of strings, split at commas into at most 1,000 parts. A string that fits nowhere is reported by the validation.
pub(crate) fn read(prompt: &ToolDefinition, arguments: &Map<String, Value>) -> String {
    let inputs = &prompt.input_schema()["properties"];
    let validator = prompt.validator().ok();
    let mut text = String::from("{");
    for (name, value) in arguments {
        let meant = match (value, validator) {
            (Value::String(text), Some(validator)) if inputs.get(name).is_some() => {
                meant(text, name, validator)
            }
            _ => None,
        };
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        text.push_str(&meant.unwrap_or_else(|| value.to_string()));
    }
    text.push('}');
    text
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
    let is_of_wrong_type = |problems: &[Problem]| problems.iter().any(|problem| problem.keyword == "type");
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
