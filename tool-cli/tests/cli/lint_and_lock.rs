//! `lint` and `lock`.

use std::{fs, io};

use serde_json::json;
use tool_cli::{App, Server, Streams};
use tool_core::lint::{Lint, LintRule};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

use crate::{Ran, on};

/// A tool that takes a number or a text.
fn app(kind: &str) -> App {
    App::new("demo", registry(kind))
}

fn registry(kind: &str) -> Registry {
    let definition = ToolDefinition::builder("measure", "Measures the length of something in metres.")
        .operation(Operation::Read)
        .input_schema(json!({"type": "object", "properties": {"of": {"type": kind, "description": "What to measure."}}}))
        .build()
        .unwrap();
    let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) });
    Registry::builder().tool(tool).build().unwrap()
}

async fn run(app: App, arguments: &[&str]) -> Ran {
    on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn writes_and_checks_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tools.lock");
    let file = path.to_str().unwrap();
    let lock =
        async |kind: &str, more: &[&str]| run(app(kind), &[&["lock", "--file", file], more].concat()).await;

    lock("string", &["--check"]).await.fails(
        1,
        &format!("error: `{file}` does not exist\nhelp: run `lock` without `--check` to create it\n"),
    );
    lock("string", &[]).await.fails(0, &format!("`{file}` is new\n"));
    let text = fs::read_to_string(&path).unwrap();
    run(app("string"), &["lock", "--file", "-"]).await.prints(&text);
    lock("string", &["--check"]).await.fails(0, &format!("`{file}` is up to date\n"));

    let changed = lock("integer", &["--check"]).await;
    assert_eq!(changed.code, 1);
    assert!(changed.stdout.starts_with("breaking: `measure`, "), "{changed:?}");
    assert!(
        changed.stderr.contains("1 differences from") && changed.stderr.contains("1 breaking"),
        "{changed:?}"
    );
    assert!(changed.stderr.contains(&format!("error: the tools differ from `{file}`\n")), "{changed:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "checking changes nothing");
    let data = lock("integer", &["--check", "--format", "json"]).await.json();
    assert_eq!((&data["breaking"], &data["differences"][0]["tool"]), (&json!(true), &json!("measure")));

    assert_eq!(lock("integer", &[]).await.code, 0);
    assert_eq!(lock("integer", &["--check"]).await.code, 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");

    fs::write(&path, "{}").unwrap();
    let broken = lock("string", &[]).await;
    assert_eq!((broken.code, broken.stdout.as_str()), (1, ""));
    assert!(broken.stderr.starts_with(&format!("error: cannot use `{file}`: ")), "{broken:?}");
}

/// Returns the list of a service with the tool, as HTTP has it.
fn list(kind: &str) -> String {
    let registry = registry(kind);
    let tool = registry.get("measure").unwrap();
    let listed = json!([{
        "name": tool.name(), "description": tool.description(), "operation": tool.operation(),
        "annotations": tool.annotations(), "inputSchema": tool.input_schema(), "digest": tool.digest().to_string(),
    }]);
    listed.to_string()
}

#[tokio::test]
async fn compares_with_what_is_running() {
    let check = async |kind: &str, running: String, more: &[&str]| {
        let arguments = [&["lock", "--check", "--against", "-"], more].concat();
        on(app(kind), &arguments, |stdout, stderr| Streams::new(io::Cursor::new(running), stdout, stderr))
            .await
    };
    let lock = run(app("integer"), &["lock", "--file", "-"]).await.stdout;
    for running in [lock, list("integer")] {
        check("integer", running.clone(), &[]).await.fails(0, "stdin is up to date\n");
        // A number may be an integer, so that earlier calls still work.
        let widened = check("number", running.clone(), &[]).await;
        assert_eq!(widened.code, 0, "{widened:?}");
        assert!(widened.stdout.starts_with("compatible: `measure`, input /of: "), "{widened:?}");
        assert_eq!(widened.stderr, "1 differences from stdin, 0 breaking\n");
        let narrowed = check("string", running.clone(), &[]).await;
        assert_eq!(narrowed.code, 1, "{narrowed:?}");
        assert!(narrowed.stdout.starts_with("breaking: `measure`, input /of: "), "{narrowed:?}");
        assert!(narrowed.stderr.contains("error: the tools break callers of stdin\n"), "{narrowed:?}");
        let data = check("string", running, &["--format", "json"]).await.json();
        assert_eq!((&data["breaking"], &data["differences"][0]["tool"]), (&json!(true), &json!("measure")));
    }
    for text in ["", "[1]", "{}"] {
        let broken = check("string", text.to_owned(), &[]).await;
        assert_eq!((broken.code, broken.stdout.as_str()), (1, ""), "{broken:?}");
        assert!(broken.stderr.starts_with("error: cannot use `-`: not a "), "{broken:?}");
    }
    let alone = run(app("string"), &["lock", "--against", "-"]).await;
    assert_eq!(alone.code, 2, "{alone:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn reads_no_more_than_a_lock_has() {
    for arguments in [&["lock", "--file", "/dev/zero"][..], &["lock", "--check", "--against", "/dev/zero"]] {
        let endless = run(app("integer"), arguments).await;
        endless.fails(2, "error: `/dev/zero` has more than 67108864 bytes, the most that is read\n");
    }
}

/// A server whose tools break callers does not start, so that a rolling upgrade stops before the first replica.
#[tokio::test]
async fn starts_no_server_that_breaks_callers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("running.json");
    fs::write(&file, list("integer")).unwrap();
    let serve = async |kind: &str, arguments: &[&str]| {
        let server = Server::new(async |_| Err("the server has started".into()));
        run(app(kind).server("web", server), &[&["serve", "web"], arguments].concat()).await
    };
    let against = ["--against", file.to_str().unwrap()];
    for kind in ["integer", "number"] {
        serve(kind, &against).await.fails(1, "error: the server failed: the server has started\n");
    }
    let refused = serve("string", &against).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
    assert!(refused.stderr.starts_with("breaking: `measure`, input /of: "), "{refused:?}");
    assert!(refused.stderr.contains(&format!("break callers of `{}`\n", file.display())), "{refused:?}");
    serve("string", &[]).await.fails(1, "error: the server failed: the server has started\n");
    fs::remove_file(&file).unwrap();
    assert_eq!(serve("integer", &against).await.code, 2);

    let own =
        Server::new(async |options| Err(format!("of the server: {:?}", options.text("against")).into()));
    let own = app("string").server("web", own.text("against", "TEXT", "An option of the server"));
    run(own, &["serve", "web", "--against", "x"])
        .await
        .fails(1, "error: the server failed: of the server: Some(\"x\")\n");
}

#[tokio::test]
async fn fails_on_lint_findings() {
    run(app("string"), &["lint"]).await.fails(0, "nothing to improve\n");
    run(app("string"), &["lint", "--format", "json"]).await.prints("[]\n");
    let strict = || app("string").lint(Lint::default().most_tools(0));
    let ran = run(strict(), &["lint"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (1, "error: there is 1 finding\n"));
    assert!(ran.stdout.starts_with("too-many-tools: "), "{ran:?}");
    let ran = run(strict(), &["lint", "--format", "json"]).await;
    assert_eq!((ran.code, &ran.json()[0]["code"]), (1, &json!("too-many-tools")));
    run(strict(), &["lint", "--without", LintRule::TooManyTools.code()])
        .await
        .fails(0, "nothing to improve\n");
    assert_eq!(run(strict(), &["lint", "--without", "no-such-rule"]).await.code, 2);
}
