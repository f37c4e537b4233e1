//! Tool use of Anthropic.
//!
//! The rules, with sources:
//!
//! - A tool is `{"name", "description", "input_schema"}`; its name is 1 to 64 of `A-Za-z0-9_-`
//!   (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools>). `input_schema` is JSON Schema 2020-12
//!   with an object at its root (API reference, `Tool`); a choice at the root is refused by the API.
//! - The names of inputs are 1 to 64 of `A-Za-z0-9_.-`: the API refuses others ("Property keys should match pattern").
//! - With `"strict": true` beside the name
//!   (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/strict-tool-use>) the schema has the limits of
//!   Structured Outputs (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs>, "JSON Schema
//!   limitations"): no bounds of numbers, no lengths, of the limits of lists only `minItems` of 0 and 1, ten `format`s, every
//!   object closed, no recursion.
//!
//! The same schema works for both uses. What Anthropic's SDK moves into the description (`anthropic.transform_schema`,
//! which also moves `pattern` and `default`) is moved here, too. `strict` itself is not set, because strict tools are
//! limited per request (20 tools, 24 optional inputs, 16 unions), which only the sender knows. Recursive types, objects
//! with arbitrary names and values of any type work only without it.

use serde_json::{Value, json};

use crate::definition::ToolDefinition;
use crate::definition::profile::Profile;
use crate::definition::profile::dialect::{
    ChoiceSupport, Dialect, FreeNames, OptionalSupport, UntypedSupport, is_name,
};

pub(super) const DIALECT: Dialect = Dialect {
    profile: Profile::Anthropic,
    takes: |keyword, value| match keyword {
        "title" => true,
        "const" => !is_composite(value),
        "enum" => value.as_array().is_some_and(|values| !values.iter().any(is_composite)),
        "minItems" => *value == 0 || *value == 1,
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        _ => false,
    },
    takes_input: |name| is_name(name, b"_.-"),
    takes_property: |_| true,
    optional: OptionalSupport::Absent,
    free_names: FreeNames::Taken,
    untyped: UntypedSupport::EveryType,
    choice: ChoiceSupport::Plain,
};

const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

pub(super) fn takes_tool_name(name: &str) -> bool {
    is_name(name, b"_-")
}

/// Renders a tool of the Messages API.
pub(super) fn tool(definition: &ToolDefinition, schema: Value) -> Value {
    let mut tool = json!({"name": definition.name(), "description": definition.description()});
    tool["input_schema"] = schema;
    tool
}

fn is_composite(value: &Value) -> bool {
    value.is_array() || value.is_object()
}
