//! Requests that are refused: a status, and an error of JSON-RPC.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::{ErrorData, JsonRpcError, RequestId};

use crate::protocol;

/// Why a request over HTTP is refused.
#[derive(Debug)]
pub(super) struct Rejection(Box<Details>);

#[derive(Debug)]
struct Details {
    status: StatusCode,
    error: JsonRpcError,
    header: Option<(HeaderName, HeaderValue)>,
    /// Whether the error has no identifier on purpose.
    is_nameless: bool,
}

impl Rejection {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Rejection::of(status, ErrorData::invalid_request(message.into(), None))
    }

    pub(super) fn of(status: StatusCode, error: ErrorData) -> Self {
        let error = JsonRpcError::new(None, error);
        Rejection(Box::new(Details { status, error, header: None, is_nameless: false }))
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Rejection::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn header_mismatch(message: impl Into<String>) -> Self {
        Rejection::of(StatusCode::BAD_REQUEST, ErrorData::header_mismatch(message.into(), None))
    }

    pub(super) fn not_found() -> Self {
        Rejection::new(StatusCode::NOT_FOUND, "Session not found")
    }

    pub(super) fn session_required() -> Self {
        Rejection::bad_request("Session ID is required")
    }

    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
            .with_header(header::ALLOW, HeaderValue::from_static(allowed))
    }

    /// Adds the identifier of the request, unless the error has one or is to have none.
    pub(super) fn to(mut self, id: impl FnOnce() -> Option<RequestId>) -> Self {
        if self.0.error.id.is_none() && !self.0.is_nameless {
            self.0.error.id = id();
        }
        self
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = (self.0.status, axum::Json(self.0.error)).into_response();
        if let Some((name, value)) = self.0.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A message that cannot be read.
impl From<protocol::Rejection> for Rejection {
    fn from(rejection: protocol::Rejection) -> Self {
        let (status, error) = (StatusCode::BAD_REQUEST, *rejection);
        Rejection(Box::new(Details { status, error, header: None, is_nameless: true }))
    }
}
