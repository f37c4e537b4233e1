//! A tool over HTTP, in a process of its own.

use std::io::{BufRead as _, BufReader};
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

#[test]
fn adds_a_note() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_{{project-name}}"));
    program.args(["serve", "http", "--allow-execute"]);
    program.args(["--addr", "127.0.0.1:0"]);
    program.stderr(Stdio::piped());
    let mut server = Running(program.spawn().unwrap());
    // The first line ends with the address.
    let mut line = String::new();
    let mut lines = BufReader::new(server.0.stderr.take().unwrap());
    lines.read_line(&mut line).unwrap();
    let (_, url) = line.trim_end().rsplit_once(' ').unwrap();
    let url = format!("{url}/tools/add_note/call");
    let request = ureq::post(url).header("content-type", "application/json");
    let mut response = request.send(r#"{"text": "Buy apples"}"#).unwrap();
    let body = response.body_mut().read_to_string().unwrap();
    let result: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(result["structuredContent"], json!({"result": 1}));
}
