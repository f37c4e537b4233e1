//! The three tools, as they are listed.

use std::sync::LazyLock;

use serde_json::{Value, json};
use tool_core::{Annotations, DynamicTool, Leniency, Operation, Output, Registry, ToolDefinition};

/// Their names.
pub(crate) const NAMES: [&str; 3] = ["list_available_tools", "list_tool_details", "call_tool"];

/// A registry of them: what they take is checked as everything is. They are entered elsewhere, where the tools are known
/// that they are about.
pub(crate) fn desk() -> &'static Registry {
    static DESK: LazyLock<Registry> = LazyLock::new(|| {
        let tools = [list_available_tools(), list_tool_details(), call_tool()];
        let builder =
            tools.into_iter().fold(Registry::builder().leniency(Leniency::Strict), |builder, definition| {
                let nothing = |_, _: Value| async { Ok(Output::empty()) };
                builder.tool(DynamicTool::new(definition, nothing))
            });
        builder.build().expect("the three tools are well-formed: a test builds them")
    });
    &DESK
}

fn list_available_tools() -> ToolDefinition {
    let description =
        "Lists the tools that can be called, a page at a time: the best first for a `search`, else by name.";
    definition(NAMES[0], description, &json!({
        "search": {"type": "string", "description": "What the tool should do, in a few words."},
        "filter_by_server": {"type": "string", "default": "", "description": "Only tools of this server; empty for all."},
        "detailed": {"type": "boolean", "default": false, "description": "Whether to show what each takes."},
        "page": {"type": "integer", "minimum": 1, "default": 1, "description": "Which page: `nextPage` of the last one."},
    }), &[])
    .operation(Operation::Explain)
    .annotations(hints(true))
    .build()
    .expect("it is well-formed: a test builds it")
}

fn list_tool_details() -> ToolDefinition {
    definition(NAMES[1], "Shows what one tool does and takes.", &target(), &["server", "tool_name"])
        .operation(Operation::Explain)
        .annotations(hints(true))
        .build()
        .expect("it is well-formed: a test builds it")
}

fn call_tool() -> ToolDefinition {
    let mut inputs = target();
    inputs["arguments"] = json!({"description": "What `list_tool_details` says that it takes."});
    // Not an object by its schema: the tool itself says what is wrong with its arguments.
    definition(NAMES[2], "Calls a tool.", &inputs, &["server", "tool_name"])
        .annotations(hints(false))
        .build()
        .expect("it is well-formed: a test builds it")
}

/// Which tool is meant.
fn target() -> Value {
    json!({
        "server": {"type": "string", "description": "The server of the tool."},
        "tool_name": {"type": "string", "description": "Its name."},
    })
}

fn definition(
    name: &str,
    description: &str,
    properties: &Value,
    required: &[&str],
) -> tool_core::ToolDefinitionBuilder {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    ToolDefinition::builder(name, description).input_schema(schema)
}

/// What is called is not known before: the worst is promised.
fn hints(harmless: bool) -> Annotations {
    Annotations {
        read_only_hint: Some(harmless),
        destructive_hint: Some(!harmless),
        idempotent_hint: Some(harmless),
        open_world_hint: Some(!harmless),
    }
}
