//! A look at each message before rmcp parses it: what is no message gets a structured error, and the arguments of a
//! call are kept as the client wrote them.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use rmcp::ErrorData;
use rmcp::model::JsonRpcError;

use crate::envelope::{self, Arguments};
use crate::http::BODY_LIMIT;

/// Reads the message of a POST.
///
/// A bad one goes to rmcp as an empty body: rmcp checks the headers first, which decide before the message does, and
/// then answers 415 in plain text, which is replaced.
pub(super) async fn read(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        let message = format!("the body could not be read, or is larger than {BODY_LIMIT} bytes");
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(message, None));
    };
    parts.headers.remove(header::TRANSFER_ENCODING);
    match envelope::inspect(&bytes) {
        Ok(arguments) => {
            if let Some(arguments) = arguments {
                parts.extensions.insert(arguments);
            }
            next.run(Request::from_parts(parts, Body::from(bytes))).await
        }
        Err(error) => {
            let response = next.run(Request::from_parts(parts, Body::empty())).await;
            match response.status() {
                StatusCode::UNSUPPORTED_MEDIA_TYPE => refusal(StatusCode::BAD_REQUEST, error),
                _ => response,
            }
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = |value: &HeaderValue| value.to_str().ok()?.split(';').next().map(|name| name.trim().to_owned());
    headers
        .get(header::CONTENT_TYPE)
        .and_then(essence)
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

/// An error to a message whose `id` nobody knows.
fn refusal(status: StatusCode, error: ErrorData) -> Response {
    (status, axum::Json(JsonRpcError::new(None, error))).into_response()
}
