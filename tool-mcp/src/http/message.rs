//! A look at each message before rmcp parses it: what is no message gets a structured error, and the arguments of a
//! call are kept as the client wrote them.

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::envelope::{self, Inspected, Kind, Refusal};
use crate::http::BODY_LIMIT;
use crate::http::direct::{Direct, METHOD};
use crate::http::sessions::SESSION;

/// Reads the message of a POST.
///
/// A bad one goes to rmcp as an empty body: rmcp checks the headers first, which decide before the message does, and
/// then answers 415 in plain text, as it does to a message of a shape that it does not know. That answer is replaced.
pub(super) async fn read(State(direct): State<Direct>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        let message = format!("the body could not be read, or is larger than {BODY_LIMIT} bytes");
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, envelope::invalid_request(&message));
    };
    if let Some(response) = direct.answer(&parts, &bytes).await {
        return response;
    }
    let (body, Inspected { arguments, .. }, defect) = match envelope::inspect(&bytes) {
        Ok(inspected) => (Body::from(trimmed(bytes, &inspected, &parts.headers)), inspected, None),
        Err(defect) => (Body::empty(), Inspected::default(), Some(defect)),
    };
    let mut request = Request::from_parts(parts, body);
    if let Some(arguments) = arguments {
        request.extensions_mut().insert(arguments);
    }
    let response = next.run(request).await;
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            refusal(StatusCode::BAD_REQUEST, defect.unwrap_or_else(envelope::unreadable))
        }
        _ => response,
    }
}

/// The message for rmcp: without the arguments of a call, unless headers may have to repeat them.
fn trimmed(bytes: Bytes, inspected: &Inspected, headers: &HeaderMap) -> Bytes {
    let in_session = headers.contains_key(SESSION) && !headers.contains_key(METHOD);
    let arguments = inspected.arguments.as_ref().filter(|_| in_session && inspected.kind == Kind::Call);
    arguments.and_then(|arguments| arguments.left_out_of(&bytes)).unwrap_or(bytes)
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence =
        |value: &HeaderValue| value.to_str().ok()?.split(';').next().map(|name| name.trim().to_owned());
    headers
        .get(header::CONTENT_TYPE)
        .and_then(essence)
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

pub(super) fn refusal(status: StatusCode, error: Refusal) -> Response {
    (status, axum::Json(error)).into_response()
}
