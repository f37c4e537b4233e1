//! A public JSON document.

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, Method, Response, StatusCode};
use http_body_util::Full;

/// Returns the response to a request for a public JSON document, which pages of every origin may read and everybody may cache
/// for an hour. Without a document, which is not available at the moment, it is 503.
///
/// ```
/// use http::Method;
/// use tool_serve::public_document;
///
/// let response = public_document(&Method::GET, Some("{}".into()));
/// assert_eq!(response.headers()["access-control-allow-origin"], "*");
/// assert_eq!(public_document(&Method::POST, Some("{}".into())).status(), 405);
/// assert_eq!(public_document(&Method::GET, None).status(), 503);
/// ```
pub fn public_document(method: &Method, document: Option<Bytes>) -> Response<Full<Bytes>> {
    let mut headers = HeaderMap::new();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    let (status, body) = match (method, document) {
        (&Method::OPTIONS, _) => {
            set(header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD");
            // Clients of MCP add the version of the protocol.
            set(header::ACCESS_CONTROL_ALLOW_HEADERS, "*");
            set(header::ACCESS_CONTROL_MAX_AGE, "3600");
            (StatusCode::NO_CONTENT, Bytes::new())
        }
        (&(Method::GET | Method::HEAD), Some(document)) => {
            set(header::CONTENT_TYPE, "application/json");
            set(header::CACHE_CONTROL, "public, max-age=3600");
            // The server leaves out the body of the response to `HEAD`, and sets its length.
            (StatusCode::OK, document)
        }
        (&(Method::GET | Method::HEAD), None) => {
            set(header::RETRY_AFTER, "1");
            (StatusCode::SERVICE_UNAVAILABLE, Bytes::new())
        }
        _ => {
            set(header::ALLOW, "GET, HEAD, OPTIONS");
            (StatusCode::METHOD_NOT_ALLOWED, Bytes::new())
        }
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
