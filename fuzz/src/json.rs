//! The reader of JSON.

use serde_json::Value;
use tool_core::fuzzing::{parse, spell_out_integers};

use crate::json_rpc::has_duplicates;

/// Reads a text as JSON.
///
/// - It is accepted if `serde_json` accepts it and no object has a member twice. The values are the same.
/// - With its integers in plain digits, it is JSON if it was, with the same values.
pub fn json(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let expected = serde_json::from_str::<Value>(text).ok();
    let read = parse(text);
    match (&read, &expected) {
        (Ok(value), Some(expected)) => {
            assert!(!has_duplicates(text), "accepts a member that is given twice");
            assert!(is_same(value, expected), "{value} is not {expected}");
        }
        (Ok(_), None) => panic!("accepts what is not JSON"),
        (Err(problem), Some(_)) => assert!(has_duplicates(text), "refuses JSON: {problem:?}"),
        (Err(_), None) => {}
    }
    let Some(plain) = spell_out_integers(text) else { return };
    let plain = serde_json::from_str::<Value>(&plain).ok();
    assert_eq!(plain.is_some(), expected.is_some(), "JSON with plain integers, or without, and not both");
    if let (Some(plain), Some(expected)) = (plain, expected) {
        assert!(is_same(&plain, &expected), "{plain} is not {expected}");
    }
}

/// Returns `true` if two values are equal. Numbers are compared as floats: an integer may be written as `1.0`, and the reader
/// lowers -2^63 if it was rounded.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64(), other.as_f64());
            one == other || one == other.map(f64::next_down) && other == Some(-(2_f64.powi(63)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |name, value| other.get(name).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(|(name, value)| has(name, value))
        }
        _ => one == other,
    }
}
