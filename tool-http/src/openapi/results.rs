//! The operation that reads a stored result.

use serde_json::{Value, json};

use crate::openapi::components::{error_response, unauthorized};
use crate::openapi::{require_caller, responses};
use crate::options::Options;

/// Returns the path item of `GET /results/{digest}`.
pub(super) fn path(options: &Options) -> Value {
    let content = any_content();
    let mut operation = json!({
        "operationId": "results:read",
        "summary": "Read a large result",
        "tags": ["discovery"],
        "parameters": [
            query("lines", "Which lines, from 1 on: `10-20`, `10-`, `-10`. With `search`, where to look."),
            query("bytes", "Which bytes, from 0 on, as `0-999`. `Range` does the same."),
            query("search", "A text that the lines have, whatever the case of its letters."),
        ],
        "responses": responses([
            (200, json!({"description": "The result, or the part of it that the query asks for.", "content": content})),
            (206, json!({"description": "The bytes that `Range` asks for.", "content": content})),
            (304, json!({"description": "Nothing has changed: it never does."})),
            (400, error_response("A parameter is not known, or asks for nothing that there could be.")),
            (404, error_response("The caller has no such result, or not any more.")),
            (416, error_response("The result is shorter.")),
            (503, error_response("Results cannot be read at the moment.")),
        ]),
    });
    if options.authenticator.is_some() {
        operation["responses"]["401"] = unauthorized();
        require_caller(&mut operation, options);
    }
    json!({
        "parameters": [{
            "name": "digest",
            "in": "path",
            "required": true,
            "description": "The digest of the result, as the call that came to it says.",
            "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        }],
        "get": operation,
    })
}

/// Returns content of any media type. Clients for which `*/*` is not a media type read it as text.
pub(super) fn any_content() -> Value {
    json!({"text/plain": {"schema": {"type": "string"}}, "*/*": {"schema": {}}})
}

fn query(name: &str, description: &str) -> Value {
    json!({"name": name, "in": "query", "description": description, "schema": {"type": "string"}})
}

/// Returns the schema of the excerpt that replaces structured content that is too large.
pub(super) fn excerpt() -> Value {
    json!({
        "type": "object",
        "description": "The beginning of a result that is too large, and where the whole is.",
        "properties": {
            "preview": {"type": "string"},
            "mediaType": {"type": "string"},
            "bytes": {"type": "integer"},
            "lines": {"type": "integer"},
            "digest": {"type": "string", "description": "Absent where the rest could not be kept."},
            "location": {"type": "string", "format": "uri-reference"},
        },
        "required": ["preview", "mediaType", "bytes"],
    })
}
