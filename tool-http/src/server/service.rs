//! The services of a server: its routes with their checks, and the response over the connection limit.

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
use crate::resource_metadata;
use crate::route::{Route, TimeLimit};
use crate::router;

/// Returns all routes behind the request filter.
pub(super) fn service(api: &Api, request_filter: &Arc<RequestFilter>, limit: Duration) -> Router {
    let health = Router::new().route("/health", get(Route::new("/health", async |_| Ok(health()))));
    // The outer layers need no time limit, because they do not wait.
    let tools = router::routes(api, health).layer(axum::Extension(TimeLimit(limit)));
    with_filter(tools, request_filter).merge(metadata(api, request_filter))
}

/// Returns the metadata of the authenticator, which pages of other origins may read.
fn metadata(api: &Api, request_filter: &Arc<RequestFilter>) -> Router {
    let Some(authenticator) = &api.options().authenticator else { return Router::new() };
    let request_filter = Arc::clone(request_filter);
    let router = resource_metadata::router(api.provider().clone(), Arc::clone(authenticator));
    router.layer(from_fn(move |request: Request, next: Next| {
        let request_filter = Arc::clone(&request_filter);
        async move {
            match request_filter.check_hosts(&request) {
                Ok(_) => next.run(request).await,
                Err(error) => error.into_response(),
            }
        }
    }))
}

/// Returns the service for connections over the limit.
pub(super) fn overload_service(request_filter: &Arc<RequestFilter>) -> Router {
    let router = Router::new()
        .route("/health", get(async || health()))
        .fallback(async || ApiError::TooManyConnections);
    with_filter(router, request_filter)
}

/// Returns that the server is running. It ignores the provider: restarting the server would not repair that.
fn health() -> Response {
    #[derive(Serialize)]
    struct Health {
        status: &'static str,
    }
    let mut response = json(StatusCode::OK, &Health { status: "ok" });
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Adds the request filter, and disables content sniffing.
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
