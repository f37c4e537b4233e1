//! The command line as a user meets it: what is printed where, and with which exit code.

#[path = "cli/process.rs"]
mod process;
#[path = "cli/registry.rs"]
mod registry;

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::Arc;

use registry::{Events, app};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tool_cli::{App, Buffer, Server, Streams};

/// What a command left behind.
#[derive(Debug)]
struct Ran {
    code: u8,
    stdout: String,
    stderr: String,
}

impl Ran {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that nothing but this went to stderr.
    #[track_caller]
    fn fails(&self, code: u8, stderr: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (code, "", stderr));
    }

    /// Asserts that nothing but this went to stdout.
    #[track_caller]
    fn prints(&self, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (0, stdout, ""));
    }
}

async fn on(app: App, arguments: &[&str], streams: impl FnOnce(Buffer, Buffer) -> Streams) -> Ran {
    let (stdout, stderr) = (Buffer::default(), Buffer::default());
    let code = app.run_with(arguments, streams(stdout.clone(), stderr.clone())).await;
    Ran { code, stdout: stdout.text(), stderr: stderr.text() }
}

async fn cli(arguments: &[&str]) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

async fn with_stdin(arguments: &[&str], stdin: &'static str) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(stdin.as_bytes(), stdout, stderr)).await
}

async fn at_terminal(arguments: &[&str], answer: &'static str) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(answer.as_bytes(), stdout, stderr).interactive()).await
}

#[tokio::test]
async fn list_shows_the_tools_by_name() {
    cli(&["list", "--operation", "transform", "--operation", "write"]).await.prints(
        "NAME    OPERATION           DESCRIPTION\n\
         add     transform           Adds two numbers.\n\
         digits  transform           Repeats a number with all of its digits.\n\
         parts   transform           Repeats what is made of parts.\n\
         purge   write, destructive  Deletes everything.\n\
         record  write               Records a note.\n",
    );
    cli(&["list", "--operation", "write", "--format", "name"]).await.prints("purge\nrecord\n");
    let ran = cli(&["list", "--operation", "write", "--format", "json"]).await;
    assert_eq!(
        ran.json(),
        json!([
            {"name": "purge", "title": "Delete all", "description": "Deletes everything.", "operation": "write", "destructive": true},
            {"name": "record", "description": "Records a note.\n\nIt stays until `purge`.", "operation": "write", "destructive": false},
        ])
    );
}

#[tokio::test]
async fn a_list_without_tools_is_empty_and_no_failure() {
    let ran = cli(&["list", "--operation", "trigger"]).await;
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", "no tools\n"));
    assert_eq!(cli(&["list", "--operation", "trigger", "--format", "json"]).await.json(), json!([]));
}

#[tokio::test]
async fn a_table_is_as_wide_as_the_page() {
    let ran = on(app(), &["list", "--operation", "explain"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr).columns(40)
    })
    .await;
    assert!(ran.stdout.lines().count() > 3, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 40), "{}", ran.stdout);
}

