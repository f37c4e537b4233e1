//! One tool as text: its schemas are text already, and most of it.

use rmcp::model::ToolAnnotations;
use serde::Serialize;
use tool_core::ToolDefinition;

/// Appends a tool that is the server's own.
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

/// The hints of a tool, without those that a client has no need of.
///
/// The protocol has a default for each hint, but clients differ in what they make of one that is absent: the SDKs of Python and
/// TypeScript hand it on as absent, and Codex asked nobody before a call without `destructiveHint` until it took the defaults of
/// the protocol. So a hint is left out only where it means nothing, or where a client that takes an absent one for `false`
/// comes to the same: whether a tool that is not read-only destroys, and whether a tool reaches an open world, is always said.
pub(super) fn annotations(tool: &ToolDefinition) -> Option<ToolAnnotations> {
    let hints = tool.annotations()?;
    let is_read_only = hints.read_only_hint == Some(true);
    let annotations = ToolAnnotations::from_raw(
        None,
        hints.read_only_hint.filter(|hint| *hint),
        // The protocol gives these two no meaning for a tool that is read-only.
        hints.destructive_hint.filter(|_| !is_read_only),
        hints.idempotent_hint.filter(|hint| *hint && !is_read_only),
        hints.open_world_hint,
    );
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

pub(super) fn value(value: &(impl Serialize + ?Sized), out: &mut String) {
    // Nothing of it can fail to be written: texts and flags.
    out.push_str(&serde_json::to_string(value).unwrap_or_default());
}

/// Returns the schema, or that of any object in place of one that is no object, which `Registry::check` reports.
fn object(schema: &str) -> &str {
    if schema.starts_with('{') { schema } else { "{}" }
}
