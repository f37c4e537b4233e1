//! A thousand tools with words in them as tools have them.

use serde_json::{Value, json};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition, ToolError};

const THINGS: [&str; 10] =
    ["invoice", "parcel", "room", "ticket", "guest", "letter", "garden", "engine", "recipe", "song"];
const DEEDS: [&str; 10] =
    ["create", "cancel", "list", "find", "archive", "print", "share", "count", "move", "rename"];

/// All of them.
pub fn registry() -> Registry {
    let mut builder = Registry::builder();
    for number in 0..1000 {
        let (thing, deed) = (THINGS[number % 10], DEEDS[number / 10 % 10]);
        let name = format!("{deed}_{thing}_{}", number / 100);
        let description = format!(
            "Will {deed} one {thing} in department {}, and tells what became of it in the end.\n\nMore than that \
             is said in the handbook of the department, which is long.",
            number / 100
        );
        let schema = json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1, "description": format!("Which {thing}.")},
                "note": {"type": "string", "maxLength": 200, "description": "What to remember about it."},
            },
            "required": ["id"],
            "additionalProperties": false,
        });
        let definition = ToolDefinition::builder(name, description)
            .operation(Operation::Read)
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