#[tokio::test]
async fn info_tells_everything_that_is_declared() {
    let ran = cli(&["info", "parts"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let (head, tables) = ran.stdout.split_once("\nSource ").unwrap();
    assert_eq!(
        head,
        "parts  Repeat parts\n\
         \n\
         Repeats what is made of parts.\n\
         \n\
         Operation    transform: computes a new value and changes nothing\n\
         Modifying    no\n\
         Destructive  no\n\
         Idempotent   yes\n\
         Open world   no"
    );
    let (source, tables) = tables.split_once("\n\n").unwrap();
    assert!(source.contains("registry.rs:") && source.contains("module cli::registry"), "{source}");
    assert!(source.contains("\nDigest       blake3:"), "{source}");
    assert!(
        source.ends_with("Example      demo run parts sky=rain 'places:=[{\"name\":\"text\"}]'"),
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
async fn info_as_json_has_the_schemas() {
    let info = cli(&["info", "add", "--format", "json"]).await.json();
    let keys: Vec<_> = info.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "name",
            "description",
            "operation",
            "modifying",
            "destructive",
            "idempotent",
            "open_world",
            "annotations",
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
async fn a_tool_without_an_output_schema_says_so() {
    cli(&["schema", "greet", "--output"])
        .await
        .fails(1, "error: tool `greet` has no output schema: it returns a text, content or nothing\n");
}

#[tokio::test]
async fn run_shows_a_text_as_it_is_and_other_values_as_json() {
    cli(&["run", "greet", "name=Ada"]).await.prints("Good morning, Ada\n");
    cli(&["run", "add", "a=1"]).await.prints("6\n");
    cli(&["run", "nothing"]).await.prints("");
    cli(&["run", "parts", "sky=sun", "places=[]"])
        .await
        .prints("{\n  \"sky\": \"sun\",\n  \"places\": []\n}\n");
    cli(&["run", "blocks"]).await.prints("first\n[image: image/png, 3 bytes]\nreport: file:///r.pdf\n");
}

#[tokio::test]
async fn run_as_json_is_one_object() {
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
async fn a_failing_tool_is_heard() {
    cli(&["run", "locked"]).await.fails(1, "error: the archive is locked\n");
    let ran = cli(&["run", "locked", "--format", "json"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(
        ran.stdout,
        "{\"success\":false,\"error\":\"the archive is locked\",\"error_type\":\"execution_failed\",\"retryable\":false}\n"
    );
    let ran = cli(&["run", "bug", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (70, Some("internal")));
}

#[tokio::test]
async fn wrong_input_is_told_in_full() {
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
async fn an_unknown_tool_has_a_near_name() {
    for command in ["info", "schema", "run", "validate"] {
        cli(&[command, "gret"])
            .await
            .fails(3, "error: Tool not found: gret\nhelp: there is a tool with a similar name: `greet`\n");
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

#[tokio::test]
async fn a_value_is_read_by_the_type_of_its_input() {
    let cases = [
        ("greet", "name=5", json!({"name": "5"})),
        ("greet", "name=a=b:=c", json!({"name": "a=b:=c"})),
        ("greet", "name=", json!({"name": ""})),
        ("greet", r#"name="quoted""#, json!({"name": "\"quoted\""})),
        ("greet", r#"name:="quoted""#, json!({"name": "quoted"})),
    ];
    for (tool, pair, expected) in cases {
        let ran = cli(&["run", tool, pair]).await;
        assert_eq!(ran.stdout, format!("Good morning, {}\n", expected["name"].as_str().unwrap()), "{pair}");
    }
    let parts = async |pair: &str| {
        cli(&["run", "parts", "sky=sun", "places=[]", pair, "--format", "json"]).await.json()["output"]
            .clone()
    };
    assert_eq!(parts("id=7").await["id"], 7);
    assert_eq!(parts("id=seven").await["id"], "seven");
    assert_eq!(parts("id=[7]").await["id"], "[7]");
    assert_eq!(parts(r#"limits={"low":1.5}"#).await["limits"], json!({"low": 1.5}));
}

#[tokio::test]
async fn a_number_keeps_its_digits() {
    for number in ["18446744073709551615", "0.1234567890123456"] {
        let input = if number.contains('.') { "float" } else { "integer" };
        let pair = format!("{input}:={number}");
        let ran = cli(&["run", "digits", &pair, "--format", "json"]).await;
        assert!(
            ran.stdout.starts_with(&format!("{{\"success\":true,\"output\":{{\"{input}\":{number}}}")),
            "{ran:?}"
        );
        let ran = cli(&["run", "digits", &pair]).await;
        assert_eq!(ran.stdout, format!("{{\n  \"{input}\": {number}\n}}\n"));
    }
}

#[tokio::test]
async fn the_source_that_stands_later_counts() {
    cli(&["run", "add", "--input-json", r#"{"a":1,"b":2}"#, "b=10"]).await.prints("11\n");
    cli(&["run", "add", "b=10", "--input-json", r#"{"a":1,"b":2}"#]).await.prints("3\n");
    cli(&["run", "add", "--input-json", r#"{"a":1}"#, "--input-json", r#"{"a":2,"b":2}"#])
        .await
        .prints("4\n");
    with_stdin(&["run", "add", "--input-json", "-"], r#" {"a": 40, "b": 2} "#).await.prints("42\n");
    with_stdin(&["run", "add", "a=1", "--input-json", "-"], "").await.prints("6\n");
}

#[tokio::test]
async fn one_source_gives_an_input_once() {
    cli(&["run", "add", "a=1", "a=2"]).await.fails(2, "error: input `a` is given twice as an argument\n");
    cli(&["run", "add", "a=1", "--input-json", "{}", "a:=1"])
        .await
        .fails(2, "error: input `a` is given twice as an argument\n");
    cli(&["run", "add", "--input-json", r#"{"a":1,"\u0061":2}"#])
        .await
        .fails(2, "error: input `a` is given twice in one --input-json\n");
    let ran = cli(&["run", "parts", "sky=sun", r#"places:=[{"name":"a","name":"b"}]"#]).await;
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("- /places/0/name: the same member is given twice"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_file_holds_the_arguments() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(br#"{"a": 1, "b": 1}"#).unwrap();
    let from = format!("@{}", file.path().display());
    cli(&["run", "add", "--input-json", &from]).await.prints("2\n");

    let ran = cli(&["run", "add", "--input-json", "@no/such/file.json"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: cannot read `no/such/file.json`: "), "{}", ran.stderr);
}

#[tokio::test]
async fn what_is_no_pair_and_no_json_is_refused() {
    for given in ["a", "=1", ":=1", "{}"] {
        cli(&["run", "add", given])
            .await
            .fails(2, &format!("error: `{given}` is neither key=value nor key:=json\n"));
    }
    let ran = cli(&["run", "add", r#"a:=1,"b":2"#]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: the value of `a:=` is not JSON: "), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("\nhelp: write `a=…` for a text\n"), "{}", ran.stderr);

    for (text, says) in [("{", "the arguments for `add` are not JSON"), ("[1]", "expected an object")] {
        let ran = cli(&["run", "add", "--input-json", text, "a=1"]).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (5, ""));
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn wrong_usage_is_2_and_help_is_0() {
    for arguments in
        [&["run"][..], &["frobnicate"], &["list", "--operation", "drop"], &["list", "--format", "xml"], &[]]
    {
        let ran = cli(arguments).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty());
    }
    let ran = cli(&["--help"]).await;
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("A demonstration\n\nUsage: demo "), "{}", ran.stdout);
    cli(&["--version"]).await.prints("demo 1.2.3 (14 tools)\n");
}

#[cfg(unix)]
#[tokio::test]
async fn an_argument_that_is_no_unicode_is_wrong_usage() {
    use std::os::unix::ffi::OsStringExt as _;

    let stderr = Buffer::default();
    let streams = Streams::new(std::io::empty(), std::io::sink(), stderr.clone());
    let arguments = [OsString::from("run"), "greet".into(), OsString::from_vec(b"name=\xff".into())];
    assert_eq!(app().run_with(arguments, streams).await, 2);
    assert!(stderr.text().starts_with("error: invalid UTF-8 "), "{}", stderr.text());
}

#[tokio::test]
async fn a_destructive_tool_is_confirmed() {
    let refusal = "error: `purge` may destroy or overwrite and was not run: say so with --yes\n";
    cli(&["run", "purge"]).await.fails(7, refusal);
    with_stdin(&["run", "purge"], "y\n").await.fails(7, refusal);
    let ran = cli(&["run", "purge", "--format", "json"]).await;
    assert_eq!((ran.code, ran.json()["error_type"].as_str()), (7, Some("refused")));

    cli(&["run", "purge", "--yes"]).await.prints("purged\n");
    let question = "`purge` may destroy or overwrite. Run it? [y/N] ";
    let ran = at_terminal(&["run", "purge"], "y\n").await;
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "purged\n", question));
    for answer in ["n\n", "\n", ""] {
        at_terminal(&["run", "purge"], answer).await.fails(
            7,
            &format!(
                "{question}error: `purge` may destroy or overwrite and was not run: it was not confirmed\n"
            ),
        );
    }
    let ran = at_terminal(&["run", "purge", "x=1"], "y\n").await;
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(!ran.stderr.contains("Run it?"), "{}", ran.stderr);
}

#[tokio::test]
async fn a_tool_that_was_not_confirmed_did_not_run() {
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
async fn validate_tells_problems_and_runs_nothing() {
    cli(&["validate", "add", "a=1"]).await.prints("valid\n");
    cli(&["validate", "add", "a=1", "--format", "json"]).await.prints("{\"valid\":true}\n");
    const MISSING: &str =
        "missing required input: expected an integer from -9223372036854775808 to 9223372036854775807";
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
async fn texts_do_not_command_the_terminal() {
    let hostile = |text: &str| text.contains(['\u{1b}', '\u{9b}', '\u{202e}']);
    for arguments in [
        &["list"][..],
        &["info", "hostile"],
        &["run", "hostile"],
        &["run", "hostile", "fail=true"],
        &["run", "hostile_json"],
        &["run", "greet", "name=\u{1b}[31m"],
        &["run", "\u{1b}[31m"],
        &["\u{1b}[31m"],
    ] {
        let ran = cli(arguments).await;
        assert!(!hostile(&ran.stdout) && !hostile(&ran.stderr), "{ran:?}");
    }
    cli(&["run", "hostile"]).await.prints("\\u001b]0;mine\\u0007\\u202e\n");
    cli(&["run", "hostile", "fail=true"]).await.fails(1, "error: \\u001b[2Jgone\n");

    let ran = cli(&["run", "hostile", "--format", "json"]).await;
    assert_eq!(ran.json()["output"], "\u{1b}]0;mine\u{7}\u{202e}");
    assert!(ran.stdout.contains('\u{202e}'), "{ran:?}");
    let listed = cli(&["list", "--format", "json"]).await.json();
    let described = listed.as_array().unwrap().iter().find(|row| row["name"] == "hostile").unwrap();
    assert_eq!(described["description"], "Tells \u{1b}[8mnothing\u{202e} good.");
}

#[tokio::test]
async fn colours_are_for_those_who_ask() {
    let ran = cli(&["list", "--color", "always"]).await;
    assert!(ran.stdout.starts_with("\u{1b}[1mNAME"), "{:?}", ran.stdout);
    let ran = cli(&["list"]).await;
    assert!(ran.stdout.starts_with("NAME"), "{:?}", ran.stdout);
    let ran = cli(&["--color", "always", "run", "locked"]).await;
    assert!(ran.stderr.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m the archive"), "{:?}", ran.stderr);
}

#[tokio::test]
async fn a_result_that_cannot_be_written_is_no_success() {
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
async fn an_interrupted_call_ends() {
    let events = Arc::new(Events::default());
    let started = Arc::clone(&events);
    let ran = on(registry::app_with(&events), &["run", "forever", "--format", "json"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr)
            .interrupted_by(async move { started.begun.notified().await })
    })
    .await;
    assert_eq!(ran.code, 130);
    assert_eq!((ran.json()["error_type"].as_str(), ran.stderr.as_str()), (Some("cancelled"), ""));
}

#[tokio::test]
async fn an_interrupted_change_runs_to_its_end() {
    let events = Arc::new(Events::default());
    let started = Arc::clone(&events);
    let ran = on(registry::app_with(&events), &["run", "record", "note=a"], |stdout, stderr| {
        Streams::new(std::io::empty(), stdout, stderr)
            .interrupted_by(async move { started.begun.notified().await })
    })
    .await;
    ran.fails(130, "error: `record` was interrupted\n");
    assert_eq!(events.recorded(), 1);
}

#[tokio::test]
async fn a_server_gets_its_options_and_shuts_down() {
    let listening = Arc::new(Notify::new());
    let bound = Arc::clone(&listening);
    let server = Server::new(async move |options| {
        let listener = tokio::net::TcpListener::bind(options.addr.ok_or("no address")?).await?;
        assert!(options.allow_execute);
        options.listening(listener.local_addr()?);
        bound.notify_one();
        options.shutdown().await;
        Ok(())
    });
    let ran = on(
        app().server("http", server.addr(([127, 0, 0, 1], 8080))),
        &["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"],
        |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
                .interrupted_by(async move { listening.notified().await })
        },
    )
    .await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let port =
        ran.stderr.strip_prefix("listening on http://127.0.0.1:").and_then(|rest| rest.strip_suffix('\n'));
    assert_ne!(port.unwrap().parse::<u16>().unwrap(), 0);
}

#[tokio::test]
async fn an_address_has_the_default_of_its_server() {
    let says =
        || Server::new(async |options| Err(format!("{:?} {}", options.addr, options.allow_execute).into()));
    let run = async |arguments: &[&str]| {
        let app = app().server("http", says().addr(([127, 0, 0, 1], 8080))).server("mcp", says());
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    run(&["serve", "http"]).await.fails(1, "error: the server failed: Some(127.0.0.1:8080) false\n");
    run(&["serve", "mcp"]).await.fails(1, "error: the server failed: None false\n");
    run(&["serve", "mcp", "--addr", "[::1]:0"])
        .await
        .fails(1, "error: the server failed: Some([::1]:0) false\n");
    for arguments in [&["serve"][..], &["serve", "smtp"], &["serve", "mcp", "--addr", "here"]] {
        assert_eq!(run(arguments).await.code, 2, "{arguments:?}");
    }
    assert_eq!(cli(&["serve"]).await.code, 2, "an application without servers has no such command");
}
