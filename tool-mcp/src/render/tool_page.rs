//! Descriptions of tools as resources: a row and a page for each tool.

use serde::Serialize;
use serde_json::Value;
use tool_core::schema::{Allowed, NativeSchema};
use tool_core::{Annotations, Operation, ToolDefinition};

use crate::signature::{shown_default, signature, type_name};

/// A tool in the list at `{scheme}://tools`.
#[derive(Debug, Serialize)]
pub(crate) struct ToolRow<'t> {
    name: &'t str,
    signature: String,
    description: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
}

impl<'t> ToolRow<'t> {
    pub(crate) fn new(tool: &'t ToolDefinition, description: &'t str) -> Self {
        // A detached definition drops its parsed schemas: with thousands of tools they take much memory.
        let signature = signature(&tool.detached());
        ToolRow { name: tool.name(), signature, description, operation: tool.operation() }
    }
}

/// A tool at `{scheme}://tool/{name}`.
#[derive(Debug, Serialize)]
pub(crate) struct ToolPage<'t> {
    name: &'t str,
    signature: String,
    description: &'t str,
    args: Vec<Argument<'t>>,
    examples: Vec<&'t Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'t Annotations>,
    returns: Returns<'t>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<Deprecated>,
}

#[derive(Debug, Serialize)]
struct Argument<'t> {
    name: &'t str,
    r#type: String,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'t Value>,
    description: &'t str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    locator: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    allowed: &'t [Allowed],
}

/// The output: its schema, or content without a schema.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Returns<'t> {
    Value(&'t NativeSchema),
    Content { r#type: &'static str },
}

#[derive(Debug, Serialize)]
struct Deprecated {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl<'t> ToolPage<'t> {
    /// Creates the page of a tool. `examples` follow those of its doc comment.
    pub(crate) fn new(tool: &'t ToolDefinition, description: &'t str, examples: &'t [Value]) -> Self {
        ToolPage {
            name: tool.name(),
            signature: signature(tool),
            description,
            args: tool.inputs().iter().map(argument).collect(),
            examples: tool.examples().iter().chain(examples).collect(),
            operation: tool.operation(),
            annotations: tool.annotations(),
            returns: tool.outputs().map_or(Returns::Content { r#type: "content" }, Returns::Value),
            tags: tool.tags().collect(),
            deprecated: tool.deprecated().map(|it| Deprecated { since: it.since, note: it.note }),
        }
    }
}

fn argument(input: &NativeSchema) -> Argument<'_> {
    Argument {
        name: input.name.as_deref().unwrap_or_default(),
        r#type: type_name(input),
        required: input.required.unwrap_or(false),
        default: shown_default(input),
        description: input.description.as_deref().unwrap_or_default(),
        locator: input.locator,
        allowed: &input.allowed,
    }
}
