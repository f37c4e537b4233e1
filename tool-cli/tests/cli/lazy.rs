//! A command builds only the tools that it needs.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use tool_cli::{App, Streams};
use tool_core::{Registry, tool};

use crate::{Ran, on};

/// The number of schemas built.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// A number that knows when its schema is made.
#[derive(Deserialize)]
struct Watched(u8);

impl JsonSchema for Watched {
    fn schema_name() -> Cow<'static, str> {
        "Watched".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        MADE.fetch_add(1, Ordering::SeqCst);
        u8::json_schema(generator)
    }
}

/// Is not looked at.
#[tool(operation = Transform)]
fn costly(
    /** A number. */
    n: Watched,
) -> u8 {
    n.0
}

/// Is called.
#[tool(operation = Transform)]
fn trivial(
    /** A number. */
    n: u8,
) -> u8 {
    n
}

/// Waits before it answers.
#[tool(operation = Transform)]
async fn patient() -> u8 {
    tokio::task::yield_now().await;
    7
}

/// Changes something.
#[tool(operation = Trigger, destructive = false)]
fn change() -> u8 {
    7
}

fn app() -> App {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    App::new("demo", builder.build().unwrap())
}

async fn run(arguments: &[&str]) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn builds_schemas_of_named_tools_only() {
    for arguments in [
        &["list", "--format", "name"][..],
        &["list"],
        &["list", "--format", "json", "--unmet", "hide"],
        &["info", "trivial"],
        &["info", "trivial", "--format", "json"],
        &["run", "trivial", "--n", "7"],
        &["run", "trivial", "--help"],
        &["run", "--help"],
        &["validate", "trivial", "n=7"],
        &["__complete", "fish", "--", "run", ""],
        &["__complete", "fish", "--", "run", "trivial", "--"],
        &["--version"],
        &["man", "run"],
    ] {
        let ran = run(arguments).await;
        assert_eq!((ran.code, MADE.load(Ordering::SeqCst)), (0, 0), "{arguments:?}");
    }
    // The counter works.
    run(&["run", "costly", "--n=7"]).await.prints("7\n");
    assert!(MADE.load(Ordering::SeqCst) > 0);
}

#[tokio::test]
async fn does_not_watch_signals_for_immediate_calls() {
    for (tool, listens) in [("trivial", false), ("patient", true), ("change", true)] {
        let subscribed = Arc::new(AtomicBool::new(false));
        let subscribes = Arc::clone(&subscribed);
        let mut arguments = vec!["run", tool];
        arguments.extend((tool == "trivial").then_some("n=7"));
        let ran = on(app(), &arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr).interrupted_by(async move {
                subscribes.store(true, Ordering::SeqCst);
                std::future::pending::<()>().await;
            })
        })
        .await;
        ran.prints("7\n");
        assert_eq!(subscribed.load(Ordering::SeqCst), listens, "{tool}");
    }
}
