//! Converts a tool, as its server lists it, to a definition.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::definition::{DefinitionError, DefinitionFault};
use tool_core::{Annotations, Operation, ToolDefinition};

use crate::upstream::message::UnreadableTool;

/// The separator between the names of a server and its tool.
pub(super) const SEPARATOR: &str = "__";

/// A tool that is served.
pub(super) struct ConvertedTool {
    pub(super) definition: ToolDefinition,
    /// A warning, if the tool is served in part.
    pub(super) warning: Option<String>,
}

/// Converts a tool. Malformed members count as absent, which is an error for the required ones. An invalid output
/// schema is omitted.
pub(super) fn convert_tool(
    server: &str,
    tool: &Value,
    timeout: Duration,
) -> Result<ConvertedTool, DefinitionError> {
    match build_definition(server, tool, timeout, true) {
        Err(error) if matches!(error.fault(), DefinitionFault::OutputSchema(_)) => {
            let definition = build_definition(server, tool, timeout, false)?;
            Ok(ConvertedTool { definition, warning: Some(format!("{error}; the tool is served without it")) })
        }
        definition => Ok(ConvertedTool { definition: definition?, warning: None }),
    }
}

/// Returns the error for a tool whose definition cannot be read.
pub(super) fn unreadable_error(server: &str, tool: &UnreadableTool) -> DefinitionError {
    DefinitionError::refused(format!("{server}{SEPARATOR}{}", tool.name), &tool.reason)
}

fn build_definition(
    server: &str,
    tool: &Value,
    timeout: Duration,
    with_output: bool,
) -> Result<ToolDefinition, DefinitionError> {
    let text =
        |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let (operation, annotations) = operation_and_annotations(&tool["annotations"]);
    let title = text(&tool["title"]).or_else(|| text(&tool["annotations"]["title"]));
    let description = text(&tool["description"]).unwrap_or_else(|| "No description".to_owned());
    let name = format!("{server}{SEPARATOR}{}", tool["name"].as_str().unwrap_or_default());
    let mut builder = ToolDefinition::builder(name, description)
        .provider(server)
        .operation(operation)
        .annotations(annotations)
        .timeout(timeout)
        .input_schema(input_schema(&tool["inputSchema"]));
    if let Some(title) = title {
        builder = builder.title(title);
    }
    if with_output && tool["outputSchema"].is_object() {
        builder = builder.output_schema(tool["outputSchema"].clone());
    }
    // With the prefix, an empty name or one of dots would be valid.
    if tool["name"].as_str().is_none_or(|name| name.bytes().all(|b| b == b'.')) {
        return ToolDefinition::builder(tool["name"].as_str().unwrap_or_default(), "-").build();
    }
    builder.build()
}

/// Returns the input schema, with the type that some servers omit.
fn input_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(members) if !members.contains_key("type") => {
            let mut schema = schema.clone();
            schema["type"] = json!("object");
            schema
        }
        other => other.clone(),
    }
}

