//! The program as an HTTP server, and the location of its file.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A running server, killed on drop.
struct Server {
    server: Child,
    address: String,
    folder: TempDir,
}

/// Returns a command that runs the program on the site in this folder.
fn content(folder: &TempDir) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_content"));
    program
        .env("CONTENT_DATABASE", folder.path().join("museum.sqlite"))
        .env("CONTENT_SIGNING_KEY", "correct horse battery")
        .env_remove("CONTENT_USER")
        .env_remove("CONTENT_TOKENS")
        .env_remove("DATABASE_URL");
    program
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(tempfile::tempdir().unwrap(), arguments, |program| program)
    }

    fn start_with(
        folder: TempDir,
        arguments: &[&str],
        environment: impl Fn(&mut Command) -> &mut Command,
    ) -> Self {
        Self::start_as("http", folder, arguments, environment)
    }

    fn start_as(
        server: &str,
        folder: TempDir,
        arguments: &[&str],
        environment: impl Fn(&mut Command) -> &mut Command,
    ) -> Self {
        let mut program = environment(&mut content(&folder))
            .args(["serve", server, "--addr", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on ").expect("the first line").to_owned();
        Self { server: program, address, folder }
    }

    /// Returns a command that runs the program on the same site.
    fn program(&self) -> Command {
        content(&self.folder)
    }

    fn call(&self, tool: &str, arguments: &Value) -> (u16, Value) {
        self.post(&format!("/tools/{tool}/call"), arguments)
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_with(path, body, None)
    }

    fn post_with(&self, path: &str, body: &Value, token: Option<&str>) -> (u16, Value) {
        self.send(path, body, token, &[])
    }

    /// Sends a request of MCP 2026-07-28.
    fn send_mcp(&self, method: &str, mut params: Value, token: Option<&str>) -> (u16, Value) {
        let name = params["name"].as_str().unwrap().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        self.send("/mcp", &body, token, &headers)
    }

    fn send(&self, path: &str, body: &Value, token: Option<&str>, headers: &[(&str, &str)]) -> (u16, Value) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request = agent.post(format!("{}{path}", self.address)).content_type("application/json");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = match token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        };
        let mut answer = request.send(body.to_string()).unwrap();
        let status = answer.status().as_u16();
        (status, answer.body_mut().read_to_string().unwrap().parse().unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already if the test is failing.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn opens_preview_links_over_http() {
    let server = Server::start(&["--allow-execute"]);
    let mut program = server.program();
    let created =
        program.args(["run", "preview_link", "--as", "june", "id=6", "--format", "json"]).output().unwrap();
    let created: Value = serde_json::from_slice(&created.stdout).unwrap();
    assert_eq!(created["success"], true, "{created}");
    let (status, answer) = server.call("open_preview", &json!({"link": created["output"]["link"]}));
    let page = answer["content"][0]["text"].as_str().unwrap();
    assert!(status == 200 && page.starts_with("<h1>What salt does to rope</h1>"), "{status} {page}");

    // HTTP callers are anonymous and may only call tools without permissions.
    let (_, kind) = server.call("explain_component_kind", &json!({"kind": "callout"}));
    assert_eq!(kind["structuredContent"]["variants"][2]["name"], "warning");
    for (tool, arguments, status) in [
        ("open_preview", json!({"link": "/preview/6/1/1/00"}), 404),
        ("explain_component_kind", json!({"kind": "banner"}), 422),
        ("get_node", json!({"id": 2}), 403),
        ("delete_node", json!({"id": 6}), 403),
        ("delete_site", json!({}), 404),
    ] {
        assert_eq!(server.call(tool, &arguments).0, status, "{tool} {arguments}");
    }
}

#[test]
fn identifies_a_user_over_http_by_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (june, vera) = ("0b7c5f1e9d2a4c68", "1f6e0c9b3d5a7284");
    std::fs::write(&tokens, format!("# Who may call.\n\njune {june}\nvera\t{vera}\n")).unwrap();
    let server =
        Server::start_with(folder, &["--allow-execute"], |program| program.env("CONTENT_TOKENS", &tokens));
    for (tool, arguments, token, status) in [
        ("get_node", json!({"id": 3}), Some(vera), 200),
        ("edit_node", json!({"id": 3, "title": "Home", "log": "x"}), Some(vera), 403),
        ("edit_node", json!({"id": 3, "title": "Home", "log": "x"}), Some(june), 200),
        ("publish_node", json!({"id": 6}), Some(june), 403),
        ("get_node", json!({"id": 3}), Some("2e5d1b8a4c6f7093"), 401),
        ("get_node", json!({"id": 3}), None, 401),
        ("explain_roles", json!({}), None, 401),
    ] {
        let (actual, answer) = server.post_with(&format!("/tools/{tool}/call"), &arguments, token);
        assert_eq!(actual, status, "{tool} {token:?} {answer}");
    }
}

#[test]
fn identifies_a_user_over_mcp_by_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (june, vera) = ("0b7c5f1e9d2a4c68", "1f6e0c9b3d5a7284");
    std::fs::write(&tokens, format!("june {june}\nvera {vera}\n")).unwrap();
    let server = Server::start_as("mcp", folder, &[], |program| program.env("CONTENT_TOKENS", &tokens));
    let edit = json!({"name": "edit_node", "arguments": {"id": 3, "title": "Home", "log": "x"}});
    for (token, status, is_error) in
        [(Some(vera), 200, Some(true)), (Some(june), 200, Some(false)), (None, 401, None)]
    {
        let (actual, answer) = server.send_mcp("tools/call", edit.clone(), token);
        let actual = (actual, answer["result"]["isError"].as_bool());
        assert_eq!(actual, (status, is_error), "{token:?} {answer}");
    }
}

