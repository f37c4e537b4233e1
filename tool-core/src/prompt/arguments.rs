//! Arguments that come as texts, as MCP hands them over: each is read as what the prompt takes.

use serde_json::{Map, Value};

use crate::definition::ToolDefinition;
use crate::failure::Problem;
use crate::schema::{Validator, pointer};

/// The arguments with each text turned into what its input is: itself, where that is admitted; else the value whose JSON
/// it is; else, for a list of texts, its parts between commas. What fits in no way is left to the check of the arguments.
pub(crate) fn read(prompt: &ToolDefinition, mut arguments: Map<String, Value>) -> Map<String, Value> {
    let names = prompt.input_schema()["properties"].as_object().into_iter().flat_map(Map::keys);
    if let Ok(validator) = prompt.validator() {
        for name in names {
            if let Some(value) = arguments.get_mut(name)
                && let Value::String(text) = value
                && let Some(meant) = meant(text, name, validator)
            {
                *value = meant;
            }
        }
    }
    arguments
}

/// What a text stands for, unless it is itself.
fn meant(text: &str, name: &str, validator: &Validator) -> Option<Value> {
    let as_it_is = faults(&Value::from(text), name, validator);
    if as_it_is.is_empty() {
        return None;
    }
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    if let Some(value) = &parsed
        && faults(value, name, validator).is_empty()
    {
        return parsed;
    }
    let list: Value = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let as_list = faults(&list, name, validator);
    // What fits in no way is told as what comes closest to it: a text that is too long as a text, a list of which an item
    // is not allowed by that item.
    let is_of_wrong_type = |problems: &[Problem]| problems.iter().any(|problem| problem.keyword == "type");
    match parsed {
        _ if as_list.is_empty() => Some(list),
        _ if !is_of_wrong_type(&as_it_is) => None,
        None if !is_of_wrong_type(&as_list) => Some(list),
        parsed => parsed,
    }
}

/// What is wrong with one argument.
fn faults(value: &Value, name: &str, validator: &Validator) -> Vec<Problem> {
    let alone = Value::from(Map::from_iter([(name.to_owned(), value.clone())]));
    if validator.is_valid(&alone) {
        return Vec::new();
    }
    let place = pointer(name);
    let concerns = |problem: &Problem| {
        problem.path.strip_prefix(&place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut problems = validator.problems(&alone);
    problems.retain(concerns);
    problems
}
