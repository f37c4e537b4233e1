//! The program of the README on its three interfaces, and in the README.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

const README: &str = include_str!("../../../README.md");
const GUIDE: &str = include_str!("../../../docs/src/start.md");

fn hello(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hello"));
    command.args(arguments);
    command
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn is_the_program_of_the_readme() {
    let source = include_str!("../src/main.rs");
    let (_, program) = source.split_once("\n\n").unwrap();
    let program = program.trim_start();
    assert!(README.contains(&format!("```rust\n{program}```")), "the README shows another program");
    assert!(GUIDE.contains(&format!("```rust,no_run\n{program}```")), "the guide shows another program");
    let lines = program.lines().filter(|line| !line.is_empty()).count();
    assert!(lines < 25, "{lines} lines");
    let manifest: &str = include_str!("../Cargo.toml");
    let (_, dependencies) = README.split_once("```toml\n[dependencies]\n").unwrap();
    let (dependencies, _) = dependencies.split_once("```").unwrap();
    let named = |text: &str| -> Vec<String> {
        let lines = text.lines().take_while(|line| !line.is_empty());
        lines.map(|line| line.split([' ', '.']).next().unwrap().to_owned()).collect()
    };
    let (_, declared) = manifest.split_once("[dependencies]\n").unwrap();
    assert_eq!(named(dependencies), named(declared));
}

#[test]
fn runs_as_a_command() {
    let output = hello(&["run", "fahrenheit", "celsius=21.5"]).output().unwrap();
    assert_eq!((&*output.stdout, output.status.code()), (&b"70.7\n"[..], Some(0)));
    assert!(README.contains("$ hello run fahrenheit celsius=21.5 ") && README.contains("\n70.7\n"));
    let output = hello(&["run", "fahrenheit", "celsius=-300"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("/celsius: expected at least -273.15"), "{error}");
    assert_eq!(output.status.code(), Some(5));
}

/// Starts a server on a free port, and returns its address.
fn serve(arguments: &[&str]) -> (Running, String) {
    let mut server = hello(&["serve"]);
    server.args(arguments).args(["--addr", "127.0.0.1:0"]);
    let mut server = Running(server.stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let (_, addr) = line.trim_end().rsplit_once("http://").unwrap_or_else(|| panic!("{line}"));
    (server, addr.to_owned())
}

#[test]
fn serves_http() {
    let (_server, addr) = serve(&["http", "--allow-execute"]);
    let url = format!("http://{addr}/tools/fahrenheit/call");
    let request = ureq::post(url).header("content-type", "application/json");
    let mut response = request.send(json!({"celsius": 21.5}).to_string()).unwrap();
    let result: Value = serde_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(result["structuredContent"], json!({"result": 70.7}));
}

/// Sends a message to the server on stdio, and returns its answer.
fn answer_over_mcp(message: &Value) -> Value {
    let mut server = hello(&["serve", "mcp"]);
    let mut server = Running(server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    writeln!(server.0.stdin.as_mut().unwrap(), "{message}").unwrap();
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn serves_mcp() {
    let response = answer_over_mcp(&json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "fahrenheit",
            "arguments": {"celsius": 21.5},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }));
    assert_eq!(response["result"]["structuredContent"], json!({"result": 70.7}));
}

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "clientInfo": {"name": "test", "version": "1.0.0"},
            "capabilities": {},
        },
    })
}

#[test]
fn tells_clients_its_name_and_version() {
    let response = answer_over_mcp(&initialize());
    let expected = json!({"name": "hello", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(response["result"]["serverInfo"], expected);
}

#[test]
fn serves_mcp_over_http() {
    let (_server, addr) = serve(&["mcp"]);
    let request = ureq::post(format!("http://{addr}/mcp"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    let mut response = request.send(initialize().to_string()).unwrap();
    assert!(response.headers().contains_key("mcp-session-id"), "{:?}", response.headers());
    let text = response.body_mut().read_to_string().unwrap();
    assert!(text.contains(r#""serverInfo":{"name":"hello""#), "{text}");
}
