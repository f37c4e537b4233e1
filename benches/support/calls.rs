//! Does one thing many times: `calls WHAT TOOL REGISTERED TIMES`. Instructions are counted from outside.

use std::future::Future as _;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tool_core::audit::AuditEvent;
use tool_core::layer::{CallRequest, Layer, Next};
use tool_core::{CallOptions, Failure, Output, Registry, tool};

const ARGUMENTS: &[u8] = br#"{"a":40,"b":2}"#;

/// Adds two numbers.
#[tool(operation = Transform, open_world = false)]
fn add(
    /// First number.
    a: i64,
    /// Second number.
    b: i64,
) -> i64 {
    a + b
}

/// Adds two numbers, waiting for nothing.
#[tool(operation = Transform, open_world = false)]
async fn add_async(
    /// First number.
    a: i64,
    /// Second number.
    b: i64,
) -> i64 {
    a + b
}

/// What one writes by hand: decode, call, encode.
#[inline(never)]
fn by_hand(arguments: &[u8]) -> Result<String, serde_json::Error> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        a: i64,
        b: i64,
    }
    let Arguments { a, b } = serde_json::from_slice(arguments)?;
    serde_json::to_string(&add(a, b))
}

/// A layer that does nothing.
#[derive(Debug)]
struct Empty;

impl Layer for Empty {
    async fn call(&self, _: &CallRequest<'_>, next: Next<'_>) -> Result<Output, Failure> {
        next.run().await
    }
}

/// A subscriber that wants every span and keeps none.
struct DisabledSubscriber;

impl tracing::Subscriber for DisabledSubscriber {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

fn main() {
    let mut words = std::env::args().skip(1);
    let [what, tool] = [words.next().unwrap(), words.next().unwrap()];
    let [registered, times] = [words.next(), words.next()].map(|word| word.unwrap().parse::<usize>().unwrap());
    let registry = registry(&tool, registered, &what);
    if what == "traced" {
        tracing::subscriber::set_global_default(DisabledSubscriber).unwrap();
    }
    let options = CallOptions::new();
    for _ in 0..times {
        match what.as_str() {
            "by_hand" => drop(black_box(by_hand(black_box(ARGUMENTS)))),
            "lookup" => drop(black_box(registry.get(black_box(&tool)))),
            "validate" => drop(registry.validate(black_box(&tool), black_box(ARGUMENTS)).unwrap()),
            "encode" => drop(black_box(black_box(Output::json(black_box(&42_i64)).unwrap()).structured_text())),
            _ => call(&registry, &tool, &options),
        }
    }
}

fn call(registry: &Registry, tool: &str, options: &CallOptions) {
    // The tool never waits, and an executor is not what is measured.
    let reply = pin!(registry.call_with(black_box(tool), black_box(ARGUMENTS), black_box(options)));
    let Poll::Ready(reply) = reply.poll(&mut Context::from_waker(Waker::noop())) else { panic!("it waits") };
    black_box(black_box(reply.result.unwrap()).structured_text());
}

/// The tool that is called, and others until there are as many as wanted.
fn registry(name: &str, registered: usize, what: &str) -> Registry {
    let others = || (0..registered - 1).map(|number| format!("other_{number}"));
    let wanted: std::collections::HashSet<String> = others().chain([name.to_owned()]).collect();
    let mut builder = Registry::builder().linked().select(move |tool| wanted.contains(tool.name()));
    if what == "audited" {
        builder = builder.audit(|event: &AuditEvent<'_>| drop(black_box(event.duration)));
    }
    let layers = match what {
        "layered" => 1,
        "layered_twice" => 2,
        _ => 0,
    };
    for _ in 0..layers {
        builder = builder.layer(Empty);
    }
    let registry = builder.build().unwrap();
    assert_eq!(registry.tools().len(), registered);
    registry
}
