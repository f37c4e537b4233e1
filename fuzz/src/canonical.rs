//! Canonical JSON and digests.

use serde_json::{Map, Value};
use tool_core::Digest;
use tool_core::fuzzing::canonical as text_of;

/// Writes a JSON text in its canonical form.
///
/// - The canonical text is JSON with the same value, and its canonical form is itself.
/// - The members of an object are sorted by UTF-16, and there is no white space between them.
/// - Neither it nor the digest depends on the order of members. The digest is that of the text.
pub fn canonical(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    let output = text_of(&value);
    let again: Value = serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"));
    assert_eq!(text_of(&again), output, "the canonical form is not canonical");
    check(&value, &again);
    assert!(!has_space(&output), "has white space: {output}");
    let reversed = reversed(&value);
    assert_eq!(text_of(&reversed), output, "depends on the order of members");
    assert_eq!(Digest::of(&reversed), Digest::of_bytes(output.as_bytes()), "has another digest");
}

/// Checks that a value is read from its canonical text, with sorted members.
fn check(value: &Value, again: &Value) {
    match (value, again) {
        (Value::Number(value), Value::Number(again)) => {
            let is_exact = value.as_i64().is_some() || value.as_u64().is_some();
            let is_same = if is_exact { value == again } else { value.as_f64() == again.as_f64() };
            assert!(is_same, "{value} becomes {again}");
        }
        (Value::Array(value), Value::Array(again)) => {
            assert_eq!(value.len(), again.len());
            value.iter().zip(again).for_each(|(value, again)| check(value, again));
        }
        (Value::Object(value), Value::Object(again)) => {
            assert_eq!(value.len(), again.len());
            let names: Vec<Vec<u16>> = again.keys().map(|name| name.encode_utf16().collect()).collect();
            assert!(names.is_sorted(), "the members are not sorted: {again:?}");
            value.iter().for_each(|(name, value)| check(value, &again[name]));
        }
        _ => assert_eq!(value, again),
    }
}

/// Returns `true` if a JSON text has white space outside of its strings.
fn has_space(text: &str) -> bool {
    let (mut is_string, mut is_escaped) = (false, false);
    text.chars().any(|c| {
        (is_string, is_escaped) = match c {
            _ if is_escaped => (is_string, false),
            '\\' => (is_string, true),
            '"' => (!is_string, false),
            _ => (is_string, false),
        };
        !is_string && c.is_whitespace()
    })
}

/// Returns a value with the members of each object from the last to the first.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Object(members) => {
            let members = members.iter().rev().map(|(name, value)| (name.clone(), reversed(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
