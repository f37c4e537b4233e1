//! A server over stdio in a child process.

use std::io::{BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};
use tool_mcp::Server;

use crate::child::start_server;
use crate::support::{LEGACY, initialize, initialize_with, modern_body, request, take_call_id};

/// Selects the registry that [`serve`] serves.
const SERVE: &str = "TOOL_MCP_TEST_SERVE";

/// Not a test: the server process of the tests below.
#[test]
fn serve() {
    let Some(registry_name) = std::env::var_os(SERVE) else { return };
    let registry = match registry_name.to_str() {
        #[cfg(feature = "tasks")]
        Some("tasks") => crate::tasks::registry(|builder| {
            builder.tasks(std::sync::Arc::<crate::task_engine::MemoryEngine>::default())
        }),
        Some("surfaces") => crate::surfaces::registry(|builder| builder),
        Some("authentication") => crate::authentication::registry(),
        Some("elicitation") => crate::elicitation::registry(),
        Some("context") => crate::context::registry(),
        Some("logging") => crate::logging::registry(),
        Some("progress") => crate::progress::registry(),
        Some("response mode") => crate::response_mode::registry(),
        Some("thousand") => crate::thousand::registry(),
        _ => crate::tools::registry(Default::default()),
    };
    let discovery = if registry_name == "thousand" {
        tool_mcp::Discovery::TwoStep
    } else {
        tool_mcp::Discovery::default()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    #[cfg(feature = "tasks")]
    runtime.spawn({
        let registry = registry.clone();
        async move { registry.run_tasks(tokio_util::sync::CancellationToken::new()).await }
    });
    let server = Server::new(registry).discovery(discovery).name("fixture").version("1.0.0");
    let server = if registry_name == "authentication" {
        server.authenticator(crate::authentication::bearer())
    } else {
        server
    };
    let result = runtime.block_on(server.serve_stdio());
    // The test harness must not write to standard output.
    std::process::exit(i32::from(result.is_err()));
}

pub(crate) struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl StdioClient {
    fn start() -> Self {
        StdioClient::start_with("")
    }

    /// Starts a server with the registry of this name in [`serve`].
    pub(crate) fn start_with(registry_name: &str) -> Self {
        let (child, input, output) = start_server("stdio::serve", SERVE, registry_name);
        StdioClient { input: Some(input), child, output }
    }

    pub(crate) fn send(&mut self, line: impl std::fmt::Display) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Reads the next line, which must be a message.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.output.next().expect("the server ended").unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    pub(crate) fn exchange(&mut self, line: impl std::fmt::Display) -> Value {
        self.send(line);
        self.receive()
    }

    /// Opens a session.
    pub(crate) fn initialize(&mut self, capabilities: Value) -> Value {
        let opened = self.exchange(initialize_with(capabilities));
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        opened
    }

    /// Closes the input. Returns the rest of the output, and whether the server exited successfully.
    pub(crate) fn close(mut self) -> (Vec<String>, bool) {
        drop(self.input.take());
        let rest = self.output.map(Result::unwrap).collect();
        (rest, self.child.wait().unwrap().success())
    }
}

#[test]
fn exits_cleanly_on_empty_input() {
    assert_eq!(StdioClient::start().close(), (vec![], true));
}

#[test]
fn exits_cleanly_after_discovery() {
    let mut client = StdioClient::start();
    let discovered = client.exchange(modern_body("server/discover", json!({})));
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"logging": {}, "completions": {}, "prompts": {}, "resources": {}, "tools": {}})
    );
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn serves_a_legacy_client() {
    let mut client = StdioClient::start();
    assert_eq!(client.exchange(initialize())["result"]["protocolVersion"], LEGACY);
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let listed = client.exchange(request(1, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"][0]["name"], "add");
    assert!(listed["result"].get("resultType").is_none());

    let panicked = client.exchange(request(2, "tools/call", json!({"name": "explode", "arguments": {}})));
    assert_eq!(panicked["result"]["isError"], true);
    let mut added =
        client.exchange(request(3, "tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})));
    take_call_id(&mut added);
    let text = json!([{"type": "text", "text": "{\"result\":3}"}]);
    let result = json!({"content": text, "structuredContent": {"result": 3}, "isError": false});
    assert_eq!(added, json!({"jsonrpc": "2.0", "id": 3, "result": result}));
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn serves_a_modern_client() {
    let mut client = StdioClient::start();
    let listed = client.exchange(modern_body("tools/list", json!({})));
    // The list depends on the grants of the local principal.
    assert_eq!(
        (&listed["result"]["ttlMs"], &listed["result"]["cacheScope"]),
        (&json!(60_000), &json!("private"))
    );
    let called =
        client.exchange(modern_body("tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}})));
    assert_eq!(called["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(called["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fixture");
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn rejects_invalid_messages_and_keeps_serving() {
    let mut client = StdioClient::start();
    client.initialize(json!({}));
    for (line, code) in
        [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1}"#, -32600), ("\u{feff}{}", -32700)]
    {
        assert_eq!(client.exchange(line)["error"]["code"], code, "{line}");
    }
    client.send("");
    let duplicate =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"a":2}}}"#;
    let duplicate = client.exchange(duplicate);
    assert_eq!(duplicate["result"]["isError"], true, "{duplicate}");
    assert_eq!(
        client.exchange(request(3, "tools/call", json!({"name": "add", "arguments": [1]})))["result"]["isError"],
        true
    );
    assert_eq!(
        client.exchange(request(4, "ping", json!({}))),
        json!({"jsonrpc": "2.0", "id": 4, "result": {}})
    );
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn rejects_a_line_over_16_mib_and_keeps_serving() {
    let mut client = StdioClient::start();
    client.initialize(json!({}));
    let rejected = client.exchange("x".repeat(16 * 1024 * 1024 + 1));
    assert_eq!((&rejected["id"], &rejected["error"]["code"]), (&Value::Null, &json!(-32600)));
    let rejected = client.exchange(request(2, "tools/call", json!({"name": "x".repeat(16 * 1024 * 1024)})));
    assert_eq!((&rejected["id"], &rejected["error"]["code"]), (&json!(2), &json!(-32600)));
    assert_eq!(client.exchange(request(1, "ping", json!({})))["result"], json!({}));
    assert_eq!(client.close(), (vec![], true));
}

/// Sends requests of both eras, before and after `initialize`, and checks the shape of each answer.
fn assert_serves_both_eras(client: &mut StdioClient) {
    let is_modern = |answer: &Value| {
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"]["resultType"] == "complete"
    };
    let modern = |method: &str, params: Value| modern_body(method, params);
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    assert!(is_modern(&client.exchange(modern("tools/list", json!({})))));
    assert!(is_modern(&client.exchange(modern("tools/call", add.clone()))));
    // The oldest version has no structured content.
    let mut init = initialize();
    init["params"]["protocolVersion"] = json!("2024-11-05");
    assert_eq!(client.exchange(init)["result"]["protocolVersion"], "2024-11-05");
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for _ in 0..2 {
        for (method, params) in [("tools/list", json!({})), ("tools/call", add.clone())] {
            let (modern_answer, legacy_answer) = (
                client.exchange(modern(method, params.clone())),
                client.exchange(request(1, method, params.clone())),
            );
            assert!(
                is_modern(&modern_answer) && !is_modern(&legacy_answer),
                "{method}: {modern_answer} {legacy_answer}"
            );
            let structure = |answer: &Value| answer.to_string().contains("structuredContent");
            assert_eq!(
                (structure(&modern_answer), structure(&legacy_answer)),
                (method == "tools/call", false),
                "{method}"
            );
        }
        assert_eq!(client.exchange(modern("ping", json!({})))["error"]["code"], -32601);
        assert_eq!(client.exchange(request(2, "ping", json!({})))["result"], json!({}));
        assert!(is_modern(&client.exchange(modern("server/discover", json!({})))));
    }
}

#[test]
fn serves_both_eras_in_one_session() {
    let mut client = StdioClient::start();
    assert_serves_both_eras(&mut client);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn ignores_a_notification_or_response_as_first_line() {
    let notification = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params});
    for first in [
        notification("nobody_knows", json!({})),
        notification("initialized", json!({})),
        notification("cancelled", json!({"requestId": 1})),
        notification("progress", json!({"progressToken": 1, "progress": 1})),
        notification("roots/list_changed", json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
        json!({"jsonrpc": "2.0", "error": {"code": -1, "message": "no"}}),
    ] {
        let mut client = StdioClient::start();
        client.send(&first);
        assert_serves_both_eras(&mut client);
        assert_eq!(client.close(), (vec![], true), "{first}");
    }
}

#[test]
fn rejects_an_unknown_first_method_and_keeps_serving() {
    for first in [request(9, "tools/forget", json!({})), modern_body("tools/forget", json!({}))] {
        let mut client = StdioClient::start();
        let answer = client.exchange(&first);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&first["id"], &json!(-32601)), "{answer}");
        assert_serves_both_eras(&mut client);
        assert_eq!(client.close(), (vec![], true), "{first}");
    }
}

#[test]
fn requires_initialize_or_metadata() {
    let mut client = StdioClient::start();
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}, "requestState": 5})),
        ("resources/list", json!({})),
        ("server/discover", json!({})),
    ] {
        let answer = client.exchange(request(1, method, params));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32602)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("`initialize`"), "{answer}");
    }
    assert_eq!(client.exchange(request(1, "ping", json!({})))["result"], json!({}));
    assert_serves_both_eras(&mut client);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn applies_the_negotiated_version_immediately() {
    let mut client = StdioClient::start();
    let mut init = initialize();
    init["params"]["protocolVersion"] = json!("2024-11-05");
    let call = request(1, "tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    client.send(format!("{init}\n{call}"));
    assert_eq!(client.receive()["result"]["protocolVersion"], "2024-11-05");
    let answer = client.receive();
    assert_eq!(answer["result"]["isError"], false);
    assert!(answer["result"]["structuredContent"].is_null(), "{answer}");
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn omits_open_ids_in_parse_errors() {
    let mut client = StdioClient::start();
    client.initialize(json!({}));
    client.send(request(1, "tools/call", json!({"name": "read_for_ever"})));
    let rejected = client.exchange(r#"{"jsonrpc":"2.0","id":1,"method":"#);
    assert_eq!((&rejected["id"], &rejected["error"]["code"]), (&Value::Null, &json!(-32700)));
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn does_not_answer_a_canceled_call() {
    let mut client = StdioClient::start();
    client.initialize(json!({}));
    client.send(request(1, "tools/call", json!({"name": "read_for_ever"})));
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(client.exchange(request(2, "ping", json!({})))["id"], 2);
    assert_eq!(client.close(), (vec![], true));
}
