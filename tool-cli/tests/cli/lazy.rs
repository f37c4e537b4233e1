//! With many tools a command costs what the tools cost that it is about.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use tool_cli::{App, Streams};
use tool_core::{Registry, tool};

use crate::{Ran, on};

/// How often a schema was made.
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

async fn run(arguments: &[&str]) -> Ran {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    let app = App::new("demo", builder.build().unwrap());
    on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn no_schema_is_made_of_a_tool_that_is_not_asked_about() {
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
    // What it counts is there to be counted.
    run(&["run", "costly", "--n=7"]).await.prints("7\n");
    assert!(MADE.load(Ordering::SeqCst) > 0);
}
