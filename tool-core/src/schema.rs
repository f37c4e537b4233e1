//! The schema of a tool: composed from its inputs, brought into one normal form, validated against, and shown.
//!
//! Everything is computed once a tool, on first use, from the types that the declaration names.

pub(crate) mod bounds;
mod coercion;
mod deep;
pub(crate) mod defaults;
pub(crate) mod example;
pub(crate) mod expansion;
mod format;
pub(crate) mod guarantee;
pub(crate) mod json;
pub(crate) mod leniency;
pub(crate) mod limits;
mod locate;
pub(crate) mod message;
pub(crate) mod native;
mod nearest;
pub(crate) mod normal;
mod patterns;
mod portable;
pub(crate) mod problem;
pub(crate) mod reference;
mod samples;
mod secret;
mod types;
mod untagged;
mod validator;

pub use crate::schema::leniency::{Leniency, Repair, RepairKind, Validation};
pub use bounds::{SchemaError, SchemaFault};
pub use native::{Allowed, Constraints, NativeSchema};
pub use nearest::nearest;

pub(crate) use crate::schema::coercion::Amendments;
pub(crate) use bounds::{Foreign, Shown, check_headers};

pub(crate) use defaults::refused as refused_defaults;
pub(crate) use guarantee::Guarantee;
pub(crate) use limits::Limits;
pub(crate) use message::{shortened as repeated, unknown_input};
pub(crate) use native::item;
pub(crate) use patterns::refused as refused_patterns;
pub(crate) use samples::of as samples;
pub(crate) use secret::any as has_secret;
pub(crate) use validator::{Formats, MOST_PROBLEMS, Validator};

/// The JSON Pointer (RFC 6901) of a member of the root object.
pub(crate) fn pointer(name: &str) -> String {
    let mut pointer = String::from("/");
    push_escaped(&mut pointer, name);
    pointer
}

/// Appends one reference token to a JSON Pointer.
pub(crate) fn push_escaped(pointer: &mut String, token: &str) {
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// One reference token of a JSON Pointer, unescaped.
pub(crate) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Takes the bytes of a value, as JSON has them, from those that are left; whether there were enough.
pub(crate) fn take(left: &mut usize, value: &serde_json::Value) -> bool {
    use serde_json::Value;
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
