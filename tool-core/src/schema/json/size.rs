//! Sizes of values.

use serde_json::Value;

use crate::schema::json::children::children;

/// Subtracts the JSON size of a value from a budget, and returns `false` if it is exceeded.
pub(crate) fn take(left: &mut usize, value: &Value) -> bool {
    let Some(less) = left.checked_sub(own(value)) else { return false };
    *left = less;
    children(value).all(|child| take(left, child))
}

/// Returns the number of bytes of a value as JSON without the values below it, about.
pub(crate) fn own(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.len() + 2,
        Value::Object(members) => members.keys().map(|name| name.len() + 4).sum::<usize>() + 2,
    }
}
