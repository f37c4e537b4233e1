//! The flags of `run NAME`, one for each input of the tool.

use serde_json::{Value, json};
use tool_cli::{App, Streams};
use tool_core::{DynamicTool, Output, Registry, ToolDefinition, tool};

use crate::{Ran, cli, on};

#[tokio::test]
async fn adds_a_flag_per_input() {
    cli(&["run", "add", "--a", "1", "--b=2"]).await.prints("3\n");
    cli(&["run", "add", "--a", "-1", "--b", "-2"]).await.prints("-3\n");
    cli(&["run", "--a", "1", "add"]).await.prints("6\n");
    cli(&["run", "greet", "--name", "5"]).await.prints("Good morning, 5\n");
    let ran = cli(&[
        "run",
        "parts",
        "--sky",
        "sun",
        "--places",
        r#"{"name":"a"}"#,
        "--places",
        r#"{"name":"b"}"#,
        "--format",
        "json",
    ])
    .await;
    assert_eq!(
        ran.json()["output"]["places"],
        json!([{"name": "a", "floor": null}, {"name": "b", "floor": null}])
    );
    let ran = cli(&[
        "run",
        "parts",
        "--sky=sun",
        "--places",
        r#"[{"name":"a"}]"#,
        "--limits",
        r#"{"x":1}"#,
        "--format",
        "json",
    ])
    .await;
    assert_eq!(
        (&ran.json()["output"]["places"], &ran.json()["output"]["limits"]),
        (&json!([{"name": "a", "floor": null}]), &json!({"x": 1.0}))
    );
    cli(&["run", "hostile", "--fail"]).await.fails(1, "error: \\u001b[2Jgone\n");
    assert_eq!(cli(&["run", "hostile", "--fail=false"]).await.code, 0);
}

