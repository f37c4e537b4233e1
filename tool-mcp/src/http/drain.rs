//! Counting the answers that are on their way, so that a shutdown can wait for them.

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use tokio_util::task::TaskTracker;

use crate::http::holding::Holding;

/// An answer counts until the last byte of its body is handed over. The stream that an older client opens with GET is
/// no answer: it would last for ever.
pub(super) async fn count<F: Future<Output = Response>>(
    answers: &TaskTracker,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> Response {
    if request.method() != Method::POST {
        return next(request).await;
    }
    let token = answers.token();
    next(request).await.map(|body| Holding::body(body, token))
}
