//! The tools of a registry in the shape of `tools/list`, made once: a registry never changes.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;
use tool_core::{Registry, ToolDefinition};

/// Every tool, ordered by name.
pub(crate) struct Catalogue(Vec<Tool>);

impl Catalogue {
    pub(crate) fn new(registry: &Registry) -> Self {
        // A registry is ordered by name already, which `get` relies on.
        Catalogue(registry.tools().map(listed).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Tool> {
        self.0.binary_search_by(|tool| (*tool.name).cmp(name)).ok().map(|position| &self.0[position])
    }
}

fn listed(tool: &ToolDefinition) -> Tool {
    let mut listed = Tool::new_with_raw(
        tool.name().to_owned(),
        Some(tool.description().to_owned().into()),
        object(tool.input_schema()),
    );
    listed.title = tool.title().map(str::to_owned);
    listed.output_schema = tool.output_schema().map(object);
    listed.annotations = tool.annotations().map(|hints| {
        ToolAnnotations::from_raw(
            None,
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        )
    });
    listed.with_meta(meta(tool))
}

fn meta(tool: &ToolDefinition) -> MetaObject {
    let mut meta = JsonObject::new();
    if let Some(operation) = tool.operation() {
        meta.insert("tool-core/operation".to_owned(), operation.as_str().into());
    }
    meta.insert("tool-core/digest".to_owned(), tool.digest().to_string().into());
    MetaObject(meta)
}

/// Schemas in the normal form are objects; anything else would be a fault that `Registry::check` reports.
fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
