//! Components that several operations share.

use serde_json::{Map, Value, json};

use crate::discovery::MAX_NAMED;

/// Returns the schemas that belong to no tool. Their names have no dot, unlike those of tools' schemas.
pub(super) fn schemas() -> Map<String, Value> {
    let Value::Object(schemas) = json!({
        "Error": {
            "type": "object",
            "description": "Why there is no other answer. `kind` and what follows it are there where a call was refused.",
            "properties": {
                "error": {"type": "string"},
                "kind": {"type": "string"},
                "retryable": {"type": "boolean", "description": "Whether trying again can help."},
                "retryAfterSeconds": {"type": "integer", "description": "In how many seconds trying again makes sense."},
                "problems": {"type": "array", "items": {"$ref": "#/components/schemas/Problem"}},
                "example": {"type": "object", "description": "Arguments that are valid."},
                "_meta": {"$ref": "#/components/schemas/Meta"},
            },
            "required": ["error"],
        },
        "Problem": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The place, as a JSON Pointer (RFC 6901)."},
                "message": {"type": "string"},
                "keyword": {"type": "string", "description": "The keyword of JSON Schema that is not satisfied."},
                "suggestion": {"type": "string", "description": "What was probably meant."},
            },
            "required": ["path", "message", "keyword"],
        },
        "Meta": {
            "type": "object",
            "properties": {
                "callId": {"type": "string", "description": "What the log calls this call."},
            },
            "description": "The call, and what the tool adds.",
            "required": ["callId"],
        },
        "Content": {
            "type": "object",
            "description": "A text, an image, a sound, a link to a resource or a resource, as MCP has them.",
            "properties": {
                "type": {"type": "string", "enum": ["text", "image", "audio", "resource_link", "resource"]},
                "text": {"type": "string", "description": "The text."},
                "data": {"type": "string", "description": "The bytes of an image or a sound, in Base64."},
                "mimeType": {"type": "string", "description": "The media type of an image, a sound or a linked resource."},
                "uri": {"type": "string", "description": "The URI of a linked resource."},
                "name": {"type": "string", "description": "The name of a linked resource."},
                "resource": {"type": "object", "description": "The embedded resource."},
            },
            "required": ["type"],
        },
        "Failure": {
            "type": "object",
            "description": "The tool ran, and failed.",
            "properties": {
                "content": {"type": "array", "items": {"$ref": "#/components/schemas/Content"}},
                "isError": {"type": "boolean", "const": true},
                "_meta": {"$ref": "#/components/schemas/Meta"},
            },
            "required": ["content", "isError", "_meta"],
        },
        "CallError": {
            "description": "The tool failed, or was not called.",
            "oneOf": [{"$ref": "#/components/schemas/Failure"}, {"$ref": "#/components/schemas/Error"}],
        },
        "Verdict": {
            "type": "object",
            "properties": {
                "valid": {"type": "boolean"},
                "errors": {"type": "array", "items": {"$ref": "#/components/schemas/Problem"}},
                "repairs": {"type": "array", "items": {"type": "object"}},
            },
            "required": ["valid"],
        },
        "Annotations": {
            "type": "object",
            "properties": {
                "readOnlyHint": {"type": "boolean"},
                "destructiveHint": {"type": "boolean"},
                "idempotentHint": {"type": "boolean"},
                "openWorldHint": {"type": "boolean"},
            },
        },
        "Requirements": {
            "type": "object",
            "properties": {
                "met": {"type": "boolean"},
                "message": {"type": "string"},
            },
            "required": ["met"],
        },
        "Deprecated": {
            "type": "object",
            "properties": {"since": {"type": "string"}, "note": {"type": "string"}},
        },
        "Summary": {
            "type": "object",
            "properties": summary_properties(json!({})),
            "required": ["name", "description"],
        },
        "Tool": {
            "type": "object",
            "properties": summary_properties(json!({
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object"},
                "modifying": {"type": "boolean"},
                "idempotent": {"type": "boolean"},
                "permission": {"type": "string"},
                "examples": {"type": "array", "items": {"type": "object"}},
                "meta": {"type": "object", "description": "Metadata of the application."},
                "digest": {"type": "string"},
            })),
            "required": ["name", "description", "inputSchema", "digest"],
        },
    }) else {
        return Map::new();
    };
    schemas
}

/// Returns the properties of a tool in a list, and `more`.
fn summary_properties(more: Value) -> Value {
    let mut properties = json!({
        "name": {"type": "string"},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "annotations": {"$ref": "#/components/schemas/Annotations"},
        "operation": {"type": "string", "enum": ["explain", "read", "transform", "trigger", "write"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "deprecated": {"$ref": "#/components/schemas/Deprecated"},
        "requirements": {"$ref": "#/components/schemas/Requirements"},
    });
    if let (Value::Object(properties), Value::Object(more)) = (&mut properties, more) {
        properties.extend(more);
    }
    properties
}

pub(super) fn headers() -> Value {
    json!({
        "ETag": {
            "description": "Stands for the answer: sent back in `If-None-Match`, it is answered 304 while nothing has changed.",
            "schema": {"type": "string"},
        },
        "Link": {
            "description": "Where the next page is, with `rel=\"next\"`; absent on the last.",
            "schema": {"type": "string"},
        },
        "RetryAfter": {
            "description": "In how many seconds trying again makes sense.",
            "schema": {"type": "integer"},
        },
        "ToolsSkipped": {
            "description": format!(
                "The names of the tools that the vendor of `profile` cannot take, by commas; absent when it takes all. \
                 After {MAX_NAMED} stands how many more there are, as in `+12`."
            ),
            "schema": {"type": "string"},
        },
        "WWWAuthenticate": {
            "description": "How to say who calls.",
            "schema": {"type": "string"},
        },
    })
}

/// Returns the response for an error.
pub(super) fn error_response(description: &str) -> Value {
    json!({
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    })
}

/// Adds `Retry-After` to a response.
pub(super) fn with_retry_after(mut response: Value) -> Value {
    response["headers"] = json!({"Retry-After": {"$ref": "#/components/headers/RetryAfter"}});
    response
}

/// Returns a JSON response with this schema.
pub(super) fn json_response(description: &str, schema: &Value) -> Value {
    json!({
        "description": description,
        "content": {"application/json": {"schema": schema}},
    })
}

/// Returns the schema of one event in a stream, whose data is JSON.
pub(super) fn event_schema(names: &[&str]) -> Value {
    // Clients that know no events read the whole stream as text.
    json!({"anyOf": [{"type": "string"}, {
        "type": "object",
        "properties": {
            "event": {"type": "string", "enum": names},
            "id": {"type": "string"},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
        "required": ["event", "data"],
    }]})
}

/// Returns the response for missing or invalid credentials.
pub(super) fn unauthorized() -> Value {
    let mut response = error_response("The caller is not known.");
    response["headers"] = json!({"WWW-Authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}});
    response
}
