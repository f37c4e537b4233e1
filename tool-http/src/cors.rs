//! Cross-origin access (CORS).

use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::discovery::TOOLS_SKIPPED;
use crate::origin::Origin;

/// How long a browser may cache a preflight response.
const MAX_AGE: Duration = Duration::from_secs(600);

/// Returns the CORS layer; `None` if no origin is allowed.
///
/// # Panics
///
/// Panics if an origin is invalid.
pub(crate) fn layer(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let origin = |text: &String| {
        Origin::from_config(text).unwrap_or_else(|| {
            panic!("`{text}` is no origin: give scheme, host and port, as in `https://app.example.org`")
        })
    };
    let origins: Vec<Origin> = origins.iter().map(origin).collect();
    let allowed = move |origin: &HeaderValue, _: &Parts| {
        origin.to_str().ok().and_then(Origin::parse).is_some_and(|origin| origins.contains(&origin))
    };
    const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
    Some(
        CorsLayer::new()
            .allow_origin(AllowOrigin::predicate(allowed))
            .allow_methods([Method::GET, Method::HEAD, Method::POST])
            .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_NONE_MATCH, TRACEPARENT])
            .expose_headers([
                header::ETAG,
                header::LINK,
                header::RETRY_AFTER,
                header::WWW_AUTHENTICATE,
                TOOLS_SKIPPED,
            ])
            .max_age(MAX_AGE),
    )
}
