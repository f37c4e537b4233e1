//! Function calling of Google's Gemini.
//!
//! The rules, with sources:
//!
//! - A function is `{"name", "description", "parametersJsonSchema"}`; the last is left out where there are no inputs
//!   (<https://ai.google.dev/api/caching#FunctionDeclaration>). It takes JSON Schema; `parameters` beside it takes the older
//!   `Schema`, which is none.
//! - A name begins with a letter or `_` and has at most 64 of `A-Za-z0-9_.:-`: the API refuses others ("Invalid function
//!   name"). The name of a parameter begins likewise and has at most 64 of `A-Za-z0-9_` (same page, `parameters`).
//! - Of JSON Schema the API honours `type`, `format`, `title`, `description`, `enum`, `items`, `prefixItems`, `minItems`,
//!   `maxItems`, `minimum`, `maximum`, `anyOf`, `oneOf` ("interpreted the same as `anyOf`"), `properties`,
//!   `additionalProperties` and `required` (<https://ai.google.dev/api/generate-content#GenerationConfig>,
//!   `responseJsonSchema`, the one list that there is). There is no `const`: it is an `enum` of one.
//! - `enum`s are of texts: a number in one is refused ("Invalid value at 'enum'").
//! - The `format`s of texts are `date-time`, `date` and `time`
//!   (<https://ai.google.dev/gemini-api/docs/structured-output>, "JSON Schema support").
//! - A reference that leads back is "unrolled to a limited degree", and only in properties that are not required (same list):
//!   a recursive type is refused here. `prefixItems` is not written either: what reads the schema as the older `Schema` on
//!   its way would be left with an array without `items`, which the API refuses.
//! - Nothing stands beside `anyOf` ("it must be the only field set"): each branch has the description.

use serde_json::{Value, json};

use crate::definition::ToolDefinition;
use crate::definition::profile::Profile;
use crate::definition::profile::dialect::{
    ChoiceSupport, Dialect, FreeNames, OptionalSupport, UntypedSupport, is_name,
};

pub(super) const DIALECT: Dialect = Dialect {
    profile: Profile::Gemini,
    takes: |keyword, value| match keyword {
        "title" | "minItems" | "maxItems" | "minimum" | "maximum" => true,
        "enum" => value.as_array().is_some_and(|values| values.iter().all(Value::is_string)),
        "format" => matches!(value.as_str(), Some("date-time" | "date" | "time")),
        _ => false,
    },
    takes_input: takes_property,
    takes_property,
    optional: OptionalSupport::Absent,
    free_names: FreeNames::Taken,
    untyped: UntypedSupport::Empty,
    choice: ChoiceSupport::Alone,
};

pub(super) fn takes_tool_name(name: &str) -> bool {
    begins(name) && is_name(name, b"_.:-")
}

fn takes_property(name: &str) -> bool {
    begins(name) && is_name(name, b"_")
}

fn begins(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Renders a function declaration.
pub(super) fn tool(definition: &ToolDefinition, schema: Value) -> Value {
    let mut tool = json!({"name": definition.name(), "description": definition.description()});
    if schema["properties"].as_object().is_some_and(|properties| !properties.is_empty()) {
        tool["parametersJsonSchema"] = schema;
    }
    tool
}
