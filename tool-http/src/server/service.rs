//! What a server answers, beside the routes that it shares with a router.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Serialize;

use crate::api::Api;
use crate::error::ApiError;
use crate::json::json;
use crate::request_filter::RequestFilter;
use crate::route::{Route, TimeLimit};
use crate::router;

/// Every route, behind the gate.
pub(super) fn service(api: &Api, request_filter: &Arc<RequestFilter>, limit: Duration) -> Router {
    let health = Router::new().route("/health", get(Route::new("/health", async |_| Ok(health()))));
    // Within its time: none of the layers takes any.
    with_filter(router::routes(api, health).layer(axum::Extension(TimeLimit(limit))), request_filter)
}

/// What a connection beyond the limit is answered.
pub(super) fn overload_service(request_filter: &Arc<RequestFilter>) -> Router {
    let router = Router::new()
        .route("/health", get(async || health()))
        .fallback(async || ApiError::TooManyConnections);
    with_filter(router, request_filter)
}

/// That the server is there. It asks nobody: a provider that is down is no reason to start the server anew.
fn health() -> Response {
    #[derive(Serialize)]
    struct Health {
        status: &'static str,
    }
    let mut response = json(StatusCode::OK, &Health { status: "ok" });
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Every route behind the gate; a browser is told not to guess what an answer is.
fn with_filter(router: Router, request_filter: &Arc<RequestFilter>) -> Router {
    let request_filter = Arc::clone(request_filter);
    router.layer(from_fn(move |request: Request, next: Next| {
        let request_filter = Arc::clone(&request_filter);
        async move {
            let mut response: Response = match request_filter.check(&request) {
                Ok(()) => next.run(request).await,
                Err(error) => error.into_response(),
            };
            let nosniff = HeaderValue::from_static("nosniff");
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
            response
        }
    }))
}
