//! The operation that calls a tool.

use serde_json::{Map, Value, json};
use tool_core::ToolDefinition;

use crate::openapi::components::{
    error_response, event_schema, json_response, unauthorized, with_retry_after,
};
use crate::openapi::references::Relocation;
use crate::openapi::{require_caller, responses, result};
use crate::options::Options;

/// Returns the operation of `POST /tools/{name}/call` for one tool.
pub(super) fn call(tool: &ToolDefinition, options: &Options, keeps: bool) -> Value {
    let name = tool.name();
    let mut content = json!({"schema": {"$ref": format!("#/components/schemas/{name}.input")}});
    let examples = tool.examples();
    if !examples.is_empty() {
        let examples = examples.iter().enumerate();
        let examples: Map<String, Value> = examples
            .map(|(number, value)| (format!("example{}", number + 1), json!({"value": value})))
            .collect();
        content["examples"] = examples.into();
    }
    let mut operation = json!({
        "operationId": name,
        "summary": tool.title().unwrap_or(name),
        "description": tool.description(),
        "tags": tool.tags().collect::<Vec<_>>(),
        "requestBody": {
            "description": "The arguments; none count as `{}`.",
            "required": tool.input_schema().get("required").is_some(),
            "content": {"application/json": content},
        },
        "responses": call_responses(tool, options, keeps),
    });
    if tool.deprecated().is_some() {
        operation["deprecated"] = true.into();
    }
    // OpenAPI has no such key; it is taken from MCP.
    if let Some(annotations) = tool.annotations()
        && let Ok(annotations) = serde_json::to_value(annotations)
    {
        operation["x-annotations"] = annotations;
    }
    require_caller(&mut operation, options);
    operation
}

/// Returns the responses of a call, by status.
fn call_responses(tool: &ToolDefinition, options: &Options, keeps: bool) -> Map<String, Value> {
    let either =
        |description: &str| json_response(description, &json!({"$ref": "#/components/schemas/CallError"}));
    let mut ok = json_response("What the tool returned.", &success(tool, keeps));
    let mut event = event_schema(&["progress", "log", "result"]);
    event["description"] =
        "One event, if `Accept` prefers them: at last a `result`, which is the JSON with its `status`."
            .into();
    ok["content"]["text/event-stream"] = json!({"schema": event});
    let forbidden = if options.allow_execute {
        "The caller may not do this, or the registry is read only."
    } else {
        "Execution is off."
    };
    let mut responses = responses([
        (200, ok),
        (400, error_response("The body is no JSON, or the query has a parameter.")),
        (403, error_response(forbidden)),
        (404, either("What the tool was asked for does not exist; or the tool does not any more.")),
        (408, error_response("The body did not arrive in time.")),
        (
            409,
            json_response(
                "The state of the thing does not allow this.",
                &json!({"$ref": "#/components/schemas/Failure"}),
            ),
        ),
        (413, error_response("The body is too large.")),
        (415, error_response("The body is not announced as JSON in UTF-8.")),
        (422, error_response("The arguments are not what the tool takes.")),
        (429, with_retry_after(error_response("Too many calls at once, or too many of this caller."))),
        (
            500,
            either("The tool failed; or a fault of the application, which the log knows under the `callId`."),
        ),
        (501, error_response("The tool has a question, and a caller over HTTP cannot be asked.")),
        (503, with_retry_after(either("Something that the tool needs is not there at the moment."))),
        (504, error_response("The tool did not finish in its time.")),
    ]);
    if options.authenticator.is_some() {
        responses.insert("401".to_owned(), unauthorized());
        responses.sort_keys();
    }
    responses
}

/// Returns the response of a successful call: the output or, if large results are stored, an excerpt.
fn success(tool: &ToolDefinition, keeps: bool) -> Value {
    let mut success = json!({
        "type": "object",
        "properties": {
            "content": {"type": "array", "items": {"$ref": "#/components/schemas/Content"}},
            "isError": {"type": "boolean", "const": false},
            "_meta": {"$ref": "#/components/schemas/Meta"},
        },
        "required": ["content", "isError", "_meta"],
    });
    if tool.output_schema().is_some() {
        let output = json!({"$ref": format!("#/components/schemas/{}.output", tool.name())});
        success["properties"]["structuredContent"] =
            if keeps { json!({"anyOf": [output, {"$ref": "#/components/schemas/Excerpt"}]}) } else { output };
        success["required"] = json!(["content", "structuredContent", "isError", "_meta"]);
    }
    success
}

/// Adds the schemas of a tool.
pub(super) fn schemas(tool: &ToolDefinition, schemas: &mut Map<String, Value>) {
    schemas.extend(Relocation::of_input(tool).components(tool.input_schema(), true));
    let Some(output) = tool.output_schema() else { return };
    let relocation = Relocation::new(&format!("{}.output", tool.name()), output);
    schemas.extend(relocation.components(output, false));
    if result::is_wrapped(tool, output) {
        // A component of its own, since generators do not follow references into a component.
        let name = format!("{}.result", tool.name());
        let property = &mut schemas[relocation.root()]["properties"]["result"];
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        let value = std::mem::replace(property, reference);
        schemas.insert(name, value);
    }
}
