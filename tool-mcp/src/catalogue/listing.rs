//! One tool as `tools/list` shows it, as text: its schemas are text already, and most of it.

use serde::Serialize;
use tool_core::ToolDefinition;

use crate::catalogue::{Catalogue, annotations};

/// Appends a tool as rmcp writes it, to the byte.
pub(super) fn write(tool: &ToolDefinition, catalogue: &Catalogue, out: &mut String) {
    out.push_str(r#"{"name":"#);
    value(tool.name(), out);
    if let Some(title) = tool.title() {
        out.push_str(r#","title":"#);
        value(title, out);
    }
    out.push_str(r#","description":"#);
    value(catalogue.settings.description(tool), out);
    out.push_str(r#","inputSchema":"#);
    out.push_str(object(&tool.input_schema_text()));
    if let Some(schema) = catalogue.output_schema(tool) {
        out.push_str(r#","outputSchema":"#);
        out.push_str(object(&schema));
    }
    if let Some(annotations) = annotations(tool) {
        out.push_str(r#","annotations":"#);
        value(&annotations, out);
    }
    if let Some(meta) = catalogue.settings.meta(tool) {
        out.push_str(r#","_meta":"#);
        value(&meta, out);
    }
    out.push('}');
}

fn value(value: &(impl Serialize + ?Sized), out: &mut String) {
    // Nothing of it can fail to be written: texts and flags.
    out.push_str(&serde_json::to_string(value).unwrap_or_default());
}

/// As [`object`](super::object) has it.
fn object(schema: &str) -> &str {
    if schema.starts_with('{') { schema } else { "{}" }
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
    use crate::catalogue::Catalogue;
    use crate::discovery::Discovery;
    use crate::settings::Settings;
    use crate::surfaces::Surfaces;
    use crate::uri::Scheme;

    /// Says "when" \ and where.
    #[tool(operation = Trigger, destructive = false, title = "A \"title\"", tags = ["clock", "map"])]
    fn say_listed(
        /** A day. */
        day: String,
        #[arg(default = 1.0)] factor: f64,
    ) -> Vec<f64> {
        vec![factor; day.len()]
    }

    fn catalogue(registry: impl Into<Toolset>) -> Catalogue {
        let settings = Settings {
            scheme: Scheme::of_name("listed"),
            surfaces: Surfaces::Inclusive,
            discovery: Discovery::Direct,
            page_size: None,
            tool_meta: true,
            name: "listed".to_owned(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: std::collections::BTreeMap::new(),
            file: crate::prompts_file::PromptsFile::default(),
        };
        Catalogue::new(registry.into(), Arc::new(settings))
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

    #[test]
    fn a_tool_is_written_as_rmcp_writes_it() {
        for registry in
            [registry(), registry().with_options(&CallOptions::new().results(&ResultStore::memory()))]
        {
            let catalogue = catalogue(registry.clone());
            assert_eq!(adapter::definitions(&registry).len(), 3);
            for tool in adapter::definitions(&registry) {
                let mut written = String::new();
                write(tool, &catalogue, &mut written);
                let listed = catalogue.tool(tool.name()).unwrap();
                assert_eq!(written, serde_json::to_string(&listed).unwrap());
                assert_eq!(listed.output_schema.is_some(), written.contains("outputSchema"));
                assert_eq!(catalogue.written(&[tool.name()]), written);
                assert_eq!(catalogue.repeats_in_headers(tool.name()), written.contains("x-mcp-header"));
            }
        }
    }

    #[test]
    fn the_list_is_written_once() {
        let catalogue = catalogue(registry());
        let first = catalogue.all_written();
        let every: Vec<&str> = adapter::definitions(catalogue.registry()).map(ToolDefinition::name).collect();
        assert_eq!(catalogue.all_written().as_ptr(), first.as_ptr());
        assert_eq!(catalogue.written(&every).as_ptr(), first.as_ptr());
        assert_eq!(
            serde_json::from_str::<Value>(&format!("[{}]", String::from_utf8_lossy(&first))).unwrap()[1]["name"],
            "plain"
        );
    }
}
