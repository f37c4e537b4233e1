//! Calls one tool many times: `calls NAME REGISTERED CALLS`. Instructions are counted from outside.

use std::future::Future as _;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tool_core::{Registry, tool};

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

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap();
    let [registered, calls] = [words.next(), words.next()].map(|word| word.unwrap().parse::<usize>().unwrap());
    if name == "by_hand" {
        for _ in 0..calls {
            black_box(by_hand(black_box(ARGUMENTS)).unwrap());
        }
        return;
    }
    let registry = registry(&name, registered);
    for _ in 0..calls {
        // The tool never waits, and an executor is not what is measured.
        let reply = pin!(registry.invoke(black_box(&name), black_box(ARGUMENTS)));
        let Poll::Ready(reply) = reply.poll(&mut Context::from_waker(Waker::noop())) else { panic!("it waits") };
        black_box(black_box(reply.result.unwrap()).structured_text());
    }
}

/// The tool that is called, and others until there are as many as wanted.
fn registry(name: &str, registered: usize) -> Registry {
    let others = || (0..registered - 1).map(|number| format!("other_{number}"));
    let wanted: std::collections::HashSet<String> = others().chain([name.to_owned()]).collect();
    let registry = Registry::builder().linked().select(move |tool| wanted.contains(tool.name())).build().unwrap();
    assert_eq!(registry.tools().len(), registered);
    registry
}
