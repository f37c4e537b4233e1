//! The operations that describe tools. Operations that call a tool have its name as id; the ids of these contain a colon, which
//! no name can contain.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tool_core::profile::Profile;
use tool_core::{Operation, ToolDefinition};

use crate::openapi::components::{error_response, json_response, unauthorized, with_retry_after};
use crate::openapi::{require_caller, responses};
use crate::options::Options;
use crate::query::MAX_LIMIT;

/// Returns the paths of the routes that run nothing.
pub(super) fn paths(tools: &[&ToolDefinition], options: &Options) -> Map<String, Value> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    let mut name = json!({
        "name": "name",
        "in": "path",
        "required": true,
        "description": "The name of a tool.",
        "schema": {"type": "string", "enum": names},
    });
    if names.is_empty() {
        // Code generators reject an empty `enum`.
        name["schema"] = json!({"type": "string"});
    }
    let mut paths = Map::new();
    paths.insert("/tools".to_owned(), json!({"get": list(tools, options)}));
    let mut add = |path: &str, method: &str, operation: Value| {
        paths.insert(path.to_owned(), json!({"parameters": [name], method: operation}));
    };
    add("/tools/{name}", "get", detail(options));
    add("/tools/{name}/inputs", "get", inputs(options));
    add("/tools/{name}/validate", "post", validate(options));
    add("/tools/{name}/complete", "post", complete(tools, options));
    paths
}

fn list(tools: &[&ToolDefinition], options: &Options) -> Value {
    let summary = json!({"$ref": "#/components/schemas/Summary"});
    let tool = json!({"$ref": "#/components/schemas/Tool"});
    // A profile defines its own format.
    let schema = json!({"type": "array", "items": {"anyOf": [summary, tool, {"type": "object"}]}});
    let mut ok = json_response("The tools, by name; with `q` the best first.", &schema);
    ok["headers"] = json!({
        "ETag": {"$ref": "#/components/headers/ETag"},
        "Link": {"$ref": "#/components/headers/Link"},
        "Tools-Skipped": {"$ref": "#/components/headers/ToolsSkipped"},
    });
    allow_anonymous(
        json!({
            "operationId": "discovery:listTools",
            "summary": "List the tools",
            "tags": ["discovery"],
            "parameters": filters(tools),
            "responses": responses([
                (200, ok),
                (304, json!({"description": "Nothing has changed."})),
                (400, error_response("A parameter or a value is not known.")),
                (404, error_response("The cursor is none of this list.")),
                (500, error_response("The tools cannot be listed.")),
            ]),
        }),
        options,
    )
}

fn filters(tools: &[&ToolDefinition]) -> Vec<Value> {
    let operations = Operation::ALL.map(Operation::as_str);
    let profiles = Profile::ALL.map(Profile::as_str);
    let parameter = |name: &str, description: &str, schema: Value| json!({"name": name, "in": "query", "description": description, "schema": schema});
    let mut filters = vec![parameter(
        "operation",
        "Only those of one of these operations.",
        json!({"type": "array", "items": {"type": "string", "enum": operations}}),
    )];
    let tags: BTreeSet<&str> = tools.iter().flat_map(|tool| tool.tags()).collect();
    if !tags.is_empty() {
        filters.push(parameter(
            "tag",
            "Only those with one of these tags.",
            json!({"type": "array", "items": {"type": "string", "enum": tags}}),
        ));
    }
    filters.extend([
        parameter("q", "Only those with a word of this text, the best first.", json!({"type": "string"})),
        parameter(
            "unmet",
            "What becomes of those that cannot run at the moment.",
            json!({"type": "string", "enum": ["show", "hide", "only"], "default": "show"}),
        ),
        parameter(
            "detail",
            "Whether everything is told of each.",
            json!({"type": "string", "enum": ["full", "summary"], "default": "summary"}),
        ),
        parameter(
            "profile",
            "In the shape of this vendor, whatever `detail` says. What it cannot take is left out, and named in \
             `Tools-Skipped`.",
            json!({"type": "string", "enum": profiles}),
        ),
        parameter("limit", "How many on one page.", json!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT})),
        parameter("cursor", "Where the page begins, as `Link` of the one before says.", json!({"type": "string"})),
    ]);
    filters
}

fn detail(options: &Options) -> Value {
    let profiles = Profile::ALL.map(Profile::as_str);
    let tool = json!({"$ref": "#/components/schemas/Tool"});
    let schema = json!({"anyOf": [tool, {"type": "object"}, {"type": "array", "items": {}}]});
    let mut ok = json_response("The tool; with `profile`, its input schema in that profile.", &schema);
    ok["headers"] = json!({"ETag": {"$ref": "#/components/headers/ETag"}});
    allow_anonymous(
        json!({
            "operationId": "discovery:getTool",
            "summary": "Everything about a tool",
            "tags": ["discovery"],
            "parameters": [{
                "name": "profile",
                "in": "query",
                "description": "The input schema in this profile.",
                "schema": {"type": "string", "enum": profiles},
            }],
            "responses": responses([
                (200, ok),
                (304, json!({"description": "Nothing has changed."})),
                (400, error_response("The name is not UTF-8, or a parameter or a value is not known.")),
                (404, error_response("There is no such tool.")),
                (422, error_response("The profile cannot express the inputs of this tool.")),
                (500, error_response("The tools cannot be listed.")),
            ]),
        }),
        options,
    )
}

