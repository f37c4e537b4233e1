//! `run` and `validate`.

use std::sync::Arc;

use serde_json::json;
use tool_cli::Streams;

use crate::registry::{self, Events, app};
use crate::{at_terminal, cli, on, with_stdin};

#[tokio::test]
async fn prints_texts_verbatim_and_values_as_json() {
    cli(&["run", "greet", "name=Ada"]).await.prints("Good morning, Ada\n");
    cli(&["run", "add", "a=1"]).await.prints("6\n");
    cli(&["run", "nothing"]).await.prints("");
    cli(&["run", "parts", "sky=sun", "places=[]"])
        .await
        .prints("{\n  \"sky\": \"sun\",\n  \"places\": []\n}\n");
    cli(&["run", "blocks"]).await.prints(
        "first\n[image: image/png, 3 bytes]\nreport: file:///r.pdf\nin full\n[file:///a.png: image/png, 2 bytes]\n",
    );
}

#[tokio::test]
async fn prints_one_json_object() {
    let ran = cli(&["run", "greet", "name=Ada", "--format", "json"]).await;
    ran.prints(
        "{\"success\":true,\"output\":\"Good morning, Ada\",\"content\":[{\"type\":\"text\",\"text\":\"Good morning, Ada\"}]}\n",
    );
    let ran = cli(&["run", "add", "a=1", "--format", "json"]).await;
    ran.prints(
        "{\"success\":true,\"output\":6,\"content\":[{\"type\":\"text\",\"text\":\"{\\\"result\\\":6}\"}]}\n",
    );
    cli(&["run", "nothing", "--format", "json"]).await.prints("{\"success\":true,\"content\":[]}\n");
}

#[tokio::test]
async fn reports_tool_failures() {
    cli(&["run", "locked"]).await.fails(11, "error: the archive is locked\n");
    let ran = cli(&["run", "locked", "--format", "json"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (11, ""));
    assert_eq!(
        ran.stdout,
        "{\"success\":false,\"error\":\"the archive is locked\",\"error_type\":\"execution_failed\",\"retryable\":false}\n"
    );
    let ran = cli(&["run", "bug", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (70, Some("internal")));
    // The log has the cause with the call ID.
    assert!(
        ran.stderr.starts_with("call ") && ran.stderr.contains(" of `bug`: internal after "),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn reports_all_invalid_inputs() {
    let ran = cli(&["run", "add", "a=one", "c=2"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (5, ""));
    assert!(ran.stderr.starts_with("error: invalid input for `add`: 2 problems\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n- /a: ") && ran.stderr.contains("\n- /c: "), "{}", ran.stderr);

    let ran = cli(&["run", "add", "a=one", "c=2", "--format", "json"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (5, ""));
    let failure = ran.json();
    assert_eq!((&failure["success"], &failure["error_type"]), (&json!(false), &json!("invalid_input")));
    assert_eq!(failure["problems"][0]["path"], "/a");
    assert_eq!(failure["problems"][1]["path"], "/c");
}

#[tokio::test]
async fn confirms_destructive_tools() {
    let refusal = "error: `purge` may delete or overwrite data and was not run: confirm it with --yes\n";
    cli(&["run", "purge"]).await.fails(7, refusal);
    with_stdin(&["run", "purge"], "y\n").await.fails(7, refusal);
    let ran = cli(&["run", "purge", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (7, Some("refused")));

    cli(&["run", "purge", "--yes"]).await.prints("purged\n");
    let question = "`purge` may delete or overwrite data. Run it? [y/N] ";
    let ran = at_terminal(&["run", "purge"], "y\n").await;
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "purged\n", question));
    for answer in ["n\n", "\n", ""] {
        at_terminal(&["run", "purge"], answer).await.fails(
            7,
            &format!(
                "{question}error: `purge` may delete or overwrite data and was not run: it was not confirmed\n"
            ),
        );
    }
    let ran = cli(&["run", "purge", "x=1"]).await;
    assert_eq!(ran.code, 5, "{ran:?}");
    let ran = at_terminal(&["run", "purge", "x=1"], "y\n").await;
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(!ran.stderr.contains("Run it?"), "{}", ran.stderr);
}

#[tokio::test]
async fn does_not_run_unconfirmed_tools() {
    let events = Arc::new(Events::default());
    for arguments in [&["run", "purge"][..], &["validate", "purge"]] {
        on(registry::app_with(&events), arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await;
    }
    assert_eq!(events.purged(), 0);
}

#[tokio::test]
async fn validates_without_running() {
    cli(&["validate", "add", "a=1"]).await.prints("valid\n");
    cli(&["validate", "add", "a=1", "--format", "json"]).await.prints("{\"valid\":true}\n");
    const MISSING: &str = "missing required input: expected an integer";
    let ran = cli(&["validate", "add", "--format", "json"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (5, ""));
    assert_eq!(
        ran.json(),
        json!({"valid": false, "errors": [{"path": "/a", "message": MISSING, "keyword": "required"}]})
    );
    let ran = cli(&["validate", "add"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (5, ""));
    assert!(
        ran.stdout.starts_with("invalid input for `add`: 1 problem\n- /a: missing required input: "),
        "{ran:?}"
    );
}

#[tokio::test]
async fn fails_when_writing_to_stdout_fails() {
    struct Full;

    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let ran = on(app(), &["list"], |_, stderr| Streams::new(std::io::empty(), Full, stderr)).await;
    ran.fails(1, "error: cannot write to stdout: no storage space\n");
}

#[tokio::test]
async fn row_121_cancels_interrupted_calls() {
    let events = Arc::new(Events::default());
    let started = Arc::clone(&events);
    let ran = on(registry::app_with(&events), &["run", "forever", "--format", "json"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr)
            .interrupted_by(async move { started.begun.notified().await })
    })
    .await;
    assert_eq!(ran.code, 130);
    assert_eq!((ran.json()["error_type"].as_str(), ran.stderr.as_str()), (Some("cancelled"), ""));
    assert_eq!(events.dropped(), 1, "the tool is dropped before the program ends");
}

#[tokio::test]
async fn row_121_finishes_interrupted_modifying_calls() {
    let events = Arc::new(Events::default());
    let started = Arc::clone(&events);
    let ran = on(registry::app_with(&events), &["run", "record", "note=a"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr)
            .interrupted_by(async move { started.begun.notified().await })
    })
    .await;
    ran.fails(
        130,
        "`record` modifies data and is allowed to finish; interrupt again to abort it\n\
         error: `record` was interrupted, but was allowed to finish\n",
    );
    assert_eq!(events.recorded(), 1);
}
