//! The log, the traces and the metrics of the examples.
//!
//! The log goes to stderr. Traces and metrics go to a collector of OpenTelemetry, over OTLP in HTTP, if one of the usual
//! variables names it: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or
//! `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`. The names of spans and metrics are in `docs/src/telemetry.md`.
//!
//! ```
//! let telemetry = telemetry::Telemetry::init("weather", "warn")?;
//! // … serve …
//! telemetry.shutdown();
//! # Ok::<(), telemetry::TelemetryError>(())
//! ```

mod client;
mod propagator;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/telemetry.md")]
struct Documentation;

use std::env;

use metrics_opentelemetry::{OpenTelemetryMetrics, OpenTelemetryRecorder};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, SpanExporter, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tool_core::telemetry::{SetPropagatorError, set_propagator};
use tracing_subscriber::filter::{EnvFilter, LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};
use tracing_subscriber::{Layer as _, fmt};

use crate::client::ClientError;
pub use crate::propagator::OpenTelemetry;

/// The boundaries that the conventions advise for requests of HTTP, in seconds.
const HTTP_BOUNDS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// The boundaries that they advise for calls of tools.
const TOOL_BOUNDS: [f64; 14] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// What exports the traces and metrics of a program.
///
/// ```
/// # fn serve() {}
/// let telemetry = telemetry::Telemetry::init("weather", "warn")?;
/// serve();
/// telemetry.shutdown();
/// # Ok::<(), telemetry::TelemetryError>(())
/// ```
#[derive(Debug)]
#[must_use = "what is not exported yet is lost without `shutdown`"]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
}

/// The error of [`Telemetry::init`].
///
/// ```
/// let _first = telemetry::Telemetry::init("weather", "warn");
/// assert!(telemetry::Telemetry::init("weather", "warn").is_err(), "a process has one log");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("traces and metrics cannot be exported: {0}")]
pub struct TelemetryError(Box<dyn std::error::Error + Send + Sync>);

macro_rules! causes {
    ($($cause:ty)*) => {
        $(impl From<$cause> for TelemetryError {
            fn from(cause: $cause) -> Self {
                TelemetryError(cause.into())
            }
        })*
    };
}

causes! { ClientError ExporterBuildError SetPropagatorError TryInitError }

impl Telemetry {
    /// Starts the log and the export. `service` names the program, unless `OTEL_SERVICE_NAME` does. `filter` selects what is
    /// logged, unless `RUST_LOG` does.
    ///
    /// # Errors
    ///
    /// When an endpoint is invalid, or the process has a log already.
    ///
    /// ```
    /// let telemetry = telemetry::Telemetry::init("weather", "warn")?;
    /// # telemetry.shutdown();
    /// # Ok::<(), telemetry::TelemetryError>(())
    /// ```
    pub fn init(service: &'static str, filter: &str) -> Result<Self, TelemetryError> {
        let traces = exports(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT).then(|| traces(service)).transpose()?;
        let metrics = exports(OTEL_EXPORTER_OTLP_METRICS_ENDPOINT).then(|| metrics(service)).transpose()?;
        let layer = traces.as_ref().map(|traces| {
            let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer(service));
            let layer = layer.with_location(false).with_target(false).with_threads(false);
            layer.with_tracked_inactivity(false).with_filter(exported())
        });
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(filter));
        let log = fmt::layer().with_writer(std::io::stderr).with_filter(filter);
        tracing_subscriber::registry().with(layer).with(log).try_init()?;
        if traces.is_some() {
            set_propagator(OpenTelemetry)?;
        }
        Ok(Telemetry { traces, metrics })
    }

    /// Exports what is left. Call it at the end of the program.
    ///
    /// ```
    /// # let telemetry = telemetry::Telemetry::init("weather", "warn")?;
    /// telemetry.shutdown();
    /// # Ok::<(), telemetry::TelemetryError>(())
    /// ```
    pub fn shutdown(self) {
        let traces = self.traces.map(|traces| traces.shutdown());
        let metrics = self.metrics.map(|metrics| metrics.shutdown());
        for error in [traces, metrics].into_iter().flatten().filter_map(Result::err) {
            tracing::warn!(%error, "the last traces or metrics are not exported");
        }
    }
}

/// Returns `true` if a variable for one signal, or that for all, names a collector.
fn exports(variable: &str) -> bool {
    let is_set = |variable| env::var_os(variable).is_some_and(|value| !value.is_empty());
    let is_disabled = env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    !is_disabled && (is_set(variable) || is_set(OTEL_EXPORTER_OTLP_ENDPOINT))
}

fn resource(service: &'static str) -> Resource {
    let resource = Resource::builder();
    match env::var_os("OTEL_SERVICE_NAME") {
        Some(_) => resource.build(),
        None => resource.with_service_name(service).build(),
    }
}

fn traces(service: &'static str) -> Result<SdkTracerProvider, TelemetryError> {
    let exporter = SpanExporter::builder().with_http().with_http_client(client::client()?).build()?;
    Ok(SdkTracerProvider::builder().with_resource(resource(service)).with_batch_exporter(exporter).build())
}

fn metrics(service: &'static str) -> Result<SdkMeterProvider, TelemetryError> {
    let exporter = MetricExporter::builder().with_http().with_http_client(client::client()?).build()?;
    let provider = SdkMeterProvider::builder().with_resource(resource(service));
    let provider = provider.with_periodic_exporter(exporter).build();
    let mut recorder = OpenTelemetryRecorder::new(OpenTelemetryMetrics::new(provider.meter(service)));
    recorder.set_histogram_bounds_mut(["http.server.request.duration"].into_iter(), &HTTP_BOUNDS);
    let of_tools = ["gen_ai.execute_tool.duration", "mcp.server.operation.duration"];
    recorder.set_histogram_bounds_mut(of_tools.into_iter(), &TOOL_BOUNDS);
    // Another recorder of the program has been chosen on purpose.
    let _ = ::metrics::set_global_recorder(recorder);
    Ok(provider)
}

/// Returns what is exported: everything but the clients that send it, and their dependencies.
fn exported() -> Targets {
    let silent = ["h2", "hyper", "opentelemetry", "reqwest", "rmcp", "rustls"];
    let silent = silent.into_iter().map(|target| (target, LevelFilter::OFF));
    Targets::new().with_default(LevelFilter::INFO).with_targets(silent)
}
