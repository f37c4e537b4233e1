//! The definitions of the four tools.

use std::sync::LazyLock;

use axum::body::Bytes;
use serde_json::{Value, json};
use tool_core::definition::ToolDefinitionBuilder;
use tool_core::schema::Leniency;
use tool_core::{Annotations, DynamicTool, Operation, Output, Registry, ToolDefinition};

use crate::catalog::tool_text::write_bare;
use crate::discovery::SEARCH_TOOLS;

/// Returns a registry of the four tools, which validates their arguments. They are implemented in `tool_search`.
pub(super) fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut builder = Registry::builder().leniency(Leniency::Strict);
        for definition in [list_available_tools(), list_tool_details(), call_read_only_tool(), call_tool()] {
            let nothing = |_, _: Value| async { Ok(Output::empty()) };
            let definition = definition.build().expect("the definitions are valid");
            builder = builder.tool(DynamicTool::new(definition, nothing));
        }
        builder.build().expect("the names are distinct")
    });
    &REGISTRY
}

/// Returns the four tools as `tools/list` has them, in JSON and without the brackets around them.
pub(crate) fn listed() -> Bytes {
    static LISTED: LazyLock<Bytes> = LazyLock::new(|| {
        let mut text = String::new();
        for tool in SEARCH_TOOLS.iter().filter_map(|name| registry().get(name)) {
            if !text.is_empty() {
                text.push(',');
            }
            write_bare(tool, &mut text);
        }
        text.into()
    });
    LISTED.clone()
}

fn list_available_tools() -> ToolDefinitionBuilder {
    let description =
        "Lists the tools that can be called, a page at a time: the best first for a `search`, else by name.";
    definition(SEARCH_TOOLS[0], description, &json!({
        "search": {"type": "string", "description": "What the tool should do, in a few words."},
        "filter_by_server": {"type": "string", "default": "", "description": "Only tools of this server; empty for all."},
        "detailed": {"type": "boolean", "default": false, "description": "Whether to show what each takes."},
        "page": {"type": "integer", "minimum": 1, "default": 1, "description": "Which page: `nextPage` of the last one."},
    }), &[])
    .operation(Operation::Explain)
    .annotations(hints(true, false))
}

fn list_tool_details() -> ToolDefinitionBuilder {
    definition(SEARCH_TOOLS[1], "Shows what one tool does and takes.", &target(), &["server", "tool_name"])
        .operation(Operation::Explain)
        .annotations(hints(true, false))
}

fn call_read_only_tool() -> ToolDefinitionBuilder {
    let description = "Calls a tool that modifies nothing: one that is listed with `readOnly`.";
    definition(SEARCH_TOOLS[2], description, &call(), &["server", "tool_name"]).annotations(hints(true, true))
}

fn call_tool() -> ToolDefinitionBuilder {
    let description =
        "Calls any tool. For one that is listed with `readOnly`, `call_read_only_tool` does the same.";
    definition(SEARCH_TOOLS[3], description, &call(), &["server", "tool_name"])
        .annotations(hints(false, true))
}

/// Returns the inputs that identify a tool, and its arguments.
fn call() -> Value {
    let mut inputs = target();
    let description = "What `list_tool_details` says that it takes.";
    inputs["arguments"] = json!({"type": "object", "description": description});
    inputs
}

/// Returns the inputs that identify a tool.
fn target() -> Value {
    json!({
        "server": {"type": "string", "description": "The server of the tool."},
        "tool_name": {"type": "string", "description": "Its name."},
    })
}

fn definition(name: &str, description: &str, properties: &Value, required: &[&str]) -> ToolDefinitionBuilder {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    ToolDefinition::builder(name, description).input_schema(schema)
}

/// Returns the hints of a tool. One that calls others has the hints of the most dangerous one that it may call.
fn hints(read_only: bool, open_world: bool) -> Annotations {
    Annotations {
        read_only_hint: Some(read_only),
        destructive_hint: Some(!read_only),
        idempotent_hint: Some(read_only),
        open_world_hint: Some(open_world),
    }
}
