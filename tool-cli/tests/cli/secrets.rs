//! Secrets from files, stdin or the environment, never shown.

use std::io::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_cli::{App, Streams};
use tool_core::{DynamicTool, Output, Registry, ToolDefinition, tool};

use crate::{Ran, on};

/// Signs in.
#[tool(operation = Read)]
fn sign_in(
    /** Who. */
    user: String,
    /** The password. */
    #[arg(secret)]
    password: String,
    /** A second one. */
    #[arg(secret)]
    pin: Option<u32>,
) -> String {
    format!("{user} has {} characters and {}", password.len(), pin.is_some())
}

/// What is shown to enter.
#[derive(Deserialize, JsonSchema)]
struct Creds {
    /** Who. */
    user: String,
    /** What is kept. */
    #[schemars(extend("writeOnly" = true))]
    token: String,
    /** Who stands in. */
    deputy: Option<Box<Creds>>,
}

/// Enters.
#[tool(operation = Read)]
fn enter(
    /** With what. */
    creds: Creds,
    /** With what else. */
    more: Option<Vec<Creds>>,
) -> usize {
    let deputy = creds.deputy.map_or(0, |deputy| deputy.token.len());
    creds.user.len() + creds.token.len() + deputy + more.map_or(0, |more| more.len())
}

fn app() -> App {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    App::new("demo", builder.build().unwrap())
}

async fn run(arguments: &[&str], stdin: &'static str) -> Ran {
    on(app(), arguments, |stdout, stderr| Streams::new(stdin.as_bytes(), stdout, stderr)).await
}

const SECRET: &str = "hunter2hunter2";

#[tokio::test]
async fn reads_secrets_from_files_and_stdin() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(format!("{SECRET}\r\n").as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    let ran = run(&["run", "sign_in", "user=ada", "--password-file", path], "").await;
    ran.prints("ada has 14 characters and false\n");
    let ran = run(&["run", "sign_in", "--user", "ada", "--password-file=-"], "12\n34\n").await;
    ran.prints("ada has 5 characters and false\n");
    let ran = run(&["run", "sign_in", "--user=ada", "--password-file=-", "--pin-file=-"], "1").await;
    ran.fails(2, "error: stdin can be read only once, but is used twice\n");
    let ran = run(&["run", "sign_in", "--user=ada", "--password-file=/no/such"], "").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: cannot read `/no/such`: "), "{ran:?}");
    let mut binary = tempfile::NamedTempFile::new().unwrap();
    binary.write_all(b"\xff\xfe").unwrap();
    let path = binary.path().to_str().unwrap();
    let ran = run(&["run", "sign_in", "--user=ada", "--password-file", path], "").await;
    ran.fails(2, &format!("error: `{path}` is not UTF-8\n"));
}

#[tokio::test]
async fn reads_secrets_from_the_environment() {
    // `PATH` is always set and not empty.
    let length = std::env::var("PATH").unwrap().len();
    let ran = run(&["run", "sign_in", "user=ada", "--password-env", "PATH"], "").await;
    ran.prints(&format!("ada has {length} characters and false\n"));
    let ran = run(&["run", "sign_in", "user=ada", "--password-env", "NO_SUCH_VARIABLE_HERE"], "").await;
    ran.fails(2, "error: the environment variable `NO_SUCH_VARIABLE_HERE` is not set\n");
}

