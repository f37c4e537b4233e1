//! Sizes of values.

use serde_json::Value;

/// Subtracts the JSON size of a value from a budget, and returns `false` if it is exceeded.
pub(crate) fn take(left: &mut usize, value: &Value) -> bool {
    let own = match value {
        Value::String(text) => text.len() + 2,
        Value::Object(members) => members.keys().map(|name| name.len() + 4).sum::<usize>() + 2,
        Value::Array(items) => items.len() + 2,
        Value::Number(_) => 8,
        Value::Null | Value::Bool(_) => 4,
    };
    let Some(less) = left.checked_sub(own) else { return false };
    *left = less;
    match value {
        Value::Object(members) => members.values().all(|member| take(left, member)),
        Value::Array(items) => items.iter().all(|item| take(left, item)),
        _ => true,
    }
}
