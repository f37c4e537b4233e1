//! The operations of tasks, and what a call that may run as one has besides.

use serde_json::{Map, Value, json};
use tool_core::ToolDefinition;
use tool_core::tasks::{TaskOptions, TaskState, TaskSupport};

use crate::openapi::components::{
    error_response, event_schema, json_response, unauthorized, with_retry_after,
};
use crate::openapi::{require_caller, responses};
use crate::options::Options;
use crate::query::MAX_LIMIT;

/// Adds the routes of tasks to the document, and to the calls of tools what they have that run as tasks.
pub(super) fn add_to(document: &mut Value, tools: &[&ToolDefinition], options: &Options) {
    for (path, item) in paths(options) {
        document["paths"][path] = item;
    }
    let schemas = &mut document["components"]["schemas"];
    schemas["Task"] = schema();
    schemas["TaskOptions"] = options_schema();
    for tool in ["Summary", "Tool"] {
        schemas[tool]["properties"]["task"] = json!({"$ref": "#/components/schemas/TaskOptions"});
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        let description = "Calls that a client does not wait for.";
        tags.push(json!({"name": "tasks", "description": description}));
    }
    for tool in tools {
        if let Some(options) = tool.task() {
            add_to_call(&mut document["paths"][format!("/tools/{}/call", tool.name())]["post"], options);
        }
    }
}

/// An idempotency key of 1 to 255 printable ASCII characters, as it is or as a string in quotes.
const IDEMPOTENCY_KEY: &str = r#"^([!#-~]([ -~]{0,253}[!-~])?|"([ !#-\[\]-~]|\\["\\]){1,255}")$"#;

/// Adds the headers and the response of a task to the operation that calls a tool.
fn add_to_call(call: &mut Value, options: &TaskOptions) {
    let key = json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Requests with the same key make one call.",
        "schema": {"type": "string", "pattern": IDEMPOTENCY_KEY},
    });
    let mut headers = vec![key];
    if options.support == TaskSupport::Optional {
        headers.push(json!({
            "name": "Prefer",
            "in": "header",
            "description": "With `respond-async`, the call runs as a task, and the response comes before it has run.",
            "schema": {"type": "string"},
            "example": "respond-async",
        }));
    }
    call["parameters"] = headers.into();
    call["responses"]["202"] = task_response("The task, which makes the call.");
    if let Some(responses) = call["responses"].as_object_mut() {
        responses.sort_keys();
    }
}

/// Returns the paths of the routes of tasks.
fn paths(options: &Options) -> Map<String, Value> {
    let id = json!([{
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The identifier of the task, as the call that created it says.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    }]);
    let mut paths = Map::new();
    let mut add = |path: &str, value: Value| drop(paths.insert(path.to_owned(), value));
    add("/tasks", json!({"get": list(options)}));
    add("/tasks/{id}", json!({"parameters": id, "get": read(options), "delete": cancel(options)}));
    add("/tasks/{id}/events", json!({"parameters": id, "get": follow(options)}));
    add("/tasks/{id}/answers", json!({"parameters": id, "post": answer(options)}));
    paths
}

fn list(options: &Options) -> Value {
    let schema = json!({"type": "array", "items": {"$ref": "#/components/schemas/Task"}});
    let mut ok =
        json_response("The tasks of the caller, newest first, without questions and results.", &schema);
    ok["headers"] = json!({
        "ETag": {"$ref": "#/components/headers/ETag"},
        "Link": {"$ref": "#/components/headers/Link"},
    });
    let mut operation = operation(
        "tasks:list",
        "List tasks",
        options,
        [
            (200, ok),
            (304, json!({"description": "The list is that of `If-None-Match`."})),
            (400, error_response("A query parameter is unknown or invalid.")),
            (404, error_response("The cursor is not the identifier of a task.")),
        ],
    );
    operation["parameters"] = json!([
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}},
        {"name": "cursor", "in": "query", "description": "The last task of the page before.", "schema": {"type": "string"}},
    ]);
    operation
}

fn read(options: &Options) -> Value {
    let mut ok = task_response("The task, with its result if it has ended.");
    ok["headers"]["ETag"] = json!({"$ref": "#/components/headers/ETag"});
    operation(
        "tasks:read",
        "Read a task",
        options,
        [
            (200, ok),
            (304, json!({"description": "The task is that of `If-None-Match`."})),
            (400, error_response("The query has a parameter.")),
            (404, error_response(NOT_FOUND)),
        ],
    )
}

fn follow(options: &Options) -> Value {
    let events = json!({
        "description": "An event `task` for each change until the task has ended. Its data is the task, and its id the version, \
            so that a client that sends `Last-Event-ID` goes on where it was.",
        "content": {"text/event-stream": {"schema": event_schema(&["task"])}},
    });
    operation(
        "tasks:follow",
        "Follow a task",
        options,
        [
            (200, events),
            (400, error_response("The query has a parameter.")),
            (404, error_response(NOT_FOUND)),
        ],
    )
}

