//! Refusals of rmcp, which are in plain text, as the JSON-RPC errors that they stand for.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use rmcp::model::{ErrorData, JsonRpcError, RequestId};

use crate::http::BODY_LIMIT;
use crate::http::message::{is_json, refusal};
use crate::reading::shortened;

/// Returns the host that a request is for, by its header or, in HTTP/2, by its URI.
pub(super) fn host(headers: &HeaderMap, uri: &Uri) -> Option<HeaderValue> {
    let authority = || HeaderValue::from_str(uri.authority()?.as_str()).ok();
    headers.get(header::HOST).cloned().or_else(authority)
}

/// Returns the response with a body in JSON, if it is an error with a text in it. Its other headers stay.
pub(super) async fn in_json(
    response: Response,
    host: Option<HeaderValue>,
    id: impl FnOnce() -> Option<RequestId>,
) -> Response {
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || is_json(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let text = axum::body::to_bytes(body, BODY_LIMIT).await.unwrap_or_default();
    if text.is_empty() {
        return Response::from_parts(head, Body::empty());
    }
    let text = String::from_utf8_lossy(&text);
    let reason = status.canonical_reason().unwrap_or_default();
    let message = text.strip_prefix(reason).and_then(|text| text.strip_prefix(": ")).unwrap_or(&text);
    let message = if status == StatusCode::FORBIDDEN && message.starts_with("Host ") {
        let host = host.as_ref().map(|host| String::from_utf8_lossy(host.as_bytes()));
        let host = shortened(host.as_deref().unwrap_or_default());
        tracing::warn!(
            host = &*host,
            "a request for another host is refused; if this server is reached by that name, allow it with \
             `tool_mcp::Server::allowed_hosts`"
        );
        "the `Host` of the request is not allowed; the log of the server says how to allow it".into()
    } else {
        shortened(message)
    };
    let error = JsonRpcError::new(id(), ErrorData::invalid_request(message, None));
    let (refused, body) = refusal(status, Box::new(error)).into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.extend(refused.headers);
    Response::from_parts(head, body)
}

#[cfg(test)]
mod tests {
    use axum::extract::Request;

    use super::*;
    use crate::captured_log::CapturedLog;

    #[test]
    fn the_log_says_how_to_allow_a_host() {
        let request = |uri: &str, host: Option<&str>| {
            let request = Request::post(uri);
            let request = host.into_iter().fold(request, |request, host| request.header("host", host));
            request.body(Body::empty()).unwrap()
        };
        for request in [request("/", Some("tools.example")), request("http://tools.example/", None)] {
            let log = CapturedLog::default();
            let refused =
                Response::builder().status(403).body("Forbidden: Host header is not allowed".into());
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let answer = tracing::subscriber::with_default(log.subscriber(), || {
                runtime.block_on(in_json(refused.unwrap(), host(request.headers(), request.uri()), || None))
            });
            assert_eq!(answer.status(), 403);
            let log = log.text();
            assert!(log.contains("`tool_mcp::Server::allowed_hosts`"), "{log}");
            assert!(log.contains(r#"host="tools.example""#), "{log}");
        }
    }
}
