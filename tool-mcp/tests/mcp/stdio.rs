//! The server as a child process that speaks on its standard input and output.

use std::io::{BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};
use tool_mcp::Server;

use crate::child::start_server;
use crate::support::{LEGACY, initialize, initialize_with, modern_body, request, take_call_id};

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
        let (child, input, output) = start_server("stdio::serve", SERVE, what);
        Spoken { input: Some(input), child, output }
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

    /// Opens a session.
    pub(crate) fn open(&mut self, capabilities: Value) -> Value {
        let opened = self.ask(initialize_with(capabilities));
        self.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
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
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
    let refused = spoken.ask(request(2, "tools/call", json!({"name": "x".repeat(16 * 1024 * 1024)})));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-32600)));
    assert_eq!(spoken.ask(request(1, "ping", json!({})))["result"], json!({}));
    assert_eq!(spoken.end(), (vec![], true));
}

/// Requests of both eras, each answered in its own, with the opening of a session in between.
fn answers_both_eras(spoken: &mut Spoken) {
    let is_modern = |answer: &Value| {
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"]["resultType"] == "complete"
    };
    let modern = |method: &str, params: Value| modern_body(method, params);
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    assert!(is_modern(&spoken.ask(modern("tools/list", json!({})))));
    assert!(is_modern(&spoken.ask(modern("tools/call", add.clone()))));
    // As old as it gets: of what it is answered it knows less.
    let mut opening = initialize();
    opening["params"]["protocolVersion"] = json!("2024-11-05");
    assert_eq!(spoken.ask(opening)["result"]["protocolVersion"], "2024-11-05");
    spoken.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for _ in 0..2 {
        for (method, params) in [("tools/list", json!({})), ("tools/call", add.clone())] {
            let (new, old) =
                (spoken.ask(modern(method, params.clone())), spoken.ask(request(1, method, params.clone())));
            assert!(is_modern(&new) && !is_modern(&old), "{method}: {new} {old}");
            let structure = |answer: &Value| answer.to_string().contains("structuredContent");
            assert_eq!((structure(&new), structure(&old)), (method == "tools/call", false), "{method}");
        }
        assert_eq!(spoken.ask(modern("ping", json!({})))["error"]["code"], -32601);
        assert_eq!(spoken.ask(request(2, "ping", json!({})))["result"], json!({}));
        assert!(is_modern(&spoken.ask(modern("server/discover", json!({})))));
    }
}

#[test]
fn one_session_answers_requests_of_both_eras() {
    let mut spoken = Spoken::start();
    answers_both_eras(&mut spoken);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_first_line_that_wants_no_answer_does_no_harm() {
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
        let mut spoken = Spoken::start();
        spoken.say(&first);
        answers_both_eras(&mut spoken);
        assert_eq!(spoken.end(), (vec![], true), "{first}");
    }
}

#[test]
fn an_unknown_method_first_is_answered_and_the_session_goes_on() {
    for first in [request(9, "tools/forget", json!({})), modern_body("tools/forget", json!({}))] {
        let mut spoken = Spoken::start();
        let answer = spoken.ask(&first);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&first["id"], &json!(-32601)), "{answer}");
        answers_both_eras(&mut spoken);
        assert_eq!(spoken.end(), (vec![], true), "{first}");
    }
}

#[test]
fn a_request_of_no_era_is_told_what_it_lacks_until_a_session_is_open() {
    let mut spoken = Spoken::start();
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}, "requestState": 5})),
        ("resources/list", json!({})),
        ("server/discover", json!({})),
    ] {
        let answer = spoken.ask(request(1, method, params));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32602)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("`initialize`"), "{answer}");
    }
    assert_eq!(spoken.ask(request(1, "ping", json!({})))["result"], json!({}));
    answers_both_eras(&mut spoken);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn what_follows_the_opening_without_a_pause_is_of_the_version_that_was_agreed_on() {
    let mut spoken = Spoken::start();
    let mut opening = initialize();
    opening["params"]["protocolVersion"] = json!("2024-11-05");
    let call = request(1, "tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    spoken.say(format!("{opening}\n{call}"));
    assert_eq!(spoken.hear()["result"]["protocolVersion"], "2024-11-05");
    let answer = spoken.hear();
    assert_eq!(answer["result"]["isError"], false);
    assert!(answer["result"]["structuredContent"].is_null(), "{answer}");
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn a_bad_line_is_not_answered_under_the_name_of_a_request_that_is_on_its_way() {
    let mut spoken = Spoken::start();
    spoken.open(json!({}));
    spoken.say(request(1, "tools/call", json!({"name": "read_for_ever"})));
    let refused = spoken.ask(r#"{"jsonrpc":"2.0","id":1,"method":"#);
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32700)));
    spoken.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
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
