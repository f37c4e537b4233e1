//! `run`: dry runs, timeouts, confirmation, progress and output formats.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_cli::{App, Streams};
use tool_core::audit::AuditEvent;
use tool_core::logging::LogLevel;
use tool_core::{Context, Principal, Registry, State, tool};

use crate::{Ran, cli, on};

/// A reading.
#[derive(Serialize, schemars::JsonSchema)]
struct Reading {
    place: String,
    degrees: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Readings of a day.
#[tool(operation = Read)]
fn readings() -> Vec<Reading> {
    let reading = |place: &str, degrees, note: Option<&str>| Reading {
        place: place.to_owned(),
        degrees,
        note: note.map(str::to_owned),
    };
    vec![reading("Oslo", Some(-3.25), None), reading("Rome", None, Some("a\u{1b}[2J|b"))]
}

/// Copies pages.
#[tool(operation = Transform)]
fn copy(
    #[inject] context: Context,
    /** How many. */
    pages: u64,
) -> u64 {
    for page in 1..=pages {
        context.progress(page, pages, "copying\u{1b}[2J\npages");
    }
    pages
}

/// Counts without knowing how far.
#[tool(operation = Transform)]
fn count(#[inject] context: Context) -> &'static str {
    context.progress(1, None, "one");
    context.progress(2, None, "two");
    "done"
}

/// Says what it does.
#[tool(operation = Transform)]
fn chat(#[inject] context: Context) -> &'static str {
    context.log(LogLevel::Info, "opened\u{1b}[2J\nthe book");
    context.log(LogLevel::Warning, serde_json::json!({"page": 7}));
    "done"
}

/// Takes codes.
#[tool(operation = Transform)]
fn decode(
    /** A code. */
    #[arg(pattern = "^[a-z]{3}$", example = "abc")]
    code: String,
    /** Another. */
    #[arg(pattern = "^[a-z]{3}$")]
    other: Option<String>,
    /** How often. */
    #[arg(range(min = 5, max = 9))]
    times: Option<u8>,
) -> String {
    format!("{code} {other:?} {times:?}")
}

/// Never ends.
#[tool(operation = Read)]
async fn endless() -> String {
    std::future::pending().await
}

/// Waits for a moment, and records that it ended.
#[tool(operation = Write, destructive = false)]
async fn slow(#[inject] world: State<World>, #[inject] context: Context) {
    context.cancelled().await;
    world.ended.notify_one();
}

/// Packs boxes until it is canceled, and closes the last one.
#[tool(operation = Write, destructive = false)]
async fn pack(#[inject] context: Context) {
    context.progress(1, 3, "packing");
    context.cancelled().await;
    context.progress(2, 3, "closing the last box");
}

/// Reads pages, and never ends.
#[tool(operation = Read)]
async fn leaf_through(#[inject] context: Context) {
    context.progress(1, None, "reading the first page");
    std::future::pending::<()>().await;
}

/// Orders a book, and lets a letter be written later.
#[tool(operation = Trigger, destructive = false)]
async fn order(
    #[inject] world: State<World>,
    #[inject] context: Context,
    /** Whether it fails. */
    failing: Option<bool>,
) -> Result<&'static str, String> {
    context.spawn(async move {
        tokio::task::yield_now().await;
        world.letters.fetch_add(1, Ordering::SeqCst);
    });
    if failing == Some(true) { Err("sold out".to_owned()) } else { Ok("ordered") }
}

/// Deletes a page.
#[tool(operation = Write, destructive = true, permission = "page.delete")]
fn delete(
    /** Which. */
    page: u64,
) -> String {
    format!("deleted {page}")
}

#[derive(Default)]
struct World {
    ended: Notify,
    letters: AtomicUsize,
}

type Events = Arc<Mutex<Vec<Value>>>;

