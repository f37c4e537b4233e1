//! The command line as a user sees it: output, streams and exit codes.

#[path = "cli/arguments.rs"]
mod arguments;
#[path = "cli/callers.rs"]
mod callers;
#[path = "cli/calls.rs"]
mod calls;
#[path = "cli/completion.rs"]
mod completion;
#[path = "cli/describing.rs"]
mod describing;
#[path = "cli/discovery.rs"]
mod discovery;
#[path = "cli/elicitation.rs"]
mod elicitation;
#[path = "cli/flags.rs"]
mod flags;
#[path = "cli/introspection.rs"]
mod introspection;
#[path = "cli/lazy.rs"]
mod lazy;
#[path = "cli/lazy_state.rs"]
mod lazy_state;
#[path = "cli/lint_and_lock.rs"]
mod lint_and_lock;
#[path = "cli/openapi.rs"]
mod openapi;
#[path = "cli/process.rs"]
mod process;
#[path = "cli/registry.rs"]
mod registry;
#[path = "cli/running.rs"]
mod running;
#[path = "cli/secrets.rs"]
mod secrets;
#[path = "cli/serving.rs"]
mod serving;
#[path = "cli/yaml.rs"]
mod yaml;

use registry::app;
use serde_json::Value;
use tool_cli::{App, Buffer, Streams};

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
async fn exits_with_2_on_wrong_usage_and_0_on_help() {
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
    cli(&["--version"]).await.prints("demo 1.2.3 (15 tools)\n");
}

#[cfg(unix)]
#[tokio::test]
async fn row_116_rejects_non_unicode_arguments() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    let stderr = Buffer::default();
    let streams = Streams::new(std::io::empty(), std::io::sink(), stderr.clone());
    let arguments = [OsString::from("run"), "greet".into(), OsString::from_vec(b"name=\xff".into())];
    assert_eq!(app().run_with(arguments, streams).await, 2);
    assert!(stderr.text().starts_with("error: invalid UTF-8 "), "{}", stderr.text());
    for at in 0..4 {
        let mut arguments = ["run", "greet", "--name", "Ada"].map(OsString::from);
        arguments[at] = OsString::from_vec(b"\xff".into());
        let streams = Streams::new(std::io::empty(), std::io::sink(), std::io::sink());
        assert_eq!(app().run_with(arguments, streams).await, 2, "{at}");
    }
}

#[tokio::test]
async fn row_118_escapes_control_characters() {
    let hostile = |text: &str| text.contains(['\u{1b}', '\u{9b}', '\u{202e}']);
    for arguments in [
        &["list"][..],
        &["list", "--format", "markdown"],
        &["search", "nothing"],
        &["info", "hostile"],
        &["info", "hostile", "--format", "markdown"],
        &["run", "hostile", "--help"],
        &["__complete", "fish", "--", "run", "host"],
        &["lint"],
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
async fn follows_the_color_option() {
    let ran = cli(&["list", "--color", "always"]).await;
    assert!(ran.stdout.starts_with("\u{1b}[1mNAME"), "{:?}", ran.stdout);
    let ran = cli(&["list"]).await;
    assert!(ran.stdout.starts_with("NAME"), "{:?}", ran.stdout);
    let ran = cli(&["--color", "always", "run", "locked"]).await;
    assert!(ran.stderr.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m the archive"), "{:?}", ran.stderr);
}