/// Converts the hints of a tool. Without hints a tool is destructive: see [the table](crate::upstream#operations).
fn operation_and_annotations(hints: &Value) -> (Operation, Annotations) {
    let hint = |name: &str| hints[name].as_bool();
    let open_world_hint = hint("openWorldHint");
    if hint("readOnlyHint") == Some(true) {
        // The other hints have no meaning for a read-only tool.
        return (Operation::Read, Annotations { open_world_hint, ..Annotations::default() });
    }
    let destructive_hint = hint("destructiveHint");
    let operation = match (destructive_hint, open_world_hint) {
        (Some(false), None | Some(true)) => Operation::Trigger,
        _ => Operation::Write,
    };
    let idempotent_hint = hint("idempotentHint");
    (operation, Annotations { destructive_hint, idempotent_hint, open_world_hint, ..Annotations::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn derives_the_operation_from_hints() {
        for (hints, operation, published) in [
            (json!(null), Operation::Write, (false, true, false, true)),
            (json!({}), Operation::Write, (false, true, false, true)),
            (json!({"readOnlyHint": true}), Operation::Read, (true, false, true, true)),
            (
                json!({"readOnlyHint": true, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false}),
                Operation::Read,
                (true, false, true, false),
            ),
            (json!({"readOnlyHint": "yes"}), Operation::Write, (false, true, false, true)),
            (json!({"idempotentHint": true}), Operation::Write, (false, true, true, true)),
            (json!({"destructiveHint": true}), Operation::Write, (false, true, false, true)),
            (json!({"destructiveHint": false}), Operation::Trigger, (false, false, false, true)),
            (
                json!({"destructiveHint": false, "openWorldHint": true}),
                Operation::Trigger,
                (false, false, false, true),
            ),
            (
                json!({"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false}),
                Operation::Write,
                (false, false, false, false),
            ),
        ] {
            let tool = json!({"name": "a", "inputSchema": {"type": "object"}, "annotations": hints});
            let definition = convert_tool("s", &tool, MINUTE).unwrap().definition;
            let actual = definition.annotations().unwrap();
            let actual = [
                actual.read_only_hint,
                actual.destructive_hint,
                actual.idempotent_hint,
                actual.open_world_hint,
            ];
            let (read_only, destructive, idempotent, open) = published;
            assert_eq!(actual, [read_only, destructive, idempotent, open].map(Some), "{hints}");
            assert_eq!(definition.operation(), Some(operation), "{hints}");
        }
    }

    #[test]
    fn keeps_title_description_and_schemas() {
        let input = json!({"type": "object", "properties": {"q": {"type": "string", "x-unit": "cm"}}, "required": ["q"]});
        let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let tool = json!({
            "name": "look-up.v2", "title": "Look up", "description": " Looks up. ", "inputSchema": input,
            "outputSchema": output, "annotations": {"title": "Other"},
        });
        let ConvertedTool { definition, warning } = convert_tool("web", &tool, MINUTE).unwrap();
        assert_eq!((definition.name(), definition.title()), ("web__look-up.v2", Some("Look up")));
        assert_eq!((definition.description(), definition.timeout()), ("Looks up.", Some(MINUTE)));
        assert_eq!((definition.input_schema(), definition.output_schema()), (&input, Some(&output)));
        assert_eq!(warning, None);
        let bare = convert_tool(
            "web",
            &json!({"name": "a", "inputSchema": {}, "annotations": {"title": "A"}}),
            MINUTE,
        );
        let bare = bare.unwrap().definition;
        assert_eq!((bare.title(), bare.description()), (Some("A"), "No description"));
        assert_eq!(*bare.input_schema(), json!({"type": "object"}));
    }

    #[test]
    fn explains_rejected_tools() {
        let schema = json!({"type": "object"});
        for (tool, expected) in [
            (json!({"inputSchema": schema}), "tool ``: its name is not made of"),
            (json!({"name": 5, "inputSchema": schema}), "tool ``: its name is not made of"),
            (json!({"name": "..", "inputSchema": schema}), "tool `..`: its name is not made of"),
            (json!({"name": "get it", "inputSchema": schema}), "tool `web__get it`: its name is not made of"),
            (json!({"name": "x".repeat(124), "inputSchema": schema}), "its name is not made of 1 to 128"),
            (json!({"name": "a"}), "tool `web__a`: its input schema was refused: the root must have"),
            (json!({"name": "a", "inputSchema": {"type": "string"}}), "its input schema was refused"),
            (
                json!({"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"$ref": "http://e.org/b"}}}}),
                "its input schema was refused: at /properties/b/$ref: `$ref` leads to another document",
            ),
            (json!(null), "tool ``: its name is not made of"),
        ] {
            let error = convert_tool("web", &tool, MINUTE).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let tool = json!({"name": "a", "inputSchema": schema, "outputSchema": {"type": "object", "$ref": "http://e.org/b"}});
        let ConvertedTool { definition, warning } = convert_tool("web", &tool, MINUTE).unwrap();
        assert!(definition.output_schema().is_none());
        assert!(warning.unwrap().starts_with("tool `web__a`: its output schema was refused: "));
    }
}