fn app() -> (App, Arc<World>, Events) {
    let (world, events) = (Arc::new(World::default()), Events::default());
    let sink = {
        let events = Arc::clone(&events);
        move |event: &AuditEvent<'_>| events.lock().unwrap().push(serde_json::to_value(event).unwrap())
    };
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    let builder =
        builder.shared_state(Arc::clone(&world)).audit(sink).local(Principal::local().grant("page.delete"));
    (App::new("demo", builder.build().unwrap()), world, events)
}

async fn ours(arguments: &[&str]) -> Ran {
    on(app().0, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn prints_flat_records_as_a_table() {
    ours(&["run", "readings"])
        .await
        .prints("place  degrees  note\nOslo   -3.25\nRome            a\\u001b[2J|b\n");
    let ran = ours(&["run", "readings", "--format", "json"]).await;
    assert_eq!(ran.json()["output"][0], json!({"place": "Oslo", "degrees": -3.25}));
}

#[tokio::test]
async fn checks_without_running_in_a_dry_run() {
    let (app, _, events) = app();
    let streams = |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr);
    let ran = on(app, &["run", "delete", "--page", "7", "--dry-run"], streams).await;
    ran.prints("would run `delete` (write, destructive) as local\n{\n  \"page\": 7\n}\n");
    assert!(events.lock().unwrap().is_empty());
    let ran = ours(&[
        "run",
        "delete",
        "page:=\"7\"",
        "--dry-run",
        "--format",
        "json",
        "--as",
        "ada",
        "--grant",
        "page.delete",
    ])
    .await;
    assert_eq!(
        ran.json(),
        json!({
            "success": true, "dry_run": true, "tool": "delete", "operation": "write", "destructive": true,
            "principal": "ada", "arguments": {"page": "7"}, "repairs": [{"path": "/page", "kind": "number"}],
            "access_rule": false,
        })
    );
    assert_eq!(ours(&["run", "delete", "page=x", "--dry-run"]).await.code, 5);
    assert_eq!(ours(&["run", "delete", "page=1", "--dry-run", "--as", "eve"]).await.code, 4);
}

#[tokio::test]
async fn prints_a_valid_skeleton() {
    let skeleton = cli(&["run", "parts", "--skeleton"]).await;
    assert_eq!(
        skeleton.json(),
        json!({"sky": "rain", "places": [{"name": "text"}], "limits": {}, "id": "", "share": 50})
    );
    let ran = cli(&["run", "parts", "--input-json", &skeleton.stdout, "--format", "json"]).await;
    assert_eq!(ran.json()["output"]["sky"], "rain");
    // Optional inputs without a valid example are omitted.
    let skeleton = ours(&["run", "decode", "--skeleton"]).await;
    assert_eq!(skeleton.json(), json!({"code": "abc", "times": 5}));
    for arguments in [&["a=1"][..], &["--input-json", "{}"], &["--dry-run"]] {
        assert_eq!(cli(&[&["run", "add", "--skeleton"], arguments].concat()).await.code, 2, "{arguments:?}");
    }
}

#[tokio::test]
async fn row_121_audits_unconfirmed_calls() {
    let outcome = async |arguments: &[&str], answer: Option<&'static str>| {
        let (app, _, events) = app();
        let ran = on(app, arguments, |stdout, stderr| match answer {
            None => Streams::new(std::io::empty(), stdout, stderr),
            Some(answer) => Streams::new(answer.as_bytes(), stdout, stderr).interactive(),
        })
        .await;
        let events = events.lock().unwrap().clone();
        let [event] = &events[..] else { panic!("not one event for {arguments:?}: {events:?}") };
        assert_eq!((&event["name"], &event["bytesIn"]), (&json!("delete"), &json!(13)));
        (ran.code, event["outcome"].as_str().unwrap().to_owned())
    };
    assert_eq!(outcome(&["run", "delete", "page=7777"], None).await, (7, "refused".to_owned()));
    assert_eq!(outcome(&["run", "delete", "page=7777"], Some("n\n")).await, (7, "refused".to_owned()));
    assert_eq!(outcome(&["run", "delete", "page=7777"], Some("y\n")).await, (0, "success".to_owned()));
    assert_eq!(outcome(&["run", "delete", "page=7777", "--yes"], None).await, (0, "success".to_owned()));
    let eve = &["run", "delete", "page=7777", "--as", "eve"];
    assert_eq!(outcome(eve, None).await, (4, "access_denied".to_owned()));
    assert_eq!(outcome(&["run", "delete", "pagg=7777"], Some("y\n")).await.0, 5);
}

