//! The server as a child process that speaks on its standard input and output.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tool_mcp::Server;

use crate::support::{LEGACY, initialize, initialize_with, modern_body, request, take_call_id, unknown_call};

/// Set where [`serve`] is to be the server.
const SERVE: &str = "TOOL_MCP_TEST_SERVE";

/// No test, but the server that the tests below start.
#[test]
fn serve() {
    let Some(what) = std::env::var_os(SERVE) else { return };
    let registry = match what.to_str() {
        Some("surfaces") => crate::surfaces::registry(|builder| builder),
        Some("identity") => crate::identity::registry(),
        Some("asking") => crate::asking::registry(),
        Some("beside") => crate::beside::registry(),
        Some("logging") => crate::logging::registry(),
        Some("progress") => crate::progress::registry(),
        Some("early") => crate::early::registry(),
        Some("two steps") => crate::thousand::registry(),
        _ => crate::tools::registry(Default::default()),
    };
    let discovery =
        if what == "two steps" { tool_mcp::Discovery::TwoStep } else { tool_mcp::Discovery::default() };
    let server = Server::new(registry).discovery(discovery).name("fixture").version("1.0.0");
    let server = if what == "identity" { server.authenticator(crate::identity::bearer()) } else { server };
    let served = tokio::runtime::Runtime::new().unwrap().block_on(server.serve_stdio());
    // Not back to the harness, which would have its say on standard output.
    std::process::exit(i32::from(served.is_err()));
}

pub(crate) struct Spoken {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Spoken {
    fn start() -> Self {
        Spoken::with("")
    }

    /// A server of what [`serve`] knows by this word.
    pub(crate) fn with(what: &str) -> Self {
        // This very program again, as a server: see `serve`.
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stdio::serve", "--nocapture"])
            .env(SERVE, what)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        // The test harness says this much before the server can speak; all that follows is the server's.
        let preamble: Vec<_> = output.by_ref().take(2).map(Result::unwrap).collect();
        assert_eq!(preamble, ["", "running 1 test"]);
        Spoken { input: child.stdin.take(), child, output }
    }

    pub(crate) fn say(&mut self, line: impl std::fmt::Display) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next line, which must be a message: nothing else may be on standard output.
    pub(crate) fn hear(&mut self) -> Value {
        let line = self.output.next().expect("the server ended").unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    pub(crate) fn ask(&mut self, line: impl std::fmt::Display) -> Value {
        self.say(line);
        self.hear()
    }

    /// Opens a session, and makes a first call: the server knows then whom it speaks with.
    pub(crate) fn open(&mut self, capabilities: Value) -> Value {
        let opened = self.ask(initialize_with(capabilities));
        self.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(self.ask(unknown_call())["error"]["code"], -32602);
        opened
    }

    /// Closes the input; what is left of the output, and whether the server ended well.
    pub(crate) fn end(mut self) -> (Vec<String>, bool) {
        drop(self.input.take());
        let rest = self.output.map(Result::unwrap).collect();
        (rest, self.child.wait().unwrap().success())
    }
}

#[test]
fn an_end_of_input_before_anything_else_is_a_clean_end() {
    assert_eq!(Spoken::start().end(), (vec![], true));
}

#[test]
fn an_end_of_input_after_discovery_alone_is_a_clean_end() {
    let mut spoken = Spoken::start();
    let discovered = spoken.ask(modern_body("server/discover", json!({})));
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({"logging": {}, "completions": {}, "prompts": {}, "resources": {}, "tools": {}})
    );
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn an_older_client_is_served() {
    let mut spoken = Spoken::start();
    assert_eq!(spoken.ask(initialize())["result"]["protocolVersion"], LEGACY);
    spoken.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let listed = spoken.ask(request(1, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"][0]["name"], "add");
    assert!(listed["result"].get("resultType").is_none());

    let exploded = spoken.ask(request(2, "tools/call", json!({"name": "explode", "arguments": {}})));
    assert_eq!(exploded["result"]["isError"], true);
    let mut added =
        spoken.ask(request(3, "tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})));
    take_call_id(&mut added);
    let text = json!([{"type": "text", "text": "{\"result\":3}"}]);
    let result = json!({"content": text, "structuredContent": {"result": 3}, "isError": false});
    assert_eq!(added, json!({"jsonrpc": "2.0", "id": 3, "result": result}));
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_modern_client_is_served() {
    let mut spoken = Spoken::start();
    let listed = spoken.ask(modern_body("tools/list", json!({})));
    // What there is depends on what the application grants to whoever started it.
    assert_eq!(
        (&listed["result"]["ttlMs"], &listed["result"]["cacheScope"]),
        (&json!(60_000), &json!("private"))
    );
    let called =
        spoken.ask(modern_body("tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}})));
    assert_eq!(called["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(called["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fixture");
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn what_is_no_message_gets_an_error_and_the_session_goes_on() {
    let mut spoken = Spoken::start();
    spoken.open(json!({}));
    for (line, code) in
        [("{", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0","id":1}"#, -32600), ("\u{feff}{}", -32700)]
    {
        assert_eq!(spoken.ask(line)["error"]["code"], code, "{line}");
    }
    spoken.say("");
    let twice =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"a":2}}}"#;
    let twice = spoken.ask(twice);
    assert_eq!(twice["result"]["isError"], true, "{twice}");
    assert_eq!(
        spoken.ask(request(3, "tools/call", json!({"name": "add", "arguments": [1]})))["result"]["isError"],
        true
    );
    assert_eq!(spoken.ask(request(4, "ping", json!({}))), json!({"jsonrpc": "2.0", "id": 4, "result": {}}));
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_line_over_sixteen_mebibytes_is_refused_and_the_session_goes_on() {
    let mut spoken = Spoken::start();
    spoken.open(json!({}));
    let refused = spoken.ask("x".repeat(16 * 1024 * 1024 + 1));
    assert_eq!(refused["error"]["code"], -32600);
    assert_eq!(spoken.ask(request(1, "ping", json!({})))["result"], json!({}));
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_call_that_is_taken_back_gets_no_answer() {
    let mut spoken = Spoken::start();
    spoken.open(json!({}));
    spoken.say(request(1, "tools/call", json!({"name": "read_for_ever"})));
    spoken.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(spoken.ask(request(2, "ping", json!({})))["id"], 2);
    assert_eq!(spoken.end(), (vec![], true));
}
