//! The connection of spans of `tracing` with traces of OpenTelemetry.

use std::collections::HashMap;

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tool_core::TraceParent;
use tool_core::telemetry::Propagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The propagator for spans that `tracing-opentelemetry` exports.
///
/// ```
/// use telemetry::OpenTelemetry;
/// use tool_core::telemetry::Propagator as _;
///
/// assert!(OpenTelemetry.trace_parent(&tracing::Span::none()).is_none(), "it is not exported");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OpenTelemetry;

impl Propagator for OpenTelemetry {
    fn set_parent(&self, span: &Span, parent: TraceParent) {
        let headers = HashMap::from([("traceparent".to_owned(), parent.to_string())]);
        let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
        // A span that is not exported needs no parent.
        let _ = span.set_parent(caller);
    }

    fn trace_parent(&self, span: &Span) -> Option<TraceParent> {
        let mut headers = HashMap::new();
        TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
        headers.get("traceparent")?.parse().ok()
    }
}