#[tokio::test]
async fn cancels_reads_on_timeout() {
    let ran = ours(&["run", "endless", "--timeout", "1ms"]).await;
    ran.fails(6, "error: `endless` did not end within 1ms\n");
    let ran = ours(&["run", "endless", "--timeout", "1ms", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (6, Some("timeout")));
    assert_eq!(ran.json()["retryable"], true);
    for wrong in ["soon", "0s", "-1"] {
        let ran = ours(&["run", "endless", &format!("--timeout={wrong}")]).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong}");
    }
}

#[tokio::test]
async fn finishes_modifying_calls_on_timeout() {
    let (app, world, events) = app();
    let arguments = ["run", "slow", "--timeout", "1ms"];
    let ran = on(app, &arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    ran.fails(
        6,
        "`slow` modifies data and is allowed to finish; interrupt to abort it\n\
         error: `slow` did not end within 1ms, but was allowed to finish\n",
    );
    world.ended.notified().await;
    assert_eq!(events.lock().unwrap()[0]["outcome"], "success");
}

#[tokio::test]
async fn waits_for_background_work() {
    let (app, world, _) = app();
    let ran =
        on(app, &["run", "order"], |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    ran.prints("ordered\n");
    assert_eq!(world.letters.load(Ordering::SeqCst), 1);
    for (arguments, code) in [(&["run", "order", "failing=true"][..], 1), (&["run", "order"], 0)] {
        let (app, world, _) = self::app();
        let ran = on(app, arguments, |_, stderr| Streams::new(std::io::empty(), Closed, stderr)).await;
        assert_eq!((ran.code, world.letters.load(Ordering::SeqCst)), (code, 1), "{arguments:?}");
    }
}

/// Nobody reads it.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn prints_progress_as_lines_without_a_terminal() {
    let ran = ours(&["run", "copy", "pages=3"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"));
    // Only the first and the last: those between come too fast.
    assert_eq!(ran.stderr, "progress: 1/3 copying\\u001b[2J pages\nprogress: 3/3 copying\\u001b[2J pages\n");
    let ran = ours(&["run", "count"]).await;
    assert_eq!(ran.stderr, "progress: 1 one\nprogress: 2 two\n");
    assert_eq!(ours(&["run", "count", "--quiet"]).await.stderr, "");
}

#[tokio::test]
async fn draws_a_progress_bar_on_a_terminal() {
    let ran = on(app().0, &["run", "copy", "pages=3"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr).interactive().columns(80)
    })
    .await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "3\n"));
    assert!(
        ran.stderr.contains("] 1/3 copying\\u001b[2J pages") && ran.stderr.contains("[======"),
        "{:?}",
        ran.stderr
    );
    // The bar is erased at the end.
    let (_, last) = ran.stderr.rsplit_once("\r\u{1b}[2K").unwrap();
    assert_eq!(last, "", "{:?}", ran.stderr);
}

