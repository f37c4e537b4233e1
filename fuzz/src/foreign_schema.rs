//! Schemas of others, which come from a database or another server.

use serde_json::Value;
use tool_core::ToolDefinition;
use tool_core::fuzzing::is_valid;

use crate::validator::Validator;

/// Keywords that two validators may read differently: which formats there are, how floats are divided, and the dialects of
/// patterns.
const UNSURE: [&str; 5] = ["\"format\"", "\"multipleOf\"", "\"pattern", "\"$id\"", "\"$anchor\""];

/// Builds a tool with a foreign schema: the first line is the schema, the second a value.
///
/// - Whatever the schema is, it takes little time, and the stack does not overflow.
/// - A schema that is accepted is one for another validator, and both judge the value alike.
pub fn foreign_schema(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (schema, value) = input.split_once('\n').unwrap_or((input, "{}"));
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return };
    let tool = ToolDefinition::builder("foreign", "Foreign.").input_schema(schema.clone()).build();
    let output = ToolDefinition::builder("foreign", "Foreign.").output_schema(schema.clone()).build();
    if let Ok(output) = &output {
        assert!(output.output_schema().is_some());
    }
    let Ok(tool) = tool else { return };
    assert_eq!(tool.input_schema()["type"], "object");
    let text = schema.to_string();
    if UNSURE.iter().any(|keyword| text.contains(keyword)) {
        return;
    }
    let theirs = Validator::new(&schema, false);
    let theirs = theirs.unwrap_or_else(|error| panic!("another validator refuses {schema}: {error}"));
    let Ok(value) = serde_json::from_str::<Value>(value) else { return };
    let ours = is_valid(&schema, &value).expect("what is accepted can be compiled");
    assert_eq!(ours, theirs.is_valid(&value), "{value} by {schema}");
}
