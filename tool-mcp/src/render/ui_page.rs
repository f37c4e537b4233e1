//! The pages of tools as resources: the extension MCP Apps, version 2026-01-26.

use rmcp::model::{MetaObject, ReadResourceResult, Resource, ResourceContents};
use tool_core::ToolDefinition;
use tool_core::ui::Ui;

/// The identifier of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The media type of a page.
pub(crate) const MEDIA_TYPE: &str = "text/html;profile=mcp-app";

/// Returns the page of a tool as it is listed.
pub(crate) fn listed(uri: &str, tool: &ToolDefinition, ui: &Ui) -> Resource {
    let mut resource = Resource::new(uri, tool.name())
        .with_description(format!("The page that shows results of `{}`.", tool.name()))
        .with_mime_type(MEDIA_TYPE);
    (resource.title, resource.meta) = (tool.title().map(str::to_owned), meta(ui));
    resource
}

/// Returns the page of a tool as it is read.
pub(crate) fn read(uri: &str, ui: &Ui) -> ReadResourceResult {
    let contents = ResourceContents::text(ui.html(), uri).with_mime_type(MEDIA_TYPE);
    let contents = match meta(ui) {
        Some(meta) => contents.with_meta(meta),
        None => contents,
    };
    ReadResourceResult::new(vec![contents])
}

/// Returns the `_meta` of a page, if it has any.
fn meta(ui: &Ui) -> Option<MetaObject> {
    let meta = ui.page_meta();
    let is_empty = meta.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty).then(|| MetaObject([("ui".to_owned(), meta)].into_iter().collect()))
}
