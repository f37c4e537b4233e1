//! Rejected HTTP requests: a status, and an error of JSON-RPC.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::{ErrorData, JsonRpcError, RequestId};
use tool_core::authentication::AuthenticationError;
use tool_serve::BodyError;

use crate::protocol::{ErrorResponse, no_session_store};
use crate::session_store::SessionStoreError;

/// The largest body of a request, in bytes.
pub(super) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// The rejection of an HTTP request.
#[derive(Debug)]
pub(super) struct Rejection(Box<Details>);

#[derive(Debug)]
struct Details {
    status: StatusCode,
    error: JsonRpcError,
    header: Option<(HeaderName, HeaderValue)>,
    /// Whether the identifier of the error is final, even if there is none.
    is_final: bool,
}

impl Rejection {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Rejection::of(status, ErrorData::invalid_request(message.into(), None))
    }

    pub(super) fn of(status: StatusCode, error: ErrorData) -> Self {
        let error = JsonRpcError::new(None, error);
        Rejection(Box::new(Details { status, error, header: None, is_final: false }))
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Rejection::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
            .with_header(header::ALLOW, HeaderValue::from_static(allowed))
    }

    /// Returns the rejection of a request whose body was not read.
    pub(super) fn unread_body(error: BodyError) -> Self {
        let (status, message) = match error {
            BodyError::Incomplete => return Rejection::bad_request("the body broke off"),
            BodyError::NoMemory => {
                let message = "too many large bodies at once: try again later";
                return Rejection::new(StatusCode::SERVICE_UNAVAILABLE, message).with_retry_after();
            }
            BodyError::TooLarge => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {BODY_LIMIT} bytes"))
            }
            BodyError::Timeout => (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time".to_owned()),
        };
        // The rest of the body is not read, so the connection cannot be reused.
        Rejection::new(status, message).with_header(header::CONNECTION, HeaderValue::from_static("close"))
    }

    /// Adds the identifier of the request, unless that of the error is final.
    pub(super) fn to(mut self, id: impl FnOnce() -> Option<RequestId>) -> Self {
        if self.0.error.id.is_none() && !self.0.is_final {
            self.0.error.id = id();
        }
        self
    }

    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// Adds when the client may try again.
    pub(super) fn with_retry_after(self) -> Self {
        self.with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = (self.0.status, axum::Json(self.0.error)).into_response();
        if let Some((name, value)) = self.0.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

impl From<ErrorData> for Rejection {
    fn from(error: ErrorData) -> Self {
        Rejection::of(StatusCode::BAD_REQUEST, error)
    }
}

impl From<ErrorResponse> for Rejection {
    fn from(response: ErrorResponse) -> Self {
        let (status, error) = (StatusCode::BAD_REQUEST, *response);
        Rejection(Box::new(Details { status, error, header: None, is_final: true }))
    }
}

impl From<AuthenticationError> for Rejection {
    /// Returns 401, or 503 if the authenticator has failed.
    fn from(error: AuthenticationError) -> Self {
        let message = error.to_string();
        if let AuthenticationError::Refused { challenge } = error {
            let rejection = Rejection::new(StatusCode::UNAUTHORIZED, message);
            return rejection.with_header(header::WWW_AUTHENTICATE, challenge);
        }
        Rejection::new(StatusCode::SERVICE_UNAVAILABLE, message).with_retry_after()
    }
}

impl From<SessionStoreError> for Rejection {
    /// Returns 503: the session goes on once the store answers again.
    fn from(error: SessionStoreError) -> Self {
        tracing::warn!(%error, "a request that needs the session store is answered with 503");
        Rejection::of(StatusCode::SERVICE_UNAVAILABLE, no_session_store()).with_retry_after()
    }
}
