//! Errors outside of tools: each has a status, and a body of the form `{"error": …}`.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tool_core::profile::ProfileError;

use crate::json::json;

/// An error of a request that did not reach a tool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("Tool execution is disabled.")]
    ExecutionDisabled,
    #[error("Unauthorized")]
    Unauthorized { challenge: HeaderValue },
    #[error("authentication is unavailable at the moment")]
    AuthenticationUnavailable,
    #[error("Internal error discovering tools")]
    Discovery,
    #[error("internal error")]
    Internal,
    /// The message of the failure that the call would have.
    #[error("{0}")]
    ToolNotFound(String),
    #[error("{reason}: call it with POST /tools/{tool}/call")]
    NotReadable { tool: String, reason: String },
    #[error("{0}")]
    InputNotFound(String),
    #[error("Result not found: {0}")]
    ResultNotFound(String),
    #[error("results cannot be read at the moment")]
    ResultsUnavailable,
    #[error("{message}")]
    RangeNotSatisfiable { message: String, length: usize },
    /// The task does not exist, belongs to somebody else, or has expired.
    #[cfg(feature = "tasks")]
    #[error("Task not found")]
    TaskNotFound,
    /// The database of the tasks does not answer.
    #[cfg(feature = "tasks")]
    #[error("tasks cannot be reached at the moment")]
    TasksUnavailable,
    /// The database of the tasks cannot be used.
    #[cfg(feature = "tasks")]
    #[error("tasks cannot be used; the log has the cause")]
    TasksUnusable,
    /// The answers to a task are not a JSON object.
    #[cfg(feature = "tasks")]
    #[error(
        "the body must be `{{\"KEY\":{{\"action\":\"accept\",\"content\":{{…}}}}}}`, with the keys of `inputRequests`: {0}"
    )]
    InvalidAnswers(String),
    /// The header `Idempotency-Key` is invalid.
    #[error("`Idempotency-Key` must be given once, as a string of 1 to 255 printable ASCII characters")]
    InvalidIdempotencyKey,
    /// A modifying call has a key, and is not a task.
    #[error(
        "`{0}` does not run as a task, so that `Idempotency-Key` cannot keep it from running twice: leave it out"
    )]
    IdempotencyKeyUnsupported(String),
    /// The key belongs to a call with other arguments.
    #[cfg(feature = "tasks")]
    #[error("this `Idempotency-Key` belongs to a call with other arguments: use another one")]
    IdempotencyKeyReused,
    /// The call with the key still runs.
    #[cfg(feature = "tasks")]
    #[error("the call with this `Idempotency-Key` still runs: try again later")]
    IdempotencyKeyInUse,
    /// The name of the tool is not UTF-8.
    #[error("the name of the tool in the path is not UTF-8")]
    NameNotUtf8,
    #[error("{0}")]
    InvalidAddress(String),
    #[error("Not found")]
    RouteNotFound,
    #[error("Method not allowed")]
    MethodNotAllowed,
    #[error("Method not allowed")]
    ConnectNotAllowed,
    #[error("{0}")]
    InvalidQuery(String),
    #[error("unknown cursor `{0}`: none of the tools that were found has this name")]
    UnknownCursor(String),
    #[error("{0}")]
    Profile(ProfileError),
    #[error("the arguments must be sent as `application/json`{got}")]
    MediaType { got: String },
    #[error("the arguments must be sent in UTF-8, not in `{0}`")]
    Charset(String),
    #[error(
        "the body must be `{{\"argument\":{{\"name\":…,\"value\":…}}}}`, with `context` for what was given for other inputs: {0}"
    )]
    InvalidBody(String),
    #[error("a body in the content coding `{0}` is not accepted")]
    ContentCoding(String),
    #[error("`Accept-Encoding` excludes every coding of the answer: accept `identity` or `gzip`")]
    NotAcceptable,
    #[error("the body is larger than {limit} bytes")]
    BodyTooLarge { limit: usize },
    #[error("the body did not arrive in time")]
    BodyTimeout,
    #[error("the body broke off")]
    BodyIncomplete,
    #[error("the request was not answered in time")]
    RequestTimeout,
    #[error("too many connections")]
    TooManyConnections,
    #[error("too many large bodies at once: try again later")]
    TooManyBodies,
    #[error("the request must have exactly one valid `Host`")]
    InvalidHost,
    #[error("this server does not answer for the host `{0}`")]
    HostNotAllowed(String),
    #[error("requests from other sites are not accepted")]
    CrossSite,
}

