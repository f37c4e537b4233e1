//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use serde_json::Value;

use crate::schema::problem::Problem;
use crate::schema::{Formats, Validator, json, refused_patterns};

/// Parses a JSON text, and rejects duplicate members.
///
/// # Errors
///
/// If the text is not JSON, is nested too deeply or has a member twice.
pub fn parse(text: &str) -> Result<Value, Problem> {
    json::parse::parse(text)
}

/// Writes the integers of a JSON text in plain digits; `None` if they are.
pub fn spell_out_integers(text: &str) -> Option<String> {
    json::integers::spell_out_integers(text)
}

/// Returns the canonical text of a JSON value.
pub fn canonical(value: &Value) -> String {
    json::canonical::canonical(value)
}

/// Returns `true` if a pattern has the same meaning in ECMA-262 and in Rust.
pub fn is_portable(pattern: &str) -> bool {
    refused_patterns(&Value::from_iter([("pattern", pattern)])).is_empty()
}

/// Validates a value against a schema, as the output of a tool is; `None` if the schema is invalid.
pub fn is_valid(schema: &Value, value: &Value) -> Option<bool> {
    Validator::with(schema, Formats::Described).ok().map(|validator| validator.is_valid(value))
}
