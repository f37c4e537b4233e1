//! The descriptions of tools.

use serde::Serialize;
use serde_json::{Map, Value};
use tool_core::{Annotations, Deprecated, Operation, Registry, Requirements, ToolDefinition, adapter};

#[cfg(feature = "tasks")]
use crate::tasks::task_options;

/// A tool in a list.
#[derive(Serialize)]
pub(super) struct Summary<'t> {
    name: &'t str,
    description: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'t Annotations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<Deprecation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirements: Option<Requirements>,
    #[cfg(feature = "tasks")]
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Value>,
}

impl<'t> Summary<'t> {
    pub(super) fn of(tool: &'t ToolDefinition, tools: &Registry) -> Self {
        Summary {
            name: tool.name(),
            description: tool.description(),
            annotations: tool.annotations(),
            title: tool.title(),
            operation: tool.operation(),
            tags: tool.tags().collect(),
            deprecated: tool.deprecated().map(Deprecation::of),
            requirements: tools.requirements(tool.name()),
            #[cfg(feature = "tasks")]
            task: task_options(tools, tool),
        }
    }
}

/// Everything about a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detail<'t> {
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
    description: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'t Annotations>,
    input_schema: &'t Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'t Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modifying: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirements: Option<Requirements>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<Deprecation>,
    #[serde(skip_serializing_if = "<[Value]>::is_empty")]
    examples: &'t [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'t Map<String, Value>>,
    #[cfg(feature = "tasks")]
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Value>,
    digest: String,
}

impl<'t> Detail<'t> {
    pub(super) fn of(tool: &'t ToolDefinition, tools: &Registry) -> Self {
        let operation = tool.operation();
        Detail {
            name: tool.name(),
            title: tool.title(),
            description: tool.description(),
            annotations: tool.annotations(),
            input_schema: tool.input_schema(),
            // A result that is too large is replaced by an excerpt, which does not match the schema.
            output_schema: tool.output_schema().filter(|_| !adapter::may_shorten(tools, tool)),
            operation,
            // Unknown without an operation, and so omitted.
            modifying: operation.map(Operation::modifies),
            idempotent: operation.map(|_| tool.idempotent()),
            permission: tool.permission().map(ToString::to_string),
            requirements: tools.requirements(tool.name()),
            tags: tool.tags().collect(),
            deprecated: tool.deprecated().map(Deprecation::of),
            examples: tool.examples(),
            meta: tool.meta(),
            #[cfg(feature = "tasks")]
            task: task_options(tools, tool),
            digest: tool.digest().to_string(),
        }
    }
}

/// The deprecation of a tool, with its note.
#[derive(Serialize)]
struct Deprecation {
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl Deprecation {
    fn of(deprecated: Deprecated) -> Self {
        Deprecation { since: deprecated.since, note: deprecated.note }
    }
}
