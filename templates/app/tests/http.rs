//! A tool over HTTP, in a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server, and returns it with its URL.
fn serve(tokens: Option<&Path>) -> (Running, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_{{project-name}}"));
    program.args(["serve", "http", "--allow-execute"]);
    program.args(["--addr", "127.0.0.1:0"]);
    program.env_remove("TOKENS");
    program.envs(tokens.map(|file| ("TOKENS", file)));
    program.stderr(Stdio::piped());
    let mut server = Running(program.spawn().unwrap());
    // The first line ends with the address.
    let mut line = String::new();
    let mut lines = BufReader::new(server.0.stderr.take().unwrap());
    lines.read_line(&mut line).unwrap();
    let (_, url) = line.trim_end().rsplit_once(' ').unwrap();
    (server, url.to_owned())
}

/// Calls the tool `add_note`, and returns the status and the answer.
fn add_note(url: &str, token: &str) -> (u16, Value) {
    let agent = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = agent.build().new_agent();
    let request = agent.post(format!("{url}/tools/add_note/call"));
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
    let tokens = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tokens");
    std::fs::write(&tokens, "ada 0123456789abcdef\n").unwrap();
    let (_server, url) = serve(Some(&tokens));
    assert_eq!(add_note(&url, "0123456789abcdef").0, 200);
    assert_eq!(add_note(&url, "fedcba9876543210").0, 401);
}
