//! An application whose state is opened at its first use, such as a pool of connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tool_cli::{App, Streams};
use tool_core::{LazyState, Registry, tool};

use crate::on;

struct Database;

/// Pings the database.
#[tool(operation = Read)]
fn ping_database(#[inject] _database: LazyState<Database>, text: String) -> String {
    text
}

/// Returns an application, and how often it has tried to open its database.
fn app(is_up: bool) -> (App, Arc<AtomicUsize>) {
    let attempts = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&attempts);
    let builder = Registry::builder().linked().select(|tool| tool.name() == "ping_database");
    let builder = builder.lazy_state(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { if is_up { Ok(Database) } else { Err("the database is down") } }
    });
    (App::new("pings", builder.build().unwrap()), attempts)
}

#[tokio::test]
async fn is_opened_by_a_command_that_runs_a_tool() {
    let (app, attempts) = app(true);
    let ran = on(app, &["run", "ping_database", "text=hello"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr)
    })
    .await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "hello\n"));
    assert_eq!(attempts.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn is_not_opened_by_other_commands() {
    for arguments in [
        &["list"][..],
        &["info", "ping_database"],
        &["search", "ping"],
        &["validate", "ping_database", "text=hello"],
        &["run", "ping_database", "text=hello", "--dry-run"],
        &["__complete", "fish", "--", "run", "ping"],
    ] {
        let (app, attempts) = app(false);
        let ran = on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
        assert_eq!((ran.code, attempts.load(Ordering::SeqCst)), (0, 0), "{arguments:?}: {}", ran.stderr);
    }
}

#[tokio::test]
async fn says_what_cannot_be_opened() {
    let (app, _) = app(false);
    let arguments = ["run", "ping_database", "text=hello"];
    let ran = on(app, &arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    ran.fails(12, "error: the state `Database` is not available\n");
}
