//! Tools that are looked up by the commands that need them.

use std::sync::{Arc, Mutex};

use tool_cli::{App, Streams};
use tool_core::Registry;

use crate::{Ran, on};

/// The registry of the other tests, without tools that record events.
fn greeting() -> Registry {
    Registry::builder().linked().select(|tool| tool.name() == "greet").build().unwrap()
}

/// Runs a command line, and returns what was looked up.
async fn discovering(arguments: &[&str]) -> (Ran, Vec<Option<String>>) {
    let looked_up = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&looked_up);
    let empty = Registry::builder().allow_empty().build().unwrap();
    let app = App::new("demo", empty).version("1.2.3").discover(async move |tool| {
        record.lock().unwrap().push(tool);
        Ok::<_, std::io::Error>(greeting())
    });
    let ran = on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    let looked_up = looked_up.lock().unwrap().clone();
    (ran, looked_up)
}

#[tokio::test]
async fn looks_nothing_up_for_help_or_after_wrong_usage() {
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["help", "run"], 0),
        (&["run", "--help"], 0),
        (&["list", "-h"], 0),
        (&["info", "greet", "--help"], 0),
        (&["lock", "--help"], 0),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["__complete", "bash", "--", "li"], 0),
        (&["list", "--nonsense"], 2),
        (&["info"], 2),
        (&["run"], 2),
        (&["lits"], 2),
        (&[], 2),
    ] {
        let (ran, looked_up) = discovering(arguments).await;
        assert_eq!((ran.code, looked_up), (code, vec![]), "{arguments:?}");
    }
}

#[tokio::test]
async fn looks_up_the_tool_or_all_once() {
    for arguments in [
        &["run", "greet", "name=Ada"][..],
        &["run", "greet", "--name", "Ada"],
        &["--quiet", "run", "greet", "--name=Ada"],
        &["run", "--format", "json", "greet", "name=Ada"],
        &["run", "greet", "--help"],
        &["validate", "greet", "name=Ada"],
        &["info", "greet"],
        &["schema", "greet"],
    ] {
        let (ran, looked_up) = discovering(arguments).await;
        assert_eq!(
            (ran.code, looked_up),
            (0, vec![Some("greet".to_owned())]),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    for arguments in [
        &["list"][..],
        &["search", "greet"],
        &["__complete", "fish", "--", "run", "gre"],
        &["__complete", "bash", "--", "demo run gre", " \t\n"],
    ] {
        let (ran, looked_up) = discovering(arguments).await;
        assert_eq!((ran.code, looked_up), (0, vec![None]), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("greet"), "{arguments:?}: {}", ran.stdout);
    }
}

#[tokio::test]
async fn reports_a_failure() {
    let empty = Registry::builder().allow_empty().build().unwrap();
    let app = App::new("demo", empty).discover(async |_| Err::<Registry, _>("no route to host"));
    let ran = on(app, &["list"], |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    ran.fails(1, "error: cannot discover the tools: no route to host\n");
}
