//! The operations that read the result of a tool.

use form_urlencoded::byte_serialize;
use serde_json::{Map, Value, json};
use tool_core::ToolDefinition;
use tool_core::address::{Segment, Surface};
use tool_core::schema::NativeSchema;

use crate::openapi::components::{error_response, unauthorized, with_retry_after};
use crate::openapi::references::Relocation;
use crate::openapi::{require_caller, responses, results};
use crate::options::Options;

/// The first segments of the routes, which take precedence over addresses.
const ROUTES: [&str; 6] = ["explorer", "mcp", "openapi.json", "results", "tasks", "tools"];

/// Returns the path of the address of a tool; `None` without an address, or if a route takes precedence.
pub(super) fn path_of_address(tool: &ToolDefinition) -> Option<String> {
    let surface = Surface::of(tool);
    let segments = surface.address()?.segments();
    if let Segment::Literal(first) = &segments[0]
        && ROUTES.contains(&first.as_str())
    {
        return None;
    }
    let encode = |segment: &Segment| match segment {
        Segment::Literal(literal) => byte_serialize(literal.as_bytes()).collect(),
        Segment::Variable(_) => segment.to_string(),
    };
    Some(segments.iter().flat_map(|segment| ["/".to_owned(), encode(segment)]).collect())
}

/// Returns the operation of `GET` of the address of a tool.
pub(super) fn read_at(tool: &ToolDefinition, options: &Options) -> Value {
    let mut operation = read(tool, options);
    operation["operationId"] = format!("{}.at", tool.name()).into();
    for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
        parameter["in"] = "path".into();
    }
    operation
}

/// Returns the operation of `GET /tools/{name}/result` for one tool.
pub(super) fn read(tool: &ToolDefinition, options: &Options) -> Value {
    let name = tool.name();
    let mut ok =
        json!({"description": "What the tool returned, without an envelope.", "content": content(tool)});
    ok["headers"] = json!({"ETag": {"$ref": "#/components/headers/ETag"}});
    let mut operation = json!({
        "operationId": format!("{name}.result"),
        "summary": tool.title().unwrap_or(name),
        "description": tool.description(),
        "tags": tool.tags().collect::<Vec<_>>(),
        "parameters": tool.inputs().iter().filter_map(|input| parameter(tool, input)).collect::<Vec<_>>(),
        "responses": responses([
            (200, ok),
            (304, json!({"description": "The result is that of `If-None-Match`."})),
            (400, error_response("The query is not what can be read.")),
            (403, error_response("The caller may not do this, or a page of another site asks.")),
            (404, error_response("There is no such tool, or what it was asked for does not exist.")),
            (409, error_response("The state of the thing does not allow this.")),
            (422, error_response("The arguments are not what the tool takes.")),
            (429, with_retry_after(error_response("Too many calls at once, or too many of this caller."))),
            (500, error_response("The tool failed; the log knows why under the `callId`.")),
            (501, error_response("The tool has a question, and a caller over HTTP cannot be asked.")),
            (503, with_retry_after(error_response("Something that the tool needs is not there at the moment."))),
            (504, error_response("The tool did not finish in its time.")),
        ]),
    });
    if options.authenticator.is_some() {
        operation["responses"]["401"] = unauthorized();
    }
    if tool.deprecated().is_some() {
        operation["deprecated"] = true.into();
    }
    require_caller(&mut operation, options);
    operation
}

/// Returns the parameter of an input: a text, a list that repeats its name, or anything else as JSON.
fn parameter(tool: &ToolDefinition, input: &NativeSchema) -> Option<Value> {
    let name = input.name.as_deref()?;
    let schema = tool.input_schema()["properties"].get(name)?;
    let schema = Relocation::of_input(tool).relocate(schema, false);
    let mut parameter = json!({"name": name, "in": "query", "required": input.required.unwrap_or_default()});
    if let Some(description) = schema.get("description") {
        parameter["description"] = description.clone();
    }
    if is_text(input) || input.kind == "list" && input.items.as_deref().is_some_and(is_text) {
        parameter["schema"] = schema;
    } else {
        // Not `content`: generators drop such a parameter, or encode its value in another way.
        let json = "application/json";
        parameter["schema"] = json!({"type": "string", "contentMediaType": json, "contentSchema": schema});
    }
    Some(parameter)
}

/// Returns `true` for values that are one text in a query.
fn is_text(schema: &NativeSchema) -> bool {
    match schema.kind {
        "union" => schema.variants.iter().all(is_text),
        kind => ["string", "integer", "number", "boolean", "null"].contains(&kind),
    }
}

/// Returns the media types of the result: JSON for a value, anything for content.
fn content(tool: &ToolDefinition) -> Value {
    let Some(schema) = tool.output_schema() else {
        return results::any_content();
    };
    let side = if is_wrapped(tool, schema) { "result" } else { "output" };
    let reference = format!("#/components/schemas/{}.{side}", tool.name());
    json!({"application/json": {"schema": {"$ref": reference}}})
}

/// Returns `true` if the value of structured output is its member `result`.
pub(super) fn is_wrapped(tool: &ToolDefinition, schema: &Value) -> bool {
    let has_only_result = |properties: &Map<String, Value>| properties.keys().eq(["result"]);
    let is_member =
        |native: &NativeSchema| native.properties.iter().any(|it| it.name.as_deref() == Some("result"));
    schema["properties"].as_object().is_some_and(has_only_result) && !tool.outputs().is_some_and(is_member)
}