#[test]
fn limits_how_often_a_user_publishes() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (mira, otto) = ("0b7c5f1e9d2a4c68", "1f6e0c9b3d5a7284");
    std::fs::write(&tokens, format!("mira {mira}\notto {otto}\n")).unwrap();
    let server = Server::start_with(folder, &["--allow-execute"], |program| {
        program.env("CONTENT_TOKENS", &tokens).env("CONTENT_PUBLISH_LIMIT", "1")
    });
    for (tool, token, status) in [
        ("publish_node", mira, 200),
        ("publish_node", mira, 429),
        ("get_node", mira, 200),
        ("publish_node", otto, 200),
    ] {
        let path = format!("/tools/{tool}/call");
        let (actual, answer) = server.post_with(&path, &json!({"id": 6}), Some(token));
        assert_eq!(actual, status, "{tool} {token} {answer}");
    }
    for wrong in ["0", "-1", "often"] {
        let mut program = server.program();
        let output = program.arg("list").env("CONTENT_PUBLISH_LIMIT", wrong).output().unwrap();
        let expected =
            format!("error: CONTENT_PUBLISH_LIMIT: expected a number from 1 on, and not `{wrong}`\n");
        assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(1), expected));
    }
}

#[test]
fn reports_an_unreadable_site_when_resolving_a_caller() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("museum.sqlite"), "this is no database, and is as long as one is")
        .unwrap();
    let output = content(&folder).args(["run", "get_node", "id=1", "--as", "june"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(12), "{stderr}");
    assert!(stderr.starts_with("error: `june` cannot be looked up: "), "{stderr}");
}

#[test]
fn reports_an_invalid_token_file_without_showing_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let token = "0b7c5f1e9d2a4c68";
    for (text, expected) in [
        (format!("{token}\n"), "line 1: a user and a token are expected"),
        (format!("june {token}\nvera {token}\n"), "line 2: "),
        (format!("eve {token}\n"), "line 1: nobody is called `eve`"),
        (format!("june {token} {token}\n"), "line 1: "),
    ] {
        std::fs::write(&tokens, text).unwrap();
        let mut program = content(&folder);
        let output = program
            .args(["serve", "http", "--addr", "127.0.0.1:0"])
            .env("CONTENT_TOKENS", &tokens)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && stderr.contains(expected) && !stderr.contains(token), "{stderr}");
    }
}

#[test]
fn reports_an_unreadable_site_when_resolving_the_default_user() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("museum.sqlite"), "this is no database, and is as long as one is")
        .unwrap();
    let output = content(&folder).arg("list").env("CONTENT_USER", "june").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && stderr.starts_with("error: `june` cannot be looked up: "),
        "{stderr}"
    );
}

#[cfg(unix)]
#[test]
fn reports_a_key_that_is_not_text() {
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let key = std::ffi::OsStr::from_bytes(b"correct horse battery \xff");
    let output = content(&folder).arg("list").env("CONTENT_SIGNING_KEY", key).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*stderr), (Some(1), "error: CONTENT_SIGNING_KEY: it is not UTF-8\n"));
}

#[test]
fn rejects_calls_without_allow_execute() {
    let server = Server::start(&[]);
    assert_eq!(server.call("explain_roles", &json!({})).0, 403);
    assert_eq!(server.post("/tools/get_node/validate", &json!({"id": 2})), (200, json!({"valid": true})));
}

// Other systems use another data directory.
#[cfg(target_os = "linux")]
#[test]
fn creates_the_file_in_the_data_directory_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let content = |arguments: &[&str]| {
        let program = Command::new(env!("CARGO_BIN_EXE_content"))
            .args(arguments)
            .current_dir(folder.path())
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .env_remove("CONTENT_DATABASE")
            .env_remove("DATABASE_URL")
            .env_remove("CONTENT_USER")
            .output()
            .unwrap();
        assert!(program.status.success(), "{program:?}");
    };
    let file = folder.path().join("data/content/museum.sqlite");
    content(&["info", "get_node"]);
    content(&["validate", "get_node", "id=1"]);
    assert!(!folder.path().join("data").exists());
    content(&["run", "get_node", "id=1"]);
    assert!(file.is_file());
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["data"]);
}
