//! A thousand generated tools with realistic names and schemas.

use serde_json::{Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition, ToolError};

const NOUNS: [&str; 10] =
    ["invoice", "parcel", "room", "ticket", "guest", "letter", "garden", "engine", "recipe", "song"];
const VERBS: [&str; 10] =
    ["create", "cancel", "list", "find", "archive", "print", "share", "count", "move", "rename"];

/// A registry with all of them.
pub fn registry() -> Registry {
    let mut builder = Registry::builder();
    for number in 0..1000 {
        let (noun, verb) = (NOUNS[number % 10], VERBS[number / 10 % 10]);
        let name = format!("{verb}_{noun}_{}", number / 100);
        let description = format!(
            "Will {verb} one {noun} in department {}, and tells what became of it in the end.\n\nMore than that \
             is said in the handbook of the department, which is long.",
            number / 100
        );
        let schema = json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1, "description": format!("Which {noun}.")},
                "note": {"type": "string", "maxLength": 200, "description": "What to remember about it."},
            },
            "required": ["id"],
            "additionalProperties": false,
        });
        let is_read_only = ["list", "find", "print", "count"].contains(&verb);
        let definition = ToolDefinition::builder(name, description)
            .operation(if is_read_only { Operation::Read } else { Operation::Write })
            .input_schema(schema)
            .build()
            .unwrap();
        builder = builder.tool(DynamicTool::new(
            definition,
            |cx: tool_core::Context, arguments: Value| async move {
                match arguments["id"].as_i64() {
                    Some(404) => Err(ToolError::not_found("there is none").into()),
                    id => Ok(Output::text(format!("{}: {id:?}", cx.tool()))),
                }
            },
        ));
    }
    builder.build().unwrap()
}
