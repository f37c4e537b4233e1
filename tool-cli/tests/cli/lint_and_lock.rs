//! `lint` and `lock`.

use std::fs;

use serde_json::json;
use tool_cli::{App, Streams};
use tool_core::lint::{Lint, LintRule};
use tool_core::{DynamicTool, Operation, Output, Registry, ToolDefinition};

use crate::{Ran, on};

/// A tool that takes a number or a text.
fn app(kind: &str) -> App {
    let definition = ToolDefinition::builder("measure", "Measures the length of something in metres.")
        .operation(Operation::Read)
        .input_schema(json!({"type": "object", "properties": {"of": {"type": kind, "description": "What to measure."}}}))
        .build()
        .unwrap();
    let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) });
    App::new("demo", Registry::builder().tool(tool).build().unwrap())
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
