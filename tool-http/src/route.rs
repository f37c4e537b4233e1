//! Tracing and metrics of requests.

use std::pin::Pin;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::api::Api;
use crate::content_coding::AcceptedCodings;
use crate::error::ApiError;
use crate::request_context::RequestContext;

/// The time limit of a request, as an extension. It is applied here so that timeouts are counted and get the usual headers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit(pub(crate) Duration);

/// A handler with its path pattern, which is used in traces and metrics.
#[derive(Clone, Debug)]
pub(crate) struct Route<F> {
    pattern: &'static str,
    handle: F,
}

impl<F> Route<F> {
    /// Creates a route. The pattern is empty for unmatched paths.
    pub(crate) fn new(pattern: &'static str, handle: F) -> Self {
        Route { pattern, handle }
    }
}

impl<F, A> Handler<fn(RequestContext) -> A, Api> for Route<F>
where
    F: FnOnce(RequestContext) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    type Future = Pin<Box<dyn Future<Output = Response> + Send>>;

    fn call(self, request: Request, api: Api) -> Self::Future {
        let exchange = Exchange::begin(request.method(), self.pattern);
        let limit = request.extensions().get::<TimeLimit>().copied();
        // Checked before a tool runs whose response could not be sent.
        let accepted = AcceptedCodings::from_headers(request.headers());
        let response_future =
            (self.handle)(RequestContext::new(api, request)).instrument(exchange.span.clone());
        Box::pin(async move {
            let result = match limit {
                _ if accepted.is_empty() => Err(ApiError::NotAcceptable),
                Some(TimeLimit(limit)) => {
                    timeout(limit, response_future).await.unwrap_or(Err(ApiError::RequestTimeout))
                }
                None => response_future.await,
            };
            let mut response = result.unwrap_or_else(IntoResponse::into_response);
            accepted.mark(&mut response);
            exchange.end(&response);
            response
        })
    }
}

/// A request and its response.
struct Exchange {
    span: Span,
    method: &'static str,
    route: &'static str,
    began: Instant,
    answered: bool,
}

impl Exchange {
    fn begin(method: &Method, route: &'static str) -> Self {
        let method = method_label(method);
        // Empty fields are recorded later. The level is error so that log messages of any level are inside this span.
        let span = tracing::error_span!("http", method, route, tool = Empty, status = Empty, call_id = Empty);
        Exchange { span, method, route, began: Instant::now(), answered: false }
    }

    fn end(mut self, response: &Response) {
        self.answered = true;
        let status = response.status().as_u16();
        self.span.record("status", status);
        self.count(status.to_string());
        self.span.in_scope(|| tracing::debug!("answered"));
    }

    fn count(&self, status: String) {
        let (method, route) = (self.method, self.route);
        metrics::counter!("tool_http_requests_total", "method" => method, "route" => route, "status" => status)
            .increment(1);
        metrics::histogram!("tool_http_request_duration_seconds", "method" => method, "route" => route)
            .record(self.began.elapsed().as_secs_f64());
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.answered {
            self.count("dropped".to_owned());
            self.span.in_scope(|| tracing::info!("dropped before it was answered: the client went away"));
        }
    }
}

/// Returns the label of a method. Unknown methods share one, so that clients cannot create labels.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}
