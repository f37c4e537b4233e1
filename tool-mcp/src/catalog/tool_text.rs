//! Tools as text. Their schemas, the largest part, are text already.

use rmcp::model::ToolAnnotations;
use serde::Serialize;
use tool_core::ToolDefinition;

/// Appends a tool of the server itself.
pub(crate) fn write_bare(tool: &ToolDefinition, out: &mut String) {
    append(tool, tool.description(), None, annotations(tool).as_ref(), out);
    out.push('}');
}

/// Appends a tool up to its `_meta`.
pub(super) fn append(
    tool: &ToolDefinition,
    description: &str,
    output_schema: Option<&str>,
    annotations: Option<&ToolAnnotations>,
    out: &mut String,
) {
    out.push_str(r#"{"name":"#);
    value(tool.name(), out);
    if let Some(title) = tool.title() {
        out.push_str(r#","title":"#);
        value(title, out);
    }
    out.push_str(r#","description":"#);
    value(description, out);
    out.push_str(r#","inputSchema":"#);
    out.push_str(object(&tool.input_schema_text()));
    if let Some(schema) = output_schema {
        out.push_str(r#","outputSchema":"#);
        out.push_str(object(schema));
    }
    if let Some(annotations) = annotations {
        out.push_str(r#","annotations":"#);
        value(annotations, out);
    }
}

/// Returns the hints of a tool, without those that make no difference to clients.
///
/// The protocol defines defaults, but clients disagree about a missing hint: the Python and TypeScript SDKs pass it on as
/// missing, and older versions of Codex did not ask before a call without `destructiveHint`. So a hint is only omitted if it
/// has no meaning, or if `false` means the same. `openWorldHint`, and `destructiveHint` of a modifying tool, are always sent.
pub(super) fn annotations(tool: &ToolDefinition) -> Option<ToolAnnotations> {
    let hints = tool.annotations()?;
    let is_read_only = hints.read_only_hint == Some(true);
    let annotations = ToolAnnotations::from_raw(
        None,
        hints.read_only_hint.filter(|hint| *hint),
        // The protocol gives these two no meaning for a read-only tool.
        hints.destructive_hint.filter(|_| !is_read_only),
        hints.idempotent_hint.filter(|hint| *hint && !is_read_only),
        hints.open_world_hint,
    );
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

/// Appends texts and flags, which always serialize.
pub(super) fn value(value: &(impl Serialize + ?Sized), out: &mut String) {
    out.push_str(&serde_json::to_string(value).unwrap_or_default());
}

/// Returns the schema, or `{}` if it is not an object, which `Registry::check` reports.
fn object(schema: &str) -> &str {
    if schema.starts_with('{') { schema } else { "{}" }
}
