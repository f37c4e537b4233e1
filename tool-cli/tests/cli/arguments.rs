//! Arguments of a call on the command line.

use std::io::Write as _;

use serde_json::json;
use tool_cli::Streams;

use crate::{at_terminal, cli, on, with_stdin};

#[tokio::test]
async fn parses_values_by_input_type() {
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
async fn keeps_all_digits_of_numbers() {
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
async fn prefers_later_sources() {
    cli(&["run", "add", "--input-json", r#"{"a":1,"b":2}"#, "b=10"]).await.prints("11\n");
    cli(&["run", "add", "b=10", "--input-json", r#"{"a":1,"b":2}"#]).await.prints("3\n");
    cli(&["run", "add", "--input-json", r#"{"a":1}"#, "--input-json", r#"{"a":2,"b":2}"#])
        .await
        .prints("4\n");
    with_stdin(&["run", "add", "--input-json", "-"], r#" {"a": 40, "b": 2} "#).await.prints("42\n");
    with_stdin(&["run", "add", "a=1", "--input-json", "-"], "").await.prints("6\n");
}

#[tokio::test]
async fn rejects_duplicate_inputs_in_one_source() {
    cli(&["run", "add", "a=1", "a=2"]).await.fails(2, "error: input `a` is given twice as an argument\n");
    cli(&["run", "add", "a=1", "--input-json", "{}", "a:=1"])
        .await
        .fails(2, "error: input `a` is given twice as an argument\n");
    let ran = cli(&["run", "add", "--input-json", r#"{"a":1,"\u0061":2}"#]).await;
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("- /a: the same member is given twice"), "{}", ran.stderr);
    let ran = cli(&["run", "parts", "sky=sun", r#"places:=[{"name":"a","name":"b"}]"#]).await;
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.stderr.contains("- /places/0/name: the same member is given twice"), "{}", ran.stderr);
}

#[tokio::test]
async fn reads_arguments_from_a_file() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(br#"{"a": 1, "b": 1}"#).unwrap();
    let from = format!("@{}", file.path().display());
    cli(&["run", "add", "--input-json", &from]).await.prints("2\n");

    let ran = cli(&["run", "add", "--input-json", "@no/such/file.json"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: cannot read `no/such/file.json`: "), "{}", ran.stderr);
}

#[tokio::test]
async fn rejects_invalid_pairs() {
    for (given, help) in [
        ("2", "help: write `a=2`\n"),
        ("a", "help: write `a=…`\n"),
        ("=1", ""),
        (":=1", ""),
        ("{}", "help: write `--input-json '{}'`\n"),
    ] {
        cli(&["run", "add", given])
            .await
            .fails(2, &format!("error: `{given}` is neither key=value nor key:=json\n{help}"));
    }
    // The first required input that is not given yet; there is none after `a=1`.
    cli(&["run", "add", "a=1", "2"]).await.fails(2, "error: `2` is neither key=value nor key:=json\n");
    cli(&["run", "parts", "sky=rain", "high"])
        .await
        .fails(2, "error: `high` is neither key=value nor key:=json\nhelp: write `places=high`\n");
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
async fn row_115_reports_unreadable_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| format!("@{}", folder.path().join(name).display());
    let missing = cli(&["run", "add", "--input-json", &at("missing")]).await;
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.starts_with("error: cannot read `") && missing.stderr.contains("No such file"),
        "{missing:?}"
    );
    let directory = cli(&["run", "add", "--input-json", &format!("@{}", folder.path().display())]).await;
    assert_eq!(directory.code, 2);
    assert!(directory.stderr.contains("s a directory"), "{directory:?}");
    // A sparse file: large, but without content.
    std::fs::File::create(folder.path().join("large")).unwrap().set_len(100 << 20).unwrap();
    let large = cli(&["run", "add", "--input-json", &at("large")]).await;
    assert_eq!(large.code, 2);
    assert!(large.stderr.contains("has more than 16777216 bytes"), "{large:?}");
    std::fs::write(folder.path().join("binary"), b"\xff\x00\xfe").unwrap();
    let binary = cli(&["run", "add", "--input-json", &at("binary")]).await;
    assert_eq!(binary.code, 5);
    assert!(binary.stderr.starts_with("error: the arguments for `add` are not JSON\n"), "{binary:?}");
    let endless = on(crate::registry::app(), &["run", "add", "--input-json", "-"], |stdout, stderr| {
        Streams::new(std::io::repeat(b' '), stdout, stderr)
    })
    .await;
    endless.fails(2, "error: stdin has more than 16777216 bytes, the most that is read\n");
    let terminal = at_terminal(&["run", "add", "--input-json", "-"], "{}").await;
    terminal.fails(
        2,
        "error: stdin is a terminal; arguments are not read from it\n\
         help: redirect a file to stdin, or use `@FILE`\n",
    );
    let twice = with_stdin(&["run", "add", "--input-json", "-", "--input-json", "-"], "{}").await;
    twice.fails(2, "error: stdin can be read only once, but is used twice\n");
}

#[tokio::test]
async fn row_117_splits_pairs_at_the_first_equals_sign() {
    cli(&["run", "greet", "name=a=b"]).await.prints("Good morning, a=b\n");
    let bad = cli(&["run", "add", "a:=bad"]).await;
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.starts_with("error: the value of `a:=` is not JSON: "), "{bad:?}");
    cli(&["run", "add", "a=1", "a=2"]).await.fails(2, "error: input `a` is given twice as an argument\n");
    let unknown = cli(&["run", "greet", "name=x", "nam=y"]).await;
    assert_eq!(unknown.code, 5);
    assert!(unknown.stderr.contains("similar name: `name`"), "{unknown:?}");
}
