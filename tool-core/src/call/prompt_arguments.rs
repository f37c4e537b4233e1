//! Arguments that come as texts, as MCP hands them over: each is read as what the prompt takes.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::decode::check::parsed;
use crate::definition::ToolDefinition;
use crate::schema::Validator;
use crate::schema::problem::Problem;

/// The text of the arguments, in which each text is what its input is: itself, where that is admitted; else the value
/// whose JSON it is; else, for a list of texts, its parts between commas, 1,000 at most. What fits in no way is left to the check of the
/// arguments.
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

/// The JSON that a text stands for, unless it is itself.
///
/// A text that is JSON stays as it is written: it is read with all the others, with its numbers exactly and without
/// forgiveness for a member that is given twice.
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
    // What fits in no way is told as what comes closest to it: a text that is too long as a text, a list of which an item
    // is not allowed by that item.
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

/// Whether a text is JSON to its end, and so cannot be more than one of the arguments.
fn is_one_value(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// More parts than this are no list that anybody has typed.
const MOST_PARTS: usize = 1_000;

/// The parts between the commas of a text.
fn list(text: &str) -> Option<Value> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.take(MOST_PARTS + 1).collect();
    (parts.len() <= MOST_PARTS).then(|| parts.into())
}
