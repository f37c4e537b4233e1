//! One tool as `tools/list` shows it, as text.

use serde::Deserialize;
use serde_json::Value;
use tool_core::ToolDefinition;

use crate::catalog::tool_text::{annotations, append, value};
use crate::catalog::{Catalog, ListShape};

/// Appends a tool of a catalog, with the permissions that the caller lacks for it.
pub(super) fn write(
    tool: &ToolDefinition,
    lacks: &[&str],
    catalog: &Catalog,
    shape: ListShape,
    out: &mut String,
) {
    let schema = catalog.output_schema(tool).filter(|schema| match shape {
        ListShape::Modern => true,
        ListShape::Structured => is_object(schema),
        ListShape::Plain => false,
    });
    let mut hints = annotations(tool);
    if shape == ListShape::Plain
        && let Some(title) = tool.title()
    {
        hints.get_or_insert_default().title = Some(title.to_owned());
    }
    append(tool, catalog.settings.description(tool), schema.as_deref(), hints.as_ref(), out);
    if let Some(meta) = catalog.settings.meta(tool, lacks) {
        out.push_str(r#","_meta":"#);
        value(&meta, out);
    }
    out.push('}');
}

/// Returns whether a schema is that of an object.
fn is_object(schema: &str) -> bool {
    #[derive(Deserialize)]
    struct Root {
        r#type: Option<Value>,
    }

    serde_json::from_str(schema).is_ok_and(|Root { r#type }| r#type.is_some_and(|it| it == "object"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tool_core::provider::Toolset;
    use tool_core::results::ResultStore;
    use tool_core::{
        Annotations, CallOptions, DynamicTool, Operation, Output, Registry, ToolDefinition, adapter, tool,
    };

    use super::write;
    use crate::catalog::uri::Scheme;
    use crate::catalog::{Catalog, ListShape};
    use crate::discovery::Discovery;
    use crate::settings::Settings;
    use crate::surfaces::Surfaces;

    /// Says "when" \ and where.
    #[tool(operation = Trigger, destructive = false, title = "A \"title\"", tags = ["clock", "map"])]
    fn say_listed(
        /** A day. */
        day: String,
        #[arg(default = 1.0)] factor: f64,
    ) -> Vec<f64> {
        vec![factor; day.len()]
    }

    fn catalog(registry: impl Into<Toolset>) -> Catalog {
        let settings = Settings {
            scheme: Scheme::of_name("listed"),
            surfaces: Surfaces::Inclusive,
            discovery: Discovery::Direct,
            page_size: None,
            tool_meta: true,
            denied_tools: false,
            modern_only: false,
            name: "listed".to_owned(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: std::collections::BTreeMap::new(),
            file: crate::prompts_file::PromptsFile::default(),
        };
        Catalog::new(registry.into(), Arc::new(settings))
    }

    fn registry() -> Registry {
        let schema = json!({"type": "object", "properties": {"b": {"const": 1.0}, "a": {"x-mcp-header": "A", "type": "string"}}});
        let plain =
            ToolDefinition::builder("plain", "It's \"plain\": ü\n\u{1}.").input_schema(schema.clone());
        let full = ToolDefinition::builder("full", "All there is.")
            .title("Full")
            .operation(Operation::Write)
            .annotations(Annotations { destructive_hint: Some(false), ..Annotations::default() })
            .tags(["one"])
            .output_schema(schema);
        let tool = |definition| DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
        let builder = Registry::builder().tools(tool_core::tools![say_listed]);
        let builder = builder.tool(tool(plain.build().unwrap())).tool(tool(full.build().unwrap()));
        builder.build().unwrap()
    }

    fn listed(catalog: &Catalog, shape: ListShape) -> Value {
        serde_json::from_str(&format!("[{}]", String::from_utf8_lossy(&catalog.all_listed(shape)))).unwrap()
    }

    #[test]
    fn serializes_tools_like_rmcp() {
        for registry in
            [registry(), registry().with_options(&CallOptions::new().results(&ResultStore::memory()))]
        {
            let catalog = catalog(registry.clone());
            assert_eq!(adapter::definitions(&registry).len(), 3);
            for tool in adapter::definitions(&registry) {
                let mut text = String::new();
                write(tool, &[], &catalog, ListShape::Modern, &mut text);
                let read: rmcp::model::Tool = serde_json::from_str(&text).unwrap();
                assert_eq!(serde_json::to_string(&read).unwrap(), text);
                assert_eq!(catalog.listed(&[tool.name()], ListShape::Modern), text);
                let has_headers = catalog.schema_with_headers(tool.name()).is_some();
                assert_eq!(has_headers, tool.input_schema_text().contains("x-mcp-header"));
            }
        }
    }

    #[test]
    fn adapts_lists_to_older_clients() {
        let catalog = catalog(registry());
        let shapes = [ListShape::Modern, ListShape::Structured, ListShape::Plain];
        let lists = shapes.map(|shape| listed(&catalog, shape));
        for (list, schemas) in lists.iter().zip([2, 2, 0]) {
            let tools = list.as_array().unwrap();
            assert_eq!(
                tools.iter().filter(|tool| tool["outputSchema"].is_object()).count(),
                schemas,
                "{list}"
            );
        }
        assert_eq!(lists[0], lists[1], "all schemas are objects");
        assert_eq!(lists[2][0]["annotations"]["title"], lists[2][0]["title"]);
    }

    #[test]
    fn caches_the_list() {
        let catalog = catalog(registry());
        let first = catalog.all_listed(ListShape::Modern);
        let names: Vec<&str> = adapter::definitions(catalog.registry()).map(ToolDefinition::name).collect();
        assert_eq!(catalog.all_listed(ListShape::Modern).as_ptr(), first.as_ptr());
        assert_eq!(catalog.listed(&names, ListShape::Modern).as_ptr(), first.as_ptr());
        assert_eq!(listed(&catalog, ListShape::Modern)[1]["name"], "plain");
    }
}
