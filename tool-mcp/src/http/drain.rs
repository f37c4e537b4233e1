//! Counting the answers that are on their way, so that a shutdown can wait for them.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::task::TaskTracker;

use crate::http::holding::Holding;

/// An answer counts until the last byte of its body is handed over. The stream that an older client opens with GET is
/// no answer: it would last for ever.
pub(super) async fn count(State(answers): State<TaskTracker>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let token = answers.token();
    next.run(request).await.map(|body| Holding::body(body, token))
}