#[tokio::test]
async fn prefers_later_flags_and_sources() {
    cli(&["run", "add", "--input-json", r#"{"a":1,"b":2}"#, "--b", "10"]).await.prints("11\n");
    cli(&["run", "add", "--b", "10", "--input-json", r#"{"a":1,"b":2}"#]).await.prints("3\n");
    cli(&["run", "add", "--a", "1", "a=2"])
        .await
        .fails(2, "error: input `a` is given twice as an argument\n");
    let ran = cli(&["run", "add", "--a", "1", "--a", "2"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.starts_with("error: the argument '--a <INTEGER>' cannot be used multiple times"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn reports_invalid_flags_like_other_inputs() {
    let by_flag = cli(&["run", "add", "--a", "one", "--b", "two"]).await;
    let by_pair = cli(&["run", "add", "a=one", "b=two"]).await;
    assert_eq!((by_flag.code, &by_flag.stderr), (5, &by_pair.stderr));
    let unknown = cli(&["run", "add", "--a", "1", "--bb", "2"]).await;
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("unexpected argument '--bb'") && unknown.stderr.contains("'--b'"),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn explains_values_after_a_switch() {
    for value in ["true", "false"] {
        let help = format!("help: write `--fail={value}`\n");
        let error = format!("error: `{value}` is neither key=value nor key:=json\n{help}");
        cli(&["run", "hostile", "--fail", value]).await.fails(2, &error);
    }
    // No input is required, so that there is none to suggest.
    let no_pair = |given: &str| format!("error: `{given}` is neither key=value nor key:=json\n");
    cli(&["run", "hostile", "--fail", "yes"]).await.fails(2, &no_pair("yes"));
    cli(&["run", "hostile", "true", "--fail"]).await.fails(2, &no_pair("true"));
}

#[tokio::test]
async fn shows_inputs_in_help() {
    let help = cli(&["run", "parts", "--help"]).await;
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(
        help.stdout
            .starts_with("Repeats what is made of parts.\n\nUsage: demo run [OPTIONS] parts [ARGS]...\n"),
        "{}",
        help.stdout
    );
    for line in [
        "      --sky <STRING>",
        "          The sky. [required] [example: rain]",
        "          - rain: It rains.",
        "      --places <JSON>",
        "          Where. (may be repeated, or given as one JSON list) [required]",
        "      --share <INTEGER>",
        "          A percentage. [from 0 to 255] [default: 50] [example: 25]",
        "`demo info parts` shows everything that the tool declares.",
    ] {
        assert!(help.stdout.contains(&format!("{line}\n")), "{line}\n{}", help.stdout);
    }
    let destroys =
        "This tool is destructive: it asks for confirmation, and needs --yes without a terminal.\n";
    assert!(!help.stdout.contains(destroys), "{}", help.stdout);
    let help = cli(&["run", "purge", "--help"]).await;
    assert!(help.stdout.contains(destroys), "{}", help.stdout);
    let help = cli(&["validate", "purge", "--help"]).await;
    assert!(!help.stdout.contains(destroys), "{}", help.stdout);
    let other = cli(&["run", "--help"]).await;
    assert!(
        !other.stdout.contains("--sky")
            && other.stdout.contains("Usage: demo run [OPTIONS] <NAME> [ARGS]..."),
        "{}",
        other.stdout
    );
}

/// Takes what looks like options.
#[tool(operation = Transform)]
fn looks_like_options(
    /** One. */
    help: String,
    /** Two. */
    dry_run: bool,
    /** Three. */
    format: Option<String>,
    /** Four. */
    node_id: Option<u8>,
) -> String {
    format!("{help} {dry_run} {format:?} {node_id:?}")
}

/// Is named as a command is.
#[tool(operation = Explain, name = "help")]
fn named_help() -> &'static str {
    "no help"
}

/// Returns a tool with inputs that cannot be options.
fn odd() -> DynamicTool {
    let names = ["ok", "", "a=b", "-dash", "a b", "\u{202e}x", "größe", "Yes", "node_x", "node-x"];
    let properties: serde_json::Map<String, Value> = names
        .into_iter()
        .map(|name| (name.to_owned(), json!({"type": "string", "description": "Odd."})))
        .collect();
    let definition = ToolDefinition::builder("-x", "Has odd inputs.")
        .operation(tool_core::Operation::Read)
        .input_schema(json!({"type": "object", "properties": properties}))
        .build()
        .unwrap();
    DynamicTool::new(definition, |_, arguments: Value| async move { Ok(Output::text(arguments.to_string())) })
}

async fn ours(arguments: &[&str]) -> Ran {
    let is_ours = |tool: &ToolDefinition| tool.source().module == module_path!() || tool.name() == "-x";
    let builder = Registry::builder().linked().tool(odd()).select(is_ours);
    let app = App::new("demo", builder.build().unwrap());
    on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn accepts_conflicting_inputs_as_pairs() {
    ours(&["run", "looks_like_options", "help=x", "dry_run=true", "format=y", "--node-id", "7"])
        .await
        .prints("x true Some(\"y\") Some(7)\n");
    ours(&["run", "looks_like_options", "help=x", "dry_run=true", "--node_id=7"])
        .await
        .prints("x true None Some(7)\n");
    let help = ours(&["run", "looks_like_options", "--help"]).await;
    assert_eq!(help.code, 0);
    assert!(
        help.stdout
            .ends_with("Only as key=value, key:=json or in --input-json: `help`, `dry_run` and `format`\n"),
        "{}",
        help.stdout
    );
    assert!(
        !help.stdout.contains("--dry_run") && help.stdout.contains("--node_id <INTEGER>"),
        "{}",
        help.stdout
    );
}

#[tokio::test]
async fn row_118_handles_hostile_names() {
    ours(&["run", "--", "-x", "ok=1", "größe=2", "a b=3"])
        .await
        .prints("{\"ok\":\"1\",\"größe\":\"2\",\"a b\":\"3\"}\n");
    ours(&["run", "--ok=1", "--größe=2", "--node-x=3", "--", "-x"])
        .await
        .prints("{\"ok\":\"1\",\"größe\":\"2\",\"node_x\":\"3\"}\n");
    ours(&["run", "--input-json", r#"{"a=b":"1","":"2"}"#, "--", "-x"])
        .await
        .prints("{\"a=b\":\"1\",\"\":\"2\"}\n");
    let help = ours(&["run", "--help", "--", "-x"]).await;
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("Usage: demo run [OPTIONS] -- -x [ARGS]..."), "{}", help.stdout);
    assert!(
        help.stdout.contains("`\\u202ex`, `Yes` and\n`node-x`") && !help.stdout.contains('\u{202e}'),
        "{}",
        help.stdout
    );
    let info = ours(&["info", "--", "-x"]).await;
    assert!(info.stdout.contains("\\u202ex") && !info.stdout.contains('\u{202e}'), "{}", info.stdout);
    assert!(info.stdout.contains("Example       demo run -- -x\n"), "{}", info.stdout);
    ours(&["list", "--format", "name"]).await.prints("-x\nhelp\nlooks_like_options\n");
    ours(&["run", "help"]).await.prints("no help\n");
    assert_eq!(ours(&["info", "help", "--format", "json"]).await.json()["name"], "help");
}
