//! What can be said in little time about a value of a recursive type that is nested deeply.
//!
//! To explain why no alternative of a choice fits, the validator goes into each of them. Where an alternative contains the
//! choice again, that doubles with every level: an expression of thirty levels would be explained for hours.

use serde_json::{Value, json};

use crate::failure::Problem;
use crate::schema::pointer;
use crate::schema::validator::Validator;

/// So many alternatives are gone into at most, over all levels.
const MOST_EXPLAINED: usize = 10_000;

/// How deep a value may be nested to be explained: the more alternatives a choice has, the less. A type that is not
/// recursive has an end of its own.
pub(super) fn explained_depth(schema: &Value) -> usize {
    let most = schema["$defs"]
        .as_object()
        .map_or(0, |definitions| definitions.values().map(widest).max().unwrap_or(0));
    let (mut depth, mut explained) = (0, 1);
    while most > 1 && explained * most <= MOST_EXPLAINED {
        explained *= most;
        depth += 1;
    }
    if most > 1 { depth } else { usize::MAX }
}

/// The number of alternatives of the widest choice.
fn widest(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            let own =
                ["anyOf", "oneOf"].into_iter().filter_map(|key| members.get(key)?.as_array().map(Vec::len));
            own.chain(members.values().map(widest)).max().unwrap_or(0)
        }
        Value::Array(items) => items.iter().map(widest).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a value has more levels than these below itself.
pub(super) fn is_deeper(value: &Value, levels: usize) -> bool {
    let deeper = |inner: &Value| levels == 0 || is_deeper(inner, levels - 1);
    match value {
        Value::Array(items) => items.iter().any(deeper),
        Value::Object(members) => members.values().any(deeper),
        _ => false,
    }
}

/// Which inputs are missing or unknown, and which of the given ones do not fit, without saying where inside of them.
pub(super) fn problems(validator: &Validator, arguments: &Value) -> Vec<Problem> {
    let root = &validator.schema;
    let mut names = root.clone();
    // Without its recursive types it can be explained in full.
    names["$defs"] = json!({});
    for property in
        names["properties"].as_object_mut().into_iter().flat_map(|properties| properties.values_mut())
    {
        *property = true.into();
    }
    let mut problems = Validator::new(&names)
        .map(|names| if names.is_valid(arguments) { Vec::new() } else { names.problems(arguments) });
    let fits = |schema: &Value, value: &Value| {
        let alone = json!({"properties": {"value": schema}, "$defs": root["$defs"]});
        Validator::new(&alone).is_ok_and(|alone| alone.is_valid(&json!({ "value": value })))
    };
    for (name, schema) in root["properties"].as_object().into_iter().flatten() {
        if let (Some(value), Ok(problems)) = (arguments.get(name), &mut problems)
            && !fits(schema, value)
        {
            let expected = validator.expected(&pointer(name));
            let text = format!("expected {expected}; what does not fit is nested too deeply to be told");
            problems.push(Problem::new(pointer(name), "type", text));
        }
    }
    problems.unwrap_or_default()
}