impl ApiError {
    /// Returns the error for a request without a caller, if there is no authenticator.
    pub(crate) fn unauthorized() -> Self {
        ApiError::Unauthorized { challenge: HeaderValue::from_static("Bearer") }
    }

    fn status(&self) -> StatusCode {
        match self {
            ApiError::ExecutionDisabled | ApiError::HostNotAllowed(_) | ApiError::CrossSite => {
                StatusCode::FORBIDDEN
            }
            ApiError::Unauthorized { .. } => StatusCode::UNAUTHORIZED,
            ApiError::AuthenticationUnavailable
            | ApiError::TooManyConnections
            | ApiError::TooManyBodies
            | ApiError::ResultsUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Discovery | ApiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ApiError::ToolNotFound(_)
            | ApiError::NotReadable { .. }
            | ApiError::InputNotFound(_)
            | ApiError::ResultNotFound(_)
            | ApiError::RouteNotFound
            | ApiError::UnknownCursor(_) => StatusCode::NOT_FOUND,
            #[cfg(feature = "tasks")]
            ApiError::TaskNotFound => StatusCode::NOT_FOUND,
            #[cfg(feature = "tasks")]
            ApiError::TasksUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            #[cfg(feature = "tasks")]
            ApiError::TasksUnusable => StatusCode::INTERNAL_SERVER_ERROR,
            #[cfg(feature = "tasks")]
            ApiError::InvalidAnswers(_) => StatusCode::BAD_REQUEST,
            #[cfg(feature = "tasks")]
            ApiError::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            #[cfg(feature = "tasks")]
            ApiError::IdempotencyKeyInUse => StatusCode::CONFLICT,
            ApiError::InvalidIdempotencyKey | ApiError::IdempotencyKeyUnsupported(_) => {
                StatusCode::BAD_REQUEST
            }
            ApiError::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            ApiError::RangeNotSatisfiable { .. } => StatusCode::RANGE_NOT_SATISFIABLE,
            ApiError::Profile(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::RequestTimeout => StatusCode::GATEWAY_TIMEOUT,
            ApiError::NameNotUtf8
            | ApiError::InvalidAddress(_)
            | ApiError::InvalidQuery(_)
            | ApiError::InvalidBody(_)
            | ApiError::BodyIncomplete
            | ApiError::InvalidHost => StatusCode::BAD_REQUEST,
            ApiError::MethodNotAllowed | ApiError::ConnectNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::MediaType { .. } | ApiError::Charset(_) | ApiError::ContentCoding(_) => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            ApiError::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

/// The body of an error that has only a message.
#[derive(Serialize)]
pub(crate) struct ErrorBody<'m> {
    pub(crate) error: &'m str,
}

/// Keeps an error out of caches, which may store a 404, and often store others: it can depend on the caller and the time.
pub(crate) fn forbid_storing(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json(self.status(), &ErrorBody { error: &self.to_string() });
        forbid_storing(response.headers_mut());
        match self {
            // For other methods, the router sets `Allow`.
            ApiError::ConnectNotAllowed => {
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD,POST"));
            }
            // RFC 9110, section 15.5.16: the accepted codings.
            ApiError::ContentCoding(_) => {
                response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
            // RFC 9110, section 15.5.2: how to authenticate.
            ApiError::Unauthorized { challenge } => {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            // RFC 9110, section 15.5.17: the full length.
            ApiError::RangeNotSatisfiable { length, .. } => {
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{length}")) {
                    response.headers_mut().insert(header::CONTENT_RANGE, value);
                }
            }
            ApiError::AuthenticationUnavailable | ApiError::ResultsUnavailable => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            #[cfg(feature = "tasks")]
            ApiError::TasksUnavailable | ApiError::IdempotencyKeyInUse => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            ApiError::TooManyConnections | ApiError::TooManyBodies => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // The rest of the body is not read, so the connection cannot be reused.
            ApiError::BodyTimeout | ApiError::BodyTooLarge { .. } => {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
