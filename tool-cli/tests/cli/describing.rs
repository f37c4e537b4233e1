//! `list`, `info` and `schema`.

use serde_json::json;
use tool_cli::Streams;

use crate::registry::app;
use crate::{cli, on};

#[tokio::test]
async fn lists_tools_by_name() {
    cli(&["list", "--operation", "transform", "--operation", "write"]).await.prints(
        "NAME    OPERATION           DESCRIPTION\n\
         add     transform           Adds two numbers.\n\
         digits  transform           Repeats a number with all of its digits.\n\
         labour  write               Changes something for ever.\n\
         parts   transform           Repeats what is made of parts.\n\
         purge   write, destructive  Deletes everything.\n\
         record  write               Records a note.\n",
    );
    cli(&["list", "--operation", "write", "--format", "name"]).await.prints("labour\npurge\nrecord\n");
    let ran = cli(&["list", "--operation", "write", "--format", "json"]).await;
    assert_eq!(
        ran.json(),
        json!([
            {"name": "labour", "description": "Changes something for ever.", "operation": "write", "destructive": false, "provider": "cli", "requirements": {"met": true}},
            {"name": "purge", "title": "Delete all", "description": "Deletes everything.", "operation": "write", "destructive": true, "provider": "cli", "requirements": {"met": true}},
            {"name": "record", "description": "Records a note.\n\nIt stays until `purge`.", "operation": "write", "destructive": false, "provider": "cli", "requirements": {"met": true}},
        ])
    );
}

#[tokio::test]
async fn prints_an_empty_list() {
    let ran = cli(&["list", "--operation", "trigger"]).await;
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "no tools\n"));
    assert_eq!(cli(&["list", "--operation", "trigger", "--format", "json"]).await.json(), json!([]));
}

#[tokio::test]
async fn fits_tables_to_the_page() {
    let ran = on(app(), &["list", "--operation", "explain"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr).columns(40)
    })
    .await;
    assert!(ran.stdout.lines().count() > 3, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 40), "{}", ran.stdout);
}

#[tokio::test]
async fn prints_all_declared_properties() {
    let ran = cli(&["info", "parts"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let (head, tables) = ran.stdout.split_once("\nSource ").unwrap();
    assert_eq!(
        head,
        "parts  Repeat parts\n\
         \n\
         Repeats what is made of parts.\n\
         \n\
         Operation     transform: computes a new value and changes nothing\n\
         Modifying     no\n\
         Destructive   no\n\
         Idempotent    yes\n\
         Open world    no\n\
         Permission    none\n\
         Access rule   none\n\
         Requirements  none\n\
         MCP surface   tool"
    );
    let (source, tables) = tables.split_once("\n\n").unwrap();
    assert!(source.contains("registry.rs:") && source.contains("module cli::registry"), "{source}");
    assert!(source.contains("\nDigest        blake3:"), "{source}");
    assert!(
        source.ends_with("Example       demo run parts sky=rain 'places:=[{\"name\":\"text\"}]'"),
        "{source}"
    );
    assert_eq!(
        tables,
        "INPUT           TYPE               REQUIRED  DESCRIPTION\n\
         sky             string             yes       The sky.\n\
         \u{20}                                            allowed:\n\
         \u{20}                                              rain: It rains.\n\
         \u{20}                                              sun: It shines.\n\
         \u{20}                                            example: rain\n\
         places          list of map        yes       Where.\n\
         places[]        map                          A place.\n\
         places[].name   string             yes       Its name.\n\
         places[].floor  integer            no        Its floor.\n\
         \u{20}                                            from -128 to 127\n\
         limits          map of number      no        By name.\n\
         id              string or integer  no        Number or name.\n\
         share           integer            no        A percentage.\n\
         \u{20}                                            default: 50\n\
         \u{20}                                            from 0 to 255\n\
         \u{20}                                            example: 25\n\
         \n\
         OUTPUT          TYPE                       DESCRIPTION\n\
         .               map                        What is made of parts.\n\
         sky             string                     The sky again.\n\
         \u{20}                                          allowed:\n\
         \u{20}                                            rain: It rains.\n\
         \u{20}                                            sun: It shines.\n\
         places          list of map\n\
         places[]        map                        A place.\n\
         places[].name   string                     Its name.\n\
         places[].floor  integer or null            Its floor.\n\
         \u{20}                                          from -128 to 127\n\
         limits          map of number or null\n\
         id              string or integer or null  A number or a name.\n"
    );
}

#[tokio::test]
async fn prints_schemas_in_json() {
    let info = cli(&["info", "add", "--format", "json"]).await.json();
    let keys: Vec<_> = info.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "name",
            "description",
            "provider",
            "operation",
            "modifying",
            "destructive",
            "idempotent",
            "open_world",
            "annotations",
            "access_rule",
            "requirements",
            "surface",
            "inputs",
            "outputs",
            "input_schema",
            "output_schema",
            "example",
            "source",
            "digest"
        ]
    );
    assert_eq!(info["inputs"][0]["type"], "integer");
    assert_eq!(info["inputs"][1]["default"], 5);
    assert_eq!(info["outputs"]["type"], "integer");
    assert_eq!(info["input_schema"], cli(&["schema", "add"]).await.json());
    assert_eq!(info["output_schema"], cli(&["schema", "add", "--output"]).await.json());
    assert_eq!(info["output_schema"]["properties"]["result"]["type"], "integer");
}

