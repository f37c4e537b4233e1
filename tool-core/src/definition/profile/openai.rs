//! Function calling of OpenAI, strict and not.
//!
//! The rules, with sources ("the guide" is Structured Outputs, section "Supported schemas",
//! <https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>; "the function guide" is
//! <https://developers.openai.com/api/docs/guides/function-calling>):
//!
//! - A function is `{"type": "function", "name", "description", "parameters", "strict"}` in the Responses API; in Chat
//!   Completions all but `type` stand below `"function"`. `strict` is always said: where it is left out, the Responses API
//!   makes a schema strict by itself, and optional inputs required (function guide, "Strict mode").
//! - A name is at most 64 of `A-Za-z0-9_-` (API reference, `FunctionDefinition.name`).
//! - The root is an object without `oneOf`, `anyOf`, `allOf`, `enum` and `not`; an array has `items` and an object
//!   `properties`: the API refuses others, strict or not ("schema must have type 'object' and not have …", "array schema
//!   missing items", "object schema missing properties"). `{}` will do for `items`, and says no more than its absence.
//!
//! In strict mode, from the guide:
//!
//! - Types are string, number, boolean, integer, object, array, enum and `anyOf`; `allOf`, `not`, `if` and their kin are
//!   refused, and so is `oneOf`. A schema without a type is refused too.
//! - Every object has `additionalProperties: false` ("Structured Outputs only supports generating specified keys"), so that
//!   an object with free names cannot be said.
//! - "All fields must be required"; an optional one is "a union type with `null`". The pipeline takes `null` for an optional
//!   property as left out, at every depth. For `Option<Option<T>>` it means `null`; such an input cannot be left out.
//! - `pattern`, nine `format`s, `multipleOf`, the four bounds of numbers, `minItems` and `maxItems` are supported. The guide
//!   lists nothing else; of `default`, `minLength` and `maxLength` the readme of OpenAI's SDK for Node says that the API can
//!   refuse them (openai-node, `helpers.md`).
//! - Recursive schemas are supported, by a `$ref` into `$defs`. Nothing stands beside a `$ref`: the API refuses that, and the
//!   SDK for Python puts the definition in its place then (`openai/lib/_pydantic.py`).
//! - Branches of `anyOf` that are objects differ in their first key: the API says so when they do not ("Objects provided via
//!   'anyOf' must not share identical first keys"). The tag of an enum is put first.
//!
//! The size limits (5,000 properties, 10 levels, 1,000 enum values) have been raised before, and are not checked.

use std::convert::Infallible;

use serde_json::{Value, json};

use crate::definition::ToolDefinition;
use crate::definition::profile::dialect::{
    ChoiceSupport, Dialect, FreeNames, OptionalSupport, UntypedSupport, is_name,
};
use crate::definition::profile::{Profile, ProfileError, subschemas};
use crate::schema::types::names_type;

pub(super) const STRICT: Dialect = Dialect {
    profile: Profile::OpenAiStrict,
    takes: |keyword, value| match keyword {
        "enum" | "const" | "title" | "pattern" | "multipleOf" | "minimum" | "maximum"
        | "exclusiveMinimum" | "exclusiveMaximum" | "minItems" | "maxItems" => true,
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        _ => false,
    },
    takes_input: |_| true,
    takes_property: |_| true,
    optional: OptionalSupport::Null,
    free_names: FreeNames::Refused,
    untyped: UntypedSupport::Refused,
    choice: ChoiceSupport::ByFirstProperty,
};

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

pub(super) fn takes_tool_name(name: &str) -> bool {
    is_name(name, b"_-")
}

/// Renders a function of the Responses API.
pub(super) fn tool(definition: &ToolDefinition, schema: Value, strict: bool) -> Value {
    let mut tool = json!({
        "type": "function",
        "name": definition.name(),
        "description": definition.description(),
        "parameters": null,
        "strict": strict,
    });
    tool["parameters"] = schema;
    tool
}

/// Renders a schema without references for the non-strict mode.
pub(super) fn rendered(schema: &Value) -> Result<Value, ProfileError> {
    let refused = ["oneOf", "anyOf", "allOf", "enum", "not"];
    if schema["type"] != "object" || refused.iter().any(|keyword| schema.get(keyword).is_some()) {
        return Err(ProfileError::Root { profile: Profile::OpenAi });
    }
    Ok(filled(schema))
}

/// Adds missing `items` and `properties`, and removes `true` schemas and foreign annotations.
fn filled(schema: &Value) -> Value {
    let object = match schema {
        Value::Object(object) => object,
        Value::Bool(true) => return json!({}),
        other => return other.clone(),
    };
    // Foreign annotations, such as MCP's `x-mcp-header`, have no meaning here.
    let ours = object.iter().filter(|(keyword, _)| !keyword.starts_with("x-"));
    let mut filled = match subschemas::mapped(ours, "", |schema, _| Ok::<_, Infallible>(filled(schema))) {
        Ok(filled) => filled,
        Err(never) => match never {},
    };
    for (kind, keyword) in [("array", "items"), ("object", "properties")] {
        if names_type(object, kind) {
            filled.entry(keyword).or_insert_with(|| json!({}));
        }
    }
    filled.into()
}
