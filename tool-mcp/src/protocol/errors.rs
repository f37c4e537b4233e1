//! Errors that several requests are answered with.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::json;

use crate::protocol::in_flight::MOST_REQUESTS;
use crate::protocol::subscribed_uris::MOST_SUBSCRIBED;

/// The result of a request.
pub(crate) type RpcResult<T> = Result<T, ErrorData>;

pub(crate) fn invalid_params(message: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// Returns the error of an unknown method.
pub(crate) fn method_not_found(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

/// Returns an error without details, which are in the log.
pub(crate) fn internal_error() -> ErrorData {
    ErrorData::internal_error("internal error", None)
}

/// Returns the error of an unknown URI. The code depends on the era, see [`RpcResponse`](super::RpcResponse).
pub(crate) fn resource_not_found(uri: &str) -> ErrorData {
    let message = format!("Resource not found: {}", shortened(uri));
    ErrorData::resource_not_found(message, Some(json!({"uri": uri})))
}

/// Returns the error of a request of a client that has too many already.
pub(crate) fn too_many_requests() -> ErrorData {
    let message =
        format!("{MOST_REQUESTS} requests are not answered yet, or their answers not read: try again");
    ErrorData::internal_error(message, Some(json!({"retryable": true})))
}

/// Returns the error of a request that would open another session, while all others are in use.
pub(crate) fn too_many_sessions() -> ErrorData {
    let retry = json!({"retryable": true, "retryAfterSeconds": 1});
    ErrorData::internal_error("too many sessions are in use: try again, or end some with DELETE", Some(retry))
}

/// Returns the error of a client that subscribes to too many resources, whose URIs may have this many bytes.
pub(crate) fn too_many_subscriptions(bytes: usize) -> ErrorData {
    invalid_params(format!(
        "a client can subscribe to at most {MOST_SUBSCRIBED} resources, whose URIs have at most {bytes} bytes: \
         unsubscribe from some"
    ))
}

/// Returns the error of a request whose session store fails.
pub(crate) fn no_session_store() -> ErrorData {
    let retry = json!({"retryable": true, "retryAfterSeconds": 1});
    ErrorData::internal_error("the store of the sessions does not answer: try again", Some(retry))
}

/// Returns the error of a client that is too old for a server without sessions.
pub(crate) fn legacy_refused(supported: &[ProtocolVersion]) -> ErrorData {
    let message = "this server has no sessions and does not answer `initialize`: use a client of MCP 2026-07-28 or later";
    ErrorData::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, message, Some(json!({"supported": supported})))
}

/// Returns the error of a request during shutdown. Another process may answer it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_failed_and_when_to_try_again() {
        let again = json!({"retryable": true, "retryAfterSeconds": 1});
        for (error, message, data) in [
            (internal_error(), "internal error", None),
            (
                too_many_sessions(),
                "too many sessions are in use: try again, or end some with DELETE",
                Some(&again),
            ),
            (no_session_store(), "the store of the sessions does not answer: try again", Some(&again)),
            (shutting_down(), "the server is shutting down: try again", Some(&again)),
        ] {
            assert_eq!((error.code, &*error.message), (ErrorCode::INTERNAL_ERROR, message));
            assert_eq!(error.data.as_ref(), data, "{message}");
        }
    }
}
