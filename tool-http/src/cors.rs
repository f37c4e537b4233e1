//! Which pages of other origins may read the answers.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

/// How long a browser may remember what it was told.
const MAX_AGE: Duration = Duration::from_secs(600);

/// What says so; `None` where no page may.
///
/// # Panics
///
/// When an origin cannot stand in a header.
pub(crate) fn layer(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let origin = |origin: &String| {
        let origin = origin.trim_end_matches('/');
        let valid = origin.starts_with("http://") || origin.starts_with("https://");
        let value = HeaderValue::from_str(origin).ok().filter(|_| valid);
        value.unwrap_or_else(|| {
            panic!("`{origin}` is no origin: give scheme, host and port, as in `https://app.example.org`")
        })
    };
    const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
    Some(
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins.iter().map(origin)))
            .allow_methods([Method::GET, Method::HEAD, Method::POST])
            .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_NONE_MATCH, TRACEPARENT])
            .expose_headers([header::ETAG, header::LINK, header::RETRY_AFTER, header::WWW_AUTHENTICATE])
            .max_age(MAX_AGE),
    )
}