fn answer(options: &Options) -> Value {
    let mut operation = operation(
        "tasks:answer",
        "Answer questions of a task",
        options,
        [
            (202, task_response("The task. Answers to questions that are not open are ignored.")),
            (400, error_response("The body is not an object, or the query has a parameter.")),
            (403, error_response("Execution is disabled.")),
            (404, error_response(NOT_FOUND)),
            (408, error_response("The body did not arrive in time.")),
            (413, error_response("The body is too large.")),
            (415, error_response("The body is not JSON in UTF-8.")),
        ],
    );
    operation["requestBody"] = json!({
        "description": "Answers by the keys of `inputRequests`, as MCP has them.",
        "required": true,
        "content": {"application/json": {
            "schema": {"type": "object", "additionalProperties": {"type": "object"}},
            "example": {"form-1a2b3c4d": {"action": "accept", "content": {"sure": true}}},
        }},
    });
    operation
}

fn cancel(options: &Options) -> Value {
    operation(
        "tasks:cancel",
        "Cancel a task",
        options,
        [
            (
                202,
                task_response(
                    "The task. If it runs, its function is told within a second, and decides how it ends.",
                ),
            ),
            (400, error_response("The query has a parameter.")),
            (403, error_response("Execution is disabled.")),
            (404, error_response(NOT_FOUND)),
        ],
    )
}

const NOT_FOUND: &str = "The caller has no such task, or it has expired.";

fn operation<const N: usize>(
    id: &str,
    summary: &str,
    options: &Options,
    by_status: [(u16, Value); N],
) -> Value {
    let mut operation = json!({
        "operationId": id,
        "summary": summary,
        "tags": ["tasks"],
        "responses": responses(by_status),
    });
    let unavailable = with_retry_after(error_response("Tasks cannot be reached at the moment."));
    operation["responses"]["503"] = unavailable;
    operation["responses"]["500"] = error_response("Tasks cannot be used; the log has the cause.");
    if options.authenticator.is_some() {
        operation["responses"]["401"] = unauthorized();
        require_caller(&mut operation, options);
    }
    operation
}

fn task_response(description: &str) -> Value {
    with_retry_after(json_response(description, &json!({"$ref": "#/components/schemas/Task"})))
}

/// Returns the schema of a task.
fn schema() -> Value {
    json!({
        "type": "object",
        "description": "A call that a client does not wait for.",
        "properties": {
            "taskId": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "tool": {"type": "string"},
            "status": {"type": "string", "enum": TaskState::ALL.map(TaskState::as_str)},
            "statusMessage": {"type": "string", "description": "The last progress, or why the call failed."},
            "createdAt": {"type": "string", "format": "date-time"},
            "lastUpdatedAt": {"type": "string", "format": "date-time"},
            "ttlMs": {"type": "integer", "description": "How long the task exists, from its creation."},
            "pollIntervalMs": {"type": "integer", "description": "How long to wait before asking again."},
            "attempt": {"type": "integer", "description": "How many attempts have begun."},
            "isCanceled": {"type": "boolean", "const": true, "description": "The task was asked to end, and has not yet."},
            "progress": {
                "type": "object",
                "properties": {
                    "done": {"type": "integer"},
                    "total": {"type": "integer"},
                    "message": {"type": "string"},
                },
                "required": ["done"],
            },
            "inputRequests": {
                "type": "object",
                "description": "Open questions by their keys, as MCP has them.",
                "additionalProperties": {"type": "object"},
            },
            "result": {"type": "object", "description": "The body that the call would have had without a task."},
            "resultStatus": {"type": "integer", "description": "The HTTP status that the call would have had."},
        },
        "required": ["taskId", "tool", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "attempt"],
    })
}

/// Returns the schema of how a tool runs as a task.
fn options_schema() -> Value {
    json!({
        "type": "object",
        "description": "How the tool runs as a task. Absent if it does not.",
        "properties": {
            "support": {
                "type": "string",
                "enum": [TaskSupport::Optional, TaskSupport::Required],
                "description": "Whether callers may run it as a task, or each call is one.",
            },
            "retries": {"type": "integer", "description": "How often its function may begin again."},
            "attemptTimeoutMs": {"type": "integer", "description": "The time limit of each attempt."},
            "ttlMs": {"type": "integer", "description": "How long a task exists, from its creation."},
            "pollIntervalMs": {"type": "integer", "description": "How long to wait before asking again."},
        },
        "required": ["support", "retries", "ttlMs", "pollIntervalMs"],
    })
}