#[tokio::test]
async fn warns_about_typed_secrets() {
    let ran = run(&["run", "sign_in", "user=ada", "--password", SECRET], "").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("'--password-") && !ran.stderr.contains(SECRET), "{ran:?}");

    let warning = "warning: `password` is a secret, and other processes can read command lines\n\
                   help: use --password-file or --password-env\n";
    let pair = format!("password={SECRET}");
    let json = format!(r#"{{"user":"ada","password":"{SECRET}"}}"#);
    for arguments in [&["user=ada", &pair][..], &["--input-json", &json]] {
        let ran = run(&[&["run", "sign_in"], arguments].concat(), "").await;
        assert_eq!((ran.code, ran.stderr.as_str()), (0, warning), "{arguments:?}");
        let ran = run(&[&["run", "sign_in", "--quiet"], arguments].concat(), "").await;
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
    let ran = run(&["run", "sign_in", "--input-json", "-"], r#"{"user":"ada","password":"x"}"#).await;
    ran.prints("ada has 1 characters and false\n");
}

#[tokio::test]
async fn hides_secrets_in_all_output() {
    let pair = format!("password={SECRET}");
    let wrong = format!("pin={SECRET}");
    for arguments in [
        &["run", "sign_in", "user=ada", &pair, "--dry-run"][..],
        &["run", "sign_in", "user=ada", &pair, "--dry-run", "--format", "json"],
        &["run", "sign_in", "user=ada", &pair, "--dry-run", "--format", "yaml"],
        &["run", "sign_in", "user=ada", &pair, &wrong],
        &["run", "sign_in", "user=ada", "password=x", &wrong, "--format", "json"],
        &["validate", "sign_in", &wrong, &pair],
        &["run", "sign_in", &pair, &pair],
        &["run", "sign_in", "user=ada", "--verbose", &pair],
        &["run", "sign_in", "user=ada", SECRET],
    ] {
        let ran = run(arguments, "").await;
        assert!(!ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET), "{ran:?}");
    }
    let ran = run(&["run", "sign_in", "user=ada", &pair, "--dry-run", "--format", "json"], "").await;
    assert_eq!(ran.json()["arguments"], json!({"user": "ada", "password": "***"}));
}

#[tokio::test]
async fn hides_nested_secrets() {
    let creds = format!(r#"{{"user":"ada","token":"{SECRET}"}}"#);
    let within = format!(r#"{{"user":"ada","token":"x","deputy":{creds}}}"#);
    let text = |value: &str| serde_json::to_string(value).unwrap();
    for given in [
        format!(r#"{{"creds":{creds}}}"#),
        format!(r#"{{"creds":{}}}"#, text(&creds)),
        format!(r#"{{"creds":{within}}}"#),
        format!(r#"{{"creds":{{"user":"ada","token":"x","deputy":{}}}}}"#, text(&creds)),
        format!(r#"{{"creds":{{"user":"ada","token":"x","deputy":{within}}}}}"#),
        format!(r#"{{"creds":{creds},"more":[{creds}]}}"#),
        format!(r#"{{"creds":{creds},"more":[{}]}}"#, text(&creds)),
        format!(r#"{{"creds":{creds},"more":{}}}"#, text(&format!("[{creds}]"))),
        format!(r#"{{"creds":{creds},"more":{creds}}}"#),
    ] {
        for format in ["text", "json", "yaml"] {
            let ran =
                run(&["run", "enter", "--dry-run", "--input-json", &given, "--format", format], "").await;
            assert!(!ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET), "{given}: {ran:?}");
        }
    }
    let given = format!(r#"{{"creds":{creds}}}"#);
    let ran = run(&["run", "enter", "--dry-run", "--input-json", &given, "--format", "json"], "").await;
    assert_eq!(ran.json()["arguments"], json!({"creds": {"user": "ada", "token": "***"}}));
    let given = format!(r#"{{"creds":{}}}"#, text(&creds));
    let ran = run(&["run", "enter", "--dry-run", "--input-json", &given, "--format", "json"], "").await;
    assert_eq!(ran.json()["arguments"], json!({"creds": "***"}));
}

#[tokio::test]
async fn hides_defaults_and_examples_of_secrets() {
    let code = json!({"type": "string", "writeOnly": true, "default": SECRET, "examples": [SECRET], "enum": [SECRET]});
    let schema = json!({
        "type": "object",
        "properties": {
            "code": code,
            "door": {"type": "object", "properties": {"code": code}, "default": {"code": SECRET}, "examples": [{"code": SECRET}]},
        },
    });
    let definition = ToolDefinition::builder("unlock", "Opens.").input_schema(schema).build().unwrap();
    let unlock = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::text("open")) });
    let registry = Registry::builder().tool(unlock).build().unwrap();
    for arguments in [
        &["info", "unlock"][..],
        &["info", "unlock", "--format", "markdown"],
        &["info", "unlock", "code"],
        &["info", "unlock", "door"],
        &["info", "unlock", "door.code"],
        &["run", "unlock", "--help"],
    ] {
        let app = App::new("demo", registry.clone());
        let ran = on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
        assert!(ran.code == 0 && ran.stdout.contains("code"), "{ran:?}");
        assert!(!ran.stdout.contains(SECRET), "{arguments:?} {}", ran.stdout);
    }
}

#[tokio::test]
async fn marks_secrets_without_completing_them() {
    let ran = run(&["info", "sign_in"], "").await;
    assert_eq!(ran.stdout.matches("secret: not shown").count(), 2, "{}", ran.stdout);
    let ran = run(&["__complete", "fish", "--", "run", "sign_in", "pass"], "").await;
    ran.prints("");
    let ran = run(&["__complete", "fish", "--", "run", "sign_in", "--p"], "").await;
    let words: Vec<_> = ran.stdout.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(words, ["--password-file", "--password-env", "--pin-file", "--pin-env"]);
}
