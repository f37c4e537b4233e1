//! The program as an HTTP server and as an external search service.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A running server, killed on drop.
struct Server {
    child: Child,
    origin: String,
}

impl Server {
    fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onetool"));
        command.arg("serve").args(arguments).args(["--addr", "127.0.0.1:0"]);
        command.envs(variables.iter().copied()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let origin = line.trim_end().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
        Server { origin: origin.to_owned(), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn call(server: &Server, tool: &str, arguments: Value) -> (u16, Value) {
    let client = crate::http::client().build().unwrap();
    let url = format!("{}/tools/{tool}/call", server.origin);
    let request = client.post(url).header("content-type", "application/json").body(arguments.to_string());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
}

#[tokio::test]
async fn runs_blocks_over_http() {
    let server = Server::start(&["http", "--allow-execute"], &[]);
    let command = "__onetool__run\n[hit['title'] for hit in brave_web_search('tcp', 1)]";
    let (status, answer) = call(&server, "run", json!({"command": command})).await;
    assert_eq!((status, &answer["structuredContent"]["result"]), (200, &json!(["TCP"])), "{answer}");

    let (status, answer) = call(&server, "run", json!({"command": "fail('enough')"})).await;
    assert_eq!((status, &answer["isError"]), (500, &json!(true)), "{answer}");
    assert!(answer["content"][0]["text"].as_str().unwrap().starts_with("line 1: "), "{answer}");
}

#[tokio::test]
async fn uses_an_external_search_service() {
    let search = Server::start(&["search"], &[]);
    let variables = [("ONETOOL_SEARCH", search.origin.as_str())];
    let server = Server::start(&["http", "--allow-execute"], &variables);
    let (_, answer) = call(&server, "brave_web_search", json!({"query": "tcp", "count": 1})).await;
    let url = answer["structuredContent"]["result"][0]["url"].as_str().unwrap();
    assert_eq!(url, format!("{}/pages/tcp", search.origin));
    let (status, page) = call(&server, "web_fetch", json!({"url": url})).await;
    assert_eq!((status, &page["structuredContent"]["content_type"]), (200, &json!("text/html")), "{page}");
}

#[tokio::test]
async fn rejects_invalid_settings_at_start() {
    for (variable, value) in
        [("ONETOOL_TOOLS", "rum"), ("ONETOOL_FETCH", "http://10.0.0.1"), ("ONETOOL_PROMPTS", "no/such.yaml")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onetool"));
        let output = command.args(["list"]).env(variable, value).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.starts_with(&format!("error: `{variable}`")) && message.contains(value), "{message}");
    }
}
