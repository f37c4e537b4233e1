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
use crate::gate::Gate;
use crate::json::json;
use crate::refusal::Refusal;
use crate::route::{Route, TimeLimit};
use crate::router;

/// Every route, behind the gate.
pub(super) fn serving(api: &Api, gate: &Arc<Gate>, limit: Duration) -> Router {
    let health = Router::new().route("/health", get(Route::new("/health", async |_| Ok(health()))));
    // Within its time: none of the layers takes any.
    guarded(router::routes(api, health).layer(axum::Extension(TimeLimit(limit))), gate)
}

/// What a connection beyond the limit is answered.
pub(super) fn refusing(gate: &Arc<Gate>) -> Router {
    let router = Router::new().route("/health", get(async || health())).fallback(async || Refusal::Full);
    guarded(router, gate)
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
fn guarded(router: Router, gate: &Arc<Gate>) -> Router {
    let gate = Arc::clone(gate);
    router.layer(from_fn(move |request: Request, next: Next| {
        let gate = Arc::clone(&gate);
        async move {
            let mut response: Response = match gate.admit(&request) {
                Ok(()) => next.run(request).await,
                Err(refusal) => refusal.into_response(),
            };
            let nosniff = HeaderValue::from_static("nosniff");
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
            response
        }
    }))
}
