//! The challenge for a caller that lacks a permission for a call.

use axum::http::{Response, StatusCode, header};
use tool_core::authentication::Authenticator;

use crate::http::body::{self, ResponseBody};
use crate::protocol::RpcResponse;

/// Returns a response in JSON: 403 with a challenge if the caller lacks a permission that it can get.
pub(super) fn json(
    status: StatusCode,
    response: RpcResponse,
    authenticator: Option<&dyn Authenticator>,
) -> Response<ResponseBody> {
    let lacks: Vec<&str> = response.lacks.iter().map(String::as_str).collect();
    let challenge =
        authenticator.filter(|_| !lacks.is_empty()).and_then(|them| them.insufficient_scope(&lacks));
    let Some(challenge) = challenge else { return body::json(status, response.pieces) };
    let mut response = body::json(StatusCode::FORBIDDEN, response.pieces);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