/// The message that a tool wrote last stays on the terminal when the bar is removed.
#[tokio::test]
async fn keeps_the_last_progress_of_an_interrupted_call() {
    for (tool, begun, expected) in [
        (
            "leaf_through",
            "reading the first page",
            "progress: 1 reading the first page\nerror: `leaf_through` was interrupted\n",
        ),
        (
            "pack",
            "packing",
            "progress: 2/3 closing the last box\nerror: `pack` was interrupted, but was allowed to finish\n",
        ),
    ] {
        let ran = on(app().0, &["run", tool], |stdout, stderr| {
            let shown = stderr.clone();
            let has_begun = async move {
                while !shown.text().contains(begun) {
                    tokio::task::yield_now().await;
                }
            };
            Streams::new(std::io::empty(), stdout, stderr).interactive().columns(80).interrupted_by(has_begun)
        })
        .await;
        let (_, last) = ran.stderr.rsplit_once("\r\u{1b}[2K").unwrap();
        assert_eq!((ran.code, last), (130, expected), "{:?}", ran.stderr);
    }
}

#[tokio::test]
async fn prints_log_messages_when_verbose() {
    let ran = ours(&["run", "chat", "--verbose"]).await;
    assert_eq!(ran.stdout, "done\n");
    let expected = "info: opened\\u001b[2J the book\nwarning: {\"page\":7}\ncall ";
    assert!(ran.stderr.starts_with(expected), "{:?}", ran.stderr);
    assert_eq!(ours(&["run", "chat"]).await.stderr, "");
    let ran = on(app().0, &["run", "chat", "--verbose"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr).interactive().columns(80)
    })
    .await;
    assert!(ran.stderr.contains("warning: {\"page\":7}"), "{:?}", ran.stderr);
}

#[tokio::test]
async fn prints_the_call_id_when_verbose() {
    let ran = ours(&["run", "delete", "--yes", "--verbose", "page:=\"7\""]).await;
    assert_eq!(ran.stdout, "deleted 7\n");
    assert!(
        ran.stderr.starts_with("repaired: /page: the string was read as a number\ncall "),
        "{:?}",
        ran.stderr
    );
    assert!(ran.stderr.contains(" of `delete`: success after "), "{:?}", ran.stderr);
}

#[tokio::test]
async fn resolves_callers_by_id() {
    let identity = |id: &str| (id == "ada").then(|| Principal::new("ada").grant("page.delete"));
    let run = async |arguments: &[&str]| {
        on(app().0.identities(identity), arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await
    };
    run(&["run", "delete", "page=1", "--yes", "--as", "ada"]).await.prints("deleted 1\n");
    run(&["run", "delete", "page=1", "--yes", "--as", "eve"]).await.fails(4, "error: unknown caller `eve`\n");
    let ran = run(&["list", "--as", "eve", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (4, Some("unauthenticated")));
}

#[tokio::test]
async fn resolves_callers_by_id_while_waiting() {
    let identity = async |id: String| {
        tokio::task::yield_now().await;
        match id.as_str() {
            "ada" => Ok(Some(Principal::new("ada").grant("page.delete"))),
            "bob" => Err("the users cannot be read"),
            _ => Ok(None),
        }
    };
    let run = async |arguments: &[&str]| {
        on(app().0.identities_async(identity), arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await
    };
    run(&["run", "delete", "page=1", "--yes", "--as", "ada"]).await.prints("deleted 1\n");
    run(&["validate", "delete", "page=1", "--as", "ada"]).await.prints("valid\n");
    run(&["run", "delete", "page=1", "--yes", "--as", "eve"]).await.fails(4, "error: unknown caller `eve`\n");
    run(&["info", "delete", "--as", "bob"])
        .await
        .fails(12, "error: `bob` cannot be looked up: the users cannot be read\n");
}

#[tokio::test]
async fn distinguishes_lookup_failures_from_unknown_callers() {
    let unread = |_: &str| Err::<Option<Principal>, _>("the users cannot be read");
    let run = async |arguments: &[&str]| {
        on(app().0.identities(unread), arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await
    };
    run(&["run", "delete", "page=1", "--yes", "--as", "ada"])
        .await
        .fails(12, "error: `ada` cannot be looked up: the users cannot be read\n");
    let ran = run(&["list", "--as", "ada", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (12, Some("execution_failed")));
}
