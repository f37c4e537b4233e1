//! What is answered without the tool: one cause a variant, each with its status, all in the shape `{"error": …}`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tool_core::profile::ProfileError;

use crate::json::json;

/// Why a request did not get as far as a tool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("Tool execution is disabled.")]
    ExecutionOff,
    #[error("Unauthorized")]
    Unauthorized { challenge: HeaderValue },
    #[error("who calls cannot be found out at the moment")]
    IdentityUnknown,
    #[error("Internal error discovering tools")]
    Discovery,
    #[error("internal error")]
    Internal,
    #[error("Tool not found: {0}")]
    ToolNotFound(String),
    #[error("{0}")]
    InputNotFound(String),
    #[error("Result not found: {0}")]
    ResultNotFound(String),
    #[error("results cannot be read at the moment")]
    Results,
    #[error("{message}")]
    Range { message: String, length: usize },
    #[error("the name of the tool in the path is not UTF-8")]
    NameNotText,
    #[error("Not found")]
    NoRoute,
    #[error("Method not allowed")]
    Method,
    #[error("Method not allowed")]
    Tunnel,
    #[error("{0}")]
    Query(String),
    #[error("unknown cursor `{0}`: none of the tools that were found has this name")]
    Cursor(String),
    #[error("{0}")]
    Profile(ProfileError),
    #[error("the arguments must be sent as `application/json`{got}")]
    MediaType { got: String },
    #[error("the arguments must be sent in UTF-8, not in `{0}`")]
    Charset(String),
    #[error(
        "the body must be `{{\"argument\":{{\"name\":…,\"value\":…}}}}`, with `context` for what was given for other inputs: {0}"
    )]
    Body(String),
    #[error("a body in the content coding `{0}` is not accepted")]
    Coding(String),
    #[error("`Accept-Encoding` excludes every coding of the answer: accept `identity` or `gzip`")]
    NotAcceptable,
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the body did not arrive in time")]
    TooSlow,
    #[error("the body broke off")]
    BrokenOff,
    #[error("the request was not answered in time")]
    TooLate,
    #[error("too many connections")]
    Full,
    #[error("the request must have exactly one valid `Host`")]
    Host,
    #[error("this server does not answer for the host `{0}`")]
    HostNotAllowed(String),
    #[error("requests from other sites are not accepted")]
    CrossSite,
}

impl Refusal {
    /// Nobody has said who sends the request, and nobody is there who could be told.
    pub(crate) fn unauthorized() -> Self {
        Refusal::Unauthorized { challenge: HeaderValue::from_static("Bearer") }
    }

    fn status(&self) -> StatusCode {
        match self {
            Refusal::ExecutionOff | Refusal::HostNotAllowed(_) | Refusal::CrossSite => StatusCode::FORBIDDEN,
            Refusal::Unauthorized { .. } => StatusCode::UNAUTHORIZED,
            Refusal::IdentityUnknown | Refusal::Full | Refusal::Results => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Discovery | Refusal::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Refusal::ToolNotFound(_)
            | Refusal::InputNotFound(_)
            | Refusal::ResultNotFound(_)
            | Refusal::NoRoute
            | Refusal::Cursor(_) => StatusCode::NOT_FOUND,
            Refusal::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Refusal::Range { .. } => StatusCode::RANGE_NOT_SATISFIABLE,
            Refusal::Profile(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Refusal::TooLate => StatusCode::GATEWAY_TIMEOUT,
            Refusal::NameNotText
            | Refusal::Query(_)
            | Refusal::Body(_)
            | Refusal::BrokenOff
            | Refusal::Host => StatusCode::BAD_REQUEST,
            Refusal::Method | Refusal::Tunnel => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::MediaType { .. } | Refusal::Charset(_) | Refusal::Coding(_) => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Refusal::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::TooSlow => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

/// The shape of an error of which no more is told than its message.
#[derive(Serialize)]
pub(crate) struct Message<'m> {
    pub(crate) error: &'m str,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = json(self.status(), &Message { error: &self.to_string() });
        match self {
            // Of any other method the router knows better what is allowed.
            Refusal::Tunnel => {
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD,POST"));
            }
            // RFC 9110, section 15.5.16: what would have been accepted.
            Refusal::Coding(_) => {
                response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            }
            // RFC 9110, section 15.5.2: how to say it.
            Refusal::Unauthorized { challenge } => {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            // RFC 9110, section 15.5.17: how much there is.
            Refusal::Range { length, .. } => {
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{length}")) {
                    response.headers_mut().insert(header::CONTENT_RANGE, value);
                }
            }
            Refusal::IdentityUnknown | Refusal::Results => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Refusal::Full => {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // The rest of the body is not read: the connection is of no more use.
            Refusal::TooSlow | Refusal::TooLarge { .. } => {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
