//! The connection of spans with distributed traces.

use std::sync::OnceLock;

use tracing::Span;

use crate::model::trace::TraceParent;

/// Connects spans with the traces of callers and of the services that tools call.
///
/// Spans of [`tracing`](https://docs.rs/tracing) have no position in a distributed trace of their own: what exports them gives
/// them one. A propagator tells it the parent of a span that a caller has sent, and reads the position to send on. Without a
/// propagator, a tool sends the position of its caller on.
///
/// ```
/// use tool_core::TraceParent;
/// use tool_core::telemetry::Propagator;
/// use tracing::Span;
///
/// /// Writes what it is asked to the log.
/// struct Log;
///
/// impl Propagator for Log {
///     fn set_parent(&self, span: &Span, parent: TraceParent) {
///         eprintln!("{:?} belongs to {parent}", span.metadata());
///     }
///
///     fn trace_parent(&self, _: &Span) -> Option<TraceParent> {
///         None
///     }
/// }
/// ```
pub trait Propagator: Send + Sync + 'static {
    /// Makes a span of another process the parent of `span`, which was just created and is not entered yet.
    ///
    /// ```
    /// # use tool_core::{TraceParent, telemetry::Propagator};
    /// fn continue_trace(propagator: &dyn Propagator, header: &str) -> tracing::Span {
    ///     let span = tracing::info_span!("request");
    ///     header.parse().into_iter().for_each(|parent: TraceParent| propagator.set_parent(&span, parent));
    ///     span
    /// }
    /// ```
    fn set_parent(&self, span: &Span, parent: TraceParent);

    /// Returns the position of `span` in its trace, which makes it the parent of what another service does; `None` if the
    /// span is not exported.
    ///
    /// ```
    /// # use tool_core::telemetry::Propagator;
    /// fn header(propagator: &dyn Propagator) -> Option<String> {
    ///     propagator.trace_parent(&tracing::Span::current()).map(|position| position.to_string())
    /// }
    /// ```
    fn trace_parent(&self, span: &Span) -> Option<TraceParent>;
}

/// The error of [`set_propagator`] when a propagator is set already.
///
/// ```
/// let error = tool_core::telemetry::SetPropagatorError::default();
/// assert_eq!(error.to_string(), "a propagator is already set for this process");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("a propagator is already set for this process")]
#[non_exhaustive]
pub struct SetPropagatorError;

static PROPAGATOR: OnceLock<Box<dyn Propagator>> = OnceLock::new();

/// Sets the propagator of this process. Call it once, before anything is served.
///
/// # Errors
///
/// When a propagator is set already.
///
/// ```
/// use tool_core::TraceParent;
/// use tool_core::telemetry::{Propagator, set_propagator};
/// # struct OpenTelemetry;
/// # impl Propagator for OpenTelemetry {
/// #     fn set_parent(&self, _: &tracing::Span, _: TraceParent) {}
/// #     fn trace_parent(&self, _: &tracing::Span) -> Option<TraceParent> { None }
/// # }
///
/// set_propagator(OpenTelemetry).unwrap();
/// assert!(set_propagator(OpenTelemetry).is_err());
/// ```
pub fn set_propagator(propagator: impl Propagator) -> Result<(), SetPropagatorError> {
    PROPAGATOR.set(Box::new(propagator)).map_err(|_| SetPropagatorError)
}

/// Returns the position of the current span in its trace, if a propagator knows it.
pub(crate) fn trace_parent() -> Option<TraceParent> {
    PROPAGATOR.get()?.trace_parent(&Span::current())
}

/// Makes the caller's span the parent of `span`. A current span of the same trace stays the parent: it stands between the two.
pub(crate) fn set_parent(span: &Span, caller: Option<TraceParent>) {
    let (Some(caller), Some(propagator)) = (caller, PROPAGATOR.get()) else { return };
    let current = propagator.trace_parent(&Span::current());
    if current.is_none_or(|current| current.trace_id() != caller.trace_id()) && !span.is_disabled() {
        propagator.set_parent(span, caller);
    }
}