fn inputs(options: &Options) -> Value {
    let schema = json!({"type": "array", "items": {"type": "object"}});
    let mut ok = json_response("The inputs.", &schema);
    ok["headers"] = json!({"ETag": {"$ref": "#/components/headers/ETag"}});
    allow_anonymous(
        json!({
            "operationId": "discovery:getToolInputs",
            "summary": "The inputs of a tool without JSON Schema",
            "tags": ["discovery"],
            "responses": responses([
                (200, ok),
                (304, json!({"description": "Nothing has changed."})),
                (400, error_response("The name is not UTF-8, or a parameter is not known.")),
                (404, error_response("There is no such tool.")),
                (500, error_response("The tools cannot be listed.")),
            ]),
        }),
        options,
    )
}

fn validate(options: &Options) -> Value {
    let verdict = json!({"$ref": "#/components/schemas/Verdict"});
    allow_anonymous(
        json!({
            "operationId": "discovery:validateArguments",
            "summary": "Check arguments, and run nothing",
            "tags": ["discovery"],
            "requestBody": {
                "description": "The arguments; none count as `{}`.",
                "content": {"application/json": {"schema": {}}},
            },
            "responses": responses([
                (200, json_response("Whether the tool takes them, and what is wrong with them.", &verdict)),
                (400, json!({
                    "description": "The body is no JSON, the name is not UTF-8, or a parameter is not known.",
                    "content": {"application/json": {"schema": {"anyOf": [
                        verdict,
                        {"$ref": "#/components/schemas/Error"},
                    ]}}},
                })),
                (404, error_response("There is no such tool.")),
                (408, error_response("The body did not arrive in time.")),
                (413, error_response("The body is too large.")),
                (415, error_response("The body is not announced as JSON in UTF-8.")),
                (429, with_retry_after(error_response("The arguments take long to check, and too many calls run at once."))),
                (500, error_response("The tools cannot be listed, or the arguments not be checked.")),
                (504, error_response("The arguments were not checked in the time of a call.")),
            ]),
        }),
        options,
    )
}

fn complete(tools: &[&ToolDefinition], options: &Options) -> Value {
    let text = json!({"type": "string"});
    let inputs: BTreeSet<&str> =
        tools.iter().flat_map(|tool| tool.inputs()).filter_map(|input| input.name.as_deref()).collect();
    let input = if inputs.is_empty() { text.clone() } else { json!({"type": "string", "enum": inputs}) };
    let request = json!({
        "type": "object",
        "properties": {
            "argument": {
                "type": "object",
                "description": "The input, and what is typed for it so far.",
                "properties": {"name": input, "value": text},
                "required": ["name", "value"],
                "additionalProperties": false,
            },
            "context": {
                "type": "object",
                "description": "What is given for other inputs, each as text.",
                "properties": {"arguments": {"type": "object", "additionalProperties": text}},
                "additionalProperties": false,
            },
        },
        "required": ["argument"],
        "additionalProperties": false,
    });
    let completions = json!({
        "type": "object",
        "properties": {
            "values": {"type": "array", "items": text, "maxItems": 100},
            "total": {"type": "integer"},
            "hasMore": {"type": "boolean"},
        },
        "required": ["values", "total", "hasMore"],
    });
    let mut operation = json!({
        "operationId": "discovery:completeArgument",
        "summary": "Propose values for an input",
        "tags": ["discovery"],
        "requestBody": {"required": true, "content": {"application/json": {"schema": request}}},
        "responses": responses([
            (200, json_response("The values that could complete what is typed.", &completions)),
            (400, error_response("The body is not as it must be, the name is not UTF-8, or the query has a parameter.")),
            (403, error_response("Execution is off, or the caller may not call the tool.")),
            (404, error_response("There is no such tool, or it has no such input.")),
            (408, error_response("The body did not arrive in time.")),
            (413, error_response("The body is too large.")),
            (415, error_response("The body is not announced as JSON in UTF-8.")),
            (500, error_response("The tools cannot be listed, or the function that completes failed.")),
        ]),
    });
    if options.authenticator.is_some() {
        operation["responses"]["401"] = unauthorized();
        operation["responses"]["503"] = error_response("Who calls cannot be found out at the moment.");
        require_caller(&mut operation, options);
    }
    operation
}

/// Allows anonymous callers, unless discovery is protected.
fn allow_anonymous(mut operation: Value, options: &Options) -> Value {
    if options.protect_discovery {
        operation["responses"]["401"] = unauthorized();
        operation["responses"]["503"] = error_response("Who calls cannot be found out at the moment.");
        require_caller(&mut operation, options);
    } else if options.authenticator.is_some() {
        // Identified callers may see more.
        operation["security"] = json!([{}, {"caller": []}]);
    }
    operation
}
