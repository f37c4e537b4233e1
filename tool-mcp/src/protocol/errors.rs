//! Errors that several requests answer with.

use rmcp::ErrorData;
use serde_json::json;

/// No resource has this URI. The code depends on the era, see [`Response`](super::Response).
pub(crate) fn resource_not_found(uri: &str) -> ErrorData {
    let message = format!("Resource not found: {}", shortened(uri));
    ErrorData::resource_not_found(message, Some(json!({"uri": uri})))
}

/// The server ends. Another process may answer the request.
pub(crate) fn shutting_down() -> ErrorData {
    let retry = json!({"retryable": true, "retryAfterSeconds": 1});
    ErrorData::internal_error("the server is shutting down: try again", Some(retry))
}

/// Returns the first 256 characters of a text from outside.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(256) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