#[tokio::test]
async fn reports_a_missing_output_schema() {
    cli(&["schema", "greet", "--output"])
        .await
        .fails(1, "error: tool `greet` has no output schema: it returns text, content or nothing\n");
}

#[tokio::test]
async fn prints_schemas_for_a_vendor() {
    let schema = |profile: &'static str| async move { cli(&["schema", "add", "--profile", profile]).await };
    assert_eq!(schema("mcp").await.json(), cli(&["schema", "add"]).await.json());
    assert_eq!(schema("openai-strict").await.json()["required"], json!(["a", "b"]));
    assert_eq!(schema("native").await.json()[1]["default"], 5);
    let unknown = schema("opnai").await;
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("[possible values: mcp, no-ref, openai, openai-strict, "), "{unknown:?}");
    let both = cli(&["schema", "add", "--output", "--profile", "mcp"]).await;
    assert_eq!((both.code, both.stdout.as_str()), (2, ""));
    cli(&["schema", "parts", "--profile", "openai-strict"]).await.fails(
        1,
        "error: `openai-strict` does not support objects with arbitrary property names: there is one at `/properties/limits`\n\
         help: the profile `openai`, which is not strict, takes it\n",
    );
}

#[tokio::test]
async fn says_how_to_run_a_tool_that_is_given_as_a_command() {
    let ran = cli(&["add", "a=1"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let expected = "error: unrecognized subcommand 'add'\n\n  tip: 'add' is a tool: 'demo run add'\n\n\
                    Usage: demo [OPTIONS] <COMMAND>\n\nFor more information, try '--help'.\n";
    assert_eq!(ran.stderr, expected);
    // A similar command is still suggested for other words.
    let other = cli(&["lsit"]).await.stderr;
    assert!(other.contains("similar subcommand") && !other.contains("is a tool"), "{other}");
    let neither = cli(&["frobnicate"]).await.stderr;
    assert!(!neither.contains("tip:"), "{neither}");
}

#[tokio::test]
async fn suggests_similar_tool_names() {
    for command in ["info", "schema", "run", "validate"] {
        cli(&[command, "gret"]).await.fails(3, "error: Tool not found: gret\nhelp: did you mean `greet`?\n");
    }
    cli(&["info", "weather"]).await.fails(3, "error: Tool not found: weather\n");
    for command in ["info", "run", "validate"] {
        let ran = cli(&[command, "nope", "--format", "json"]).await;
        assert_eq!((ran.code, ran.stderr.as_str()), (3, ""), "{command}");
        assert_eq!(
            (&ran.json()["success"], &ran.json()["error_type"]),
            (&json!(false), &json!("tool_not_found"))
        );
    }
}
