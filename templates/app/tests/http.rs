//! A tool over HTTP, in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

/// A process that ends with the test.
struct Running {
    process: Child,
    /// Open as long as the process runs, which could not log otherwise.
    _stderr: BufReader<ChildStderr>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the command that starts a server.
fn program(tokens: Option<&Path>) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_{{project-name}}"));
    program.args(["serve", "http", "--allow-execute"]);
    program.args(["--addr", "127.0.0.1:0"]);
    program.env_remove("TOKENS");
    program.envs(tokens.map(|file| ("TOKENS", file)));
    program
}

/// Starts a server, and returns it with its URL.
fn serve(tokens: Option<&Path>) -> (Running, String) {
    let mut process = program(tokens).stderr(Stdio::piped()).spawn().unwrap();
    // The first line ends with the address.
    let mut line = String::new();
    let mut stderr = BufReader::new(process.stderr.take().unwrap());
    stderr.read_line(&mut line).unwrap();
    let server = Running {
        process,
        _stderr: stderr,
    };
    let (_, url) = line.trim_end().rsplit_once(' ').unwrap();
    (server, url.to_owned())
}

/// Writes the file of those who may call.
fn tokens(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    file
}

fn agent() -> ureq::Agent {
    let agent = ureq::Agent::config_builder().http_status_as_error(false);
    agent.build().new_agent()
}

/// Returns the status of the list of tools.
fn list(url: &str, token: &str) -> u16 {
    let request = agent().get(format!("{url}/tools"));
    let request = request.header("authorization", format!("Bearer {token}"));
    request.call().unwrap().status().as_u16()
}

/// Calls the tool `add_note`, and returns the status and the answer.
fn add_note(url: &str, token: &str) -> (u16, Value) {
    let request = agent().post(format!("{url}/tools/add_note/call"));
    let request = request.header("content-type", "application/json");
    let request = request.header("authorization", format!("Bearer {token}"));
    let mut response = request.send(r#"{"text": "Buy apples"}"#).unwrap();
    let body = response.body_mut().read_to_string().unwrap();
    let answer = serde_json::from_str(&body).unwrap();
    (response.status().as_u16(), answer)
}

#[test]
fn adds_a_note() {
    let (_server, url) = serve(None);
    let (status, answer) = add_note(&url, "");
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["structuredContent"], json!({"result": 1}));
}

#[test]
fn answers_callers_with_a_token_only() {
    let text = "# people-who-may-call\nada 0123456789abcdef\n\nbob\t\tabcdef0123456789\n";
    let tokens = tokens("tokens", text);
    let (_server, url) = serve(Some(&tokens));
    assert_eq!(add_note(&url, "0123456789abcdef").0, 200);
    assert_eq!(add_note(&url, "abcdef0123456789").0, 200);
    assert_eq!(add_note(&url, "fedcba9876543210").0, 401);
    assert_eq!(add_note(&url, "people-who-may-call").0, 401);
}

#[test]
fn lists_tools_to_callers_with_a_token_only() {
    let tokens = tokens("tokens-of-list", "ada 0123456789abcdef\n");
    let (_server, url) = serve(Some(&tokens));
    assert_eq!(list(&url, "0123456789abcdef"), 200);
    assert_eq!(list(&url, ""), 401);
}

#[test]
fn refuses_an_invalid_file_of_tokens() {
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere");
    let no_token = tokens("no-token", "ada 0123456789abcdef\nbob\n");
    let twice = tokens("twice", "ada 0123456789abcdef\nbob 0123456789abcdef\n");
    for (file, place) in [
        (missing, "nowhere: "),
        (no_token, "no-token, line 2: "),
        (twice, "twice, line 2: "),
    ] {
        let output = program(Some(&file)).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{stderr}");
        assert!(stderr.contains(place), "{stderr}");
        let shows_token = stderr.contains("0123456789abcdef");
        assert!(!shows_token, "a token is shown: {stderr}");
    }
}
