//! Tracing and metrics of requests.

use std::fmt;
use std::pin::Pin;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::uri::Scheme;
use axum::http::{Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use metrics::Label;
use tokio::time::timeout;
use tool_core::{FailureKind, adapter};
use tool_serve::DurationHistogram;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::api::Api;
use crate::content_coding::AcceptedCodings;
use crate::error::ApiError;
use crate::request_context::{RequestContext, trace_parent};

static DURATION: DurationHistogram =
    DurationHistogram::new("http.server.request.duration", "Duration of HTTP server requests.");

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
        let exchange = Exchange::begin(&request, self.pattern);
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
    scheme: &'static str,
    version: &'static str,
    began: Instant,
    answered: bool,
}

impl Exchange {
    /// Begins the span of a request, by OpenTelemetry's conventions for HTTP servers.
    fn begin(request: &Request, route: &'static str) -> Self {
        let method = method_label(request.method());
        let scheme = if request.uri().scheme() == Some(&Scheme::HTTPS) { "https" } else { "http" };
        let version = version_label(request.version());
        // Empty fields are recorded later. The level is error so that log messages of any level are inside this span.
        let span = tracing::error_span!(
            "http",
            otel.name = %SpanName { method, route },
            otel.kind = "server",
            otel.status_code = Empty,
            http.request.method = method,
            http.request.method_original = (method == OTHER_METHOD).then(|| request.method().as_str()),
            http.route = (!route.is_empty()).then_some(route),
            http.response.status_code = Empty,
            url.path = request.uri().path(),
            url.scheme = scheme,
            network.protocol.version = version,
            error.type = Empty,
            gen_ai.tool.name = Empty,
            gen_ai.tool.call.id = Empty,
        );
        if !span.is_disabled() {
            adapter::set_parent(&span, trace_parent(request.headers()));
        }
        Exchange { span, method, route, scheme, version, began: Instant::now(), answered: false }
    }

    fn end(mut self, response: &Response) {
        self.answered = true;
        let status = response.status();
        self.span.record("http.response.status_code", status.as_u16());
        self.measure(Some(status));
        self.span.in_scope(|| tracing::debug!("answered"));
    }

    /// Records the duration and, if the server is at fault, the error.
    fn measure(&self, status: Option<StatusCode>) {
        let error = match status {
            Some(status) if !status.is_server_error() => None,
            Some(status) => Some(status.as_str().to_owned()),
            None => Some(FailureKind::Cancelled.codes().error_type.to_owned()),
        };
        if let Some(error) = &error {
            self.span.record("error.type", &**error);
            self.span.record("otel.status_code", "ERROR");
        }
        DURATION.record_since(self.began, || {
            let mut labels = vec![
                Label::new("http.request.method", self.method),
                Label::new("url.scheme", self.scheme),
                Label::new("network.protocol.version", self.version),
            ];
            labels.extend((!self.route.is_empty()).then(|| Label::new("http.route", self.route)));
            labels.extend(
                status.map(|status| Label::new("http.response.status_code", status.as_str().to_owned())),
            );
            labels.extend(error.map(|error| Label::new("error.type", error)));
            labels
        });
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.answered {
            self.measure(None);
            self.span.in_scope(|| tracing::info!("dropped before it was answered: the client went away"));
        }
    }
}

/// The name of the span of a request: its method and its route, if there is one.
struct SpanName {
    method: &'static str,
    route: &'static str,
}

impl fmt::Display for SpanName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.method == OTHER_METHOD { "HTTP" } else { self.method })?;
        if self.route.is_empty() { Ok(()) } else { write!(f, " {}", self.route) }
    }
}

/// The label of every unknown method, so that clients cannot create labels.
const OTHER_METHOD: &str = "_OTHER";

/// Returns the label of a method.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => OTHER_METHOD,
    }
}

/// Returns the label of a version of HTTP.
fn version_label(version: Version) -> &'static str {
    match version {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        Version::HTTP_3 => "3",
        _ => "1.1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_label_for_each_method_and_version_of_the_protocol() {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            assert_eq!(method_label(&method.parse().unwrap()), method);
        }
        for method in ["CONNECT", "TRACE", "BREW", "get"] {
            assert_eq!(method_label(&method.parse().unwrap()), "_OTHER");
        }
        for (version, label) in [
            (Version::HTTP_10, "1.0"),
            (Version::HTTP_11, "1.1"),
            (Version::HTTP_2, "2"),
            (Version::HTTP_3, "3"),
        ] {
            assert_eq!(version_label(version), label);
        }
    }
}
