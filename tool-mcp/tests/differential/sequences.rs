//! Sequences of messages for single features.

#![expect(clippy::needless_pass_by_value, reason = "a literal of JSON reads better without a borrow")]

use serde_json::{Value, json};

use super::tools::Kind;

pub(super) const MODERN: &str = "2026-07-28";

pub(super) struct Sequence {
    pub(super) name: String,
    pub(super) server: Kind,
    pub(super) steps: Vec<Step>,
}

/// `$SESSION`, `$STATE` and `$EVENT` stand for the latest values in the answers.
pub(super) enum Step {
    Http {
        method: &'static str,
        headers: Vec<(String, String)>,
        body: String,
    },
    Line(String),
    Wait(u64),
    /// Closes all connections.
    Disconnect,
}

pub(super) fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(super) fn http(method: &'static str, pairs: &[(&str, &str)], body: impl ToString) -> Step {
    Step::Http { method, headers: headers(pairs), body: body.to_string() }
}

pub(super) fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    let mut request = json!({"jsonrpc": "2.0", "id": id.into(), "method": method});
    if !params.is_null() {
        request["params"] = params.clone();
    }
    request
}

pub(super) fn initialize(version: &str, capabilities: &Value) -> Value {
    let client = json!({"name": "test", "version": "1"});
    request(
        0,
        "initialize",
        &json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client}),
    )
}

pub(super) fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// A message in the session.
pub(super) fn in_session(body: impl ToString) -> Step {
    http("POST", &[("mcp-session-id", "$SESSION"), ("mcp-protocol-version", "2025-11-25")], body)
}

pub(super) fn with_meta(params: &Value, capabilities: &Value) -> Value {
    let mut params = if params.is_null() { json!({}) } else { params.clone() };
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    params
}

/// A request of 2026-07-28.
pub(super) fn modern(id: impl Into<Value>, method: &str, params: &Value, capabilities: &Value) -> Step {
    let name = params["name"].as_str().or(params["uri"].as_str());
    let mut pairs = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    pairs.extend(name.map(|name| ("mcp-name", name)));
    http("POST", &pairs, request(id, method, &with_meta(params, capabilities)))
}

/// Requests of clients, with their parameters.
pub(super) fn requests() -> Vec<(&'static str, Value)> {
    let call = |name: &str, arguments: Value| ("tools/call", json!({"name": name, "arguments": arguments}));
    let token = |name: &str, arguments: Value| {
        ("tools/call", json!({"name": name, "arguments": arguments, "_meta": {"progressToken": "t"}}))
    };
    vec![
        ("tools/list", Value::Null),
        ("tools/list", json!({})),
        ("tools/list", json!({"cursor": "3-0"})),
        ("tools/list", json!({"cursor": 3})),
        ("tools/list", json!({"_meta": {"progressToken": 1}})),
        call("add", json!({"a": 1})),
        call("add", json!({"a": "x", "b": null})),
        call("add", json!({"aa": 1})),
        call("add", json!([1])),
        ("tools/call", json!({"name": "columns"})),
        ("tools/call", json!({"name": "columns", "arguments": null})),
        ("tools/call", json!({"name": 5})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", Value::Null),
        ("tools/call", json!([1])),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}, "extra": true})),
        ("tools/call", json!({"name": "ask", "requestState": 5})),
        ("tools/call", json!({"name": "ask", "inputResponses": 5})),
        ("tools/call", json!({"name": "add", "arguments": {"a": 1}, "_meta": {"other": 1}})),
        call("media", json!({})),
        call("purge", json!({})),
        call("sleep", json!({"seconds": 0})),
        call("nope", json!({})),
        call("report", json!({"slow": false})),
        call("report", json!({"slow": true})),
        token("report", json!({"slow": false})),
        token("report", json!({"slow": true})),
        token("add", json!({"a": 2})),
        call("region", json!({"region": "north"})),
        call("ask", json!({})),
        call("sample", json!({})),
        call("columns", json!({})),
        call("weather", json!({"city": "Bern", "day": 3})),
        ("resources/list", json!({})),
        ("resources/templates/list", Value::Null),
        ("resources/read", json!({"uri": "fixture://columns"})),
        ("resources/read", json!({"uri": "fixture://weather/Bern/3"})),
        ("resources/read", json!({"uri": "fixture://weather/Bern/x"})),
        ("resources/read", json!({"uri": "fixture://tools"})),
        ("resources/read", json!({"uri": "fixture://tool/add"})),
        ("resources/read", json!({"uri": "docs://guide"})),
        ("resources/read", json!({"uri": "docs://page/7"})),
        ("resources/read", json!({"uri": "docs://nowhere"})),
        ("resources/read", json!({})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "letter", "arguments": {"name": "Ada", "words": "7"}})),
        ("prompts/get", json!({"name": "letter"})),
        ("prompts/get", json!({"name": "letter", "arguments": 5})),
        ("prompts/get", json!({"name": "nope"})),
        (
            "completion/complete",
            json!({
                "ref": {"type": "ref/resource", "uri": "fixture://weather/{city}/{day}"},
                "argument": {"name": "city", "value": "Be"},
            }),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "letter"}, "argument": {"name": "name", "value": ""}}),
        ),
        ("completion/complete", json!({"ref": {}})),
        ("ping", Value::Null),
        ("ping", json!({})),
        ("logging/setLevel", json!({"level": "error"})),
        ("logging/setLevel", json!({"level": "loud"})),
        ("resources/subscribe", json!({"uri": "docs://guide"})),
        ("resources/subscribe", json!({"uri": 5})),
        ("resources/unsubscribe", json!({"uri": "docs://guide"})),
        ("server/discover", json!({})),
        ("tasks/get", json!({"taskId": "1"})),
        ("tasks/list", json!({})),
        ("skills/list", json!({})),
        ("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})),
        ("nobody/knows", json!({"a": 1})),
        (
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "2"}}),
        ),
        ("initialize", json!({"protocolVersion": 5})),
    ]
}

/// Invalid and unusual messages.
pub(super) const INVALID_MESSAGES: [&str; 40] = [
    "",
    " ",
    "{",
    "[]",
    "5",
    "\"text\"",
    "null",
    "{}",
    "\u{feff}{}",
    r#"{"jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"2.0","id":1}"#,
    r#"{"jsonrpc":"2.0","method":"ping"}"#,
    r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
    r#"{"id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping","other":5}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"add"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"a":2}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1e400}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"letter","arguments":{"name":"a","name":"b"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools\/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","result":{}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
];

fn sequence(name: &str, steps: Vec<Step>) -> Sequence {
    Sequence { name: name.to_owned(), server: Kind::Plain, steps }
}

fn in_new_session(capabilities: &Value, rest: Vec<Step>) -> Vec<Step> {
    let mut steps =
        vec![http("POST", &[], initialize("2025-11-25", capabilities)), in_session(initialized())];
    steps.extend(rest);
    steps
}

fn get(pairs: &[(&str, &str)]) -> Step {
    http("GET", &[&[("mcp-session-id", "$SESSION"), ("accept", "text/event-stream")], pairs].concat(), "")
}

fn cancel(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}})
}

fn call(id: u32, name: &str, arguments: &Value) -> Value {
    request(id, "tools/call", &json!({"name": name, "arguments": arguments}))
}

fn with_token(mut call: Value) -> Value {
    call["params"]["_meta"] = json!({"progressToken": 5});
    call
}

fn answer(id: u32, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(super) fn fixed() -> Vec<Sequence> {
    let mut all = every_request();
    all.extend(session_sequences());
    all.extend(stream_sequences());
    all.extend(stdio_sequences());
    all.extend(elicitation_sequences());
    all
}

/// Each request in both eras over both transports, and each invalid message.
fn every_request() -> Vec<Sequence> {
    let mut all = Vec::new();
    for kind in [Kind::Plain, Kind::Paged] {
        let mut session =
            vec![http("POST", &[], initialize("2025-11-25", &json!({}))), in_session(initialized())];
        let mut legacy_lines = vec![
            Step::Line(initialize("2024-11-05", &json!({})).to_string()),
            Step::Line(initialized().to_string()),
        ];
        let (mut stateless, mut lines) = (Vec::new(), Vec::new());
        for (id, (method, params)) in requests().into_iter().enumerate() {
            let body = request(id, method, &params);
            session.push(in_session(&body));
            legacy_lines.push(Step::Line(body.to_string()));
            if !params.is_array() {
                stateless.push(modern(id, method, &params, &json!({})));
                lines.push(Step::Line(request(id, method, &with_meta(&params, &json!({}))).to_string()));
            }
            for steps in [&mut session, &mut legacy_lines, &mut stateless, &mut lines] {
                steps.push(Step::Wait(3));
            }
        }
        for (name, steps) in
            [("session", session), ("alone", stateless), ("old lines", legacy_lines), ("modern lines", lines)]
        {
            all.push(Sequence { name: format!("every request, {name}, {kind:?}"), server: kind, steps });
        }
    }
    let invalid = |step: fn(&str) -> Step| INVALID_MESSAGES.iter().map(|text| step(text)).collect::<Vec<_>>();
    all.push(sequence("odd, no session", invalid(|text| http("POST", &[], text))));
    all.push(sequence("odd, session", in_new_session(&json!({}), invalid(|text| in_session(text)))));
    let stateless =
        invalid(|text| http("POST", &[("mcp-protocol-version", MODERN), ("mcp-method", "ping")], text));
    all.push(sequence("odd, alone", stateless));
    all.push(sequence("odd, lines", invalid(|text| Step::Line(text.to_owned()))));
    let mut lines = vec![Step::Line(initialize("2025-06-18", &json!({})).to_string())];
    lines.extend(invalid(|text| Step::Line(text.to_owned())));
    all.push(sequence("odd, lines of a session", lines));
    all
}

fn session_sequences() -> Vec<Sequence> {
    let ping = || request(9, "ping", &Value::Null);
    let delete = |pairs: &[(&str, &str)]| http("DELETE", pairs, "");
    let session = ("mcp-session-id", "$SESSION");
    vec![
        sequence(
            "delete",
            in_new_session(
                &json!({}),
                vec![
                    delete(&[]),
                    delete(&[("mcp-session-id", "nope")]),
                    delete(&[session, ("mcp-protocol-version", MODERN)]),
                    delete(&[session, ("mcp-protocol-version", "1999-01-01")]),
                    in_session(ping()),
                    delete(&[session]),
                    in_session(ping()),
                    get(&[]),
                    delete(&[session]),
                ],
            ),
        ),
        sequence(
            "versions in the head",
            in_new_session(
                &json!({}),
                vec![
                    http("POST", &[session], ping()),
                    http("POST", &[session, ("mcp-protocol-version", "2025-03-26")], ping()),
                    http("POST", &[session, ("mcp-protocol-version", "1999-01-01")], ping()),
                    http(
                        "POST",
                        &[session, ("mcp-protocol-version", MODERN), ("mcp-method", "ping")],
                        ping(),
                    ),
                    http(
                        "POST",
                        &[session, ("mcp-protocol-version", "2025-11-25"), ("mcp-method", "other")],
                        ping(),
                    ),
                    http("POST", &[("mcp-session-id", "nope")], ping()),
                    http("POST", &[], ping()),
                    http("PUT", &[session], ping()),
                ],
            ),
        ),
        sequence(
            "before initialized",
            vec![
                http("POST", &[], initialize("2025-11-25", &json!({}))),
                in_session(request(1, "tools/list", &Value::Null)),
                in_session(ping()),
                in_session(initialized()),
                in_session(initialized()),
                in_session(initialize("2025-06-18", &json!({}))),
                in_session(call(2, "add", &json!({"a": 1}))),
            ],
        ),
        sequence(
            "openings",
            ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "2099-01-01", "x"]
                .into_iter()
                .flat_map(|version| {
                    let list = request(1, "tools/list", &Value::Null);
                    [
                        http("POST", &[], initialize(version, &json!({}))),
                        in_session(list),
                        in_session(call(2, "media", &json!({}))),
                        in_session(call(3, "add", &json!({"a": 1}))),
                    ]
                })
                .collect(),
        ),
        sequence(
            "heads",
            vec![
                http("POST", &[("host", "evil.example")], ping()),
                http("POST", &[("host", "localhost:99999")], ping()),
                http("POST", &[("host", "a b")], ping()),
                http("POST", &[("origin", "http://evil.example")], initialize("2025-11-25", &json!({}))),
                http("POST", &[("origin", "http://localhost:5")], initialize("2025-11-25", &json!({}))),
                http("POST", &[("origin", "null")], initialize("2025-11-25", &json!({}))),
                http("POST", &[("origin", "nonsense")], initialize("2025-11-25", &json!({}))),
                http("POST", &[("accept", "application/json")], ping()),
                http("POST", &[("accept", "*/*;q=0")], ping()),
                http("POST", &[("content-type", "text/plain")], ping()),
                http("POST", &[("content-type", "application/json;charset=latin1")], ping()),
                http("POST", &[("content-encoding", "gzip")], ping()),
                http("POST", &[("mcp-protocol-version", MODERN)], ping()),
                http(
                    "POST",
                    &[("mcp-protocol-version", MODERN), ("mcp-method", "initialize")],
                    initialize(MODERN, &json!({})),
                ),
                http("POST", &[("mcp-protocol-version", "2025-06-18")], initialize("2025-11-25", &json!({}))),
                http("GET", &[], ""),
                http("GET", &[("mcp-protocol-version", MODERN)], ""),
                http("GET", &[("accept", "text/html"), ("mcp-session-id", "a")], ""),
            ],
        ),
    ]
}

fn stream_sequences() -> Vec<Sequence> {
    let resume = || get(&[("last-event-id", "$EVENT")]);
    let sleep = |id| call(id, "sleep", &json!({"seconds": 5}));
    let report = |id| with_token(call(id, "report", &json!({"slow": true})));
    vec![
        sequence(
            "a slow call",
            in_new_session(
                &json!({}),
                vec![
                    in_session(sleep(1)),
                    in_session(sleep(1)),
                    Step::Wait(6),
                    in_session(sleep(1)),
                    Step::Wait(6),
                ],
            ),
        ),
        sequence(
            "cancel",
            in_new_session(
                &json!({}),
                vec![
                    in_session(cancel(1)),
                    in_session(sleep(1)),
                    in_session(cancel(1)),
                    in_session(cancel(1)),
                    Step::Wait(6),
                    in_session(sleep(1)),
                    in_session(cancel("1")),
                    Step::Wait(6),
                ],
            ),
        ),
        sequence(
            "progress and logs",
            in_new_session(
                &json!({}),
                vec![
                    get(&[]),
                    in_session(report(1)),
                    Step::Wait(3),
                    in_session(request(2, "logging/setLevel", &json!({"level": "debug"}))),
                    in_session(report(3)),
                    Step::Wait(3),
                    in_session(request(4, "logging/setLevel", &json!({"level": "error"}))),
                    in_session(report(5)),
                    Step::Wait(3),
                ],
            ),
        ),
        sequence(
            "resume a call",
            in_new_session(
                &json!({}),
                vec![
                    in_session(report(1)),
                    Step::Disconnect,
                    Step::Wait(3),
                    resume(),
                    Step::Wait(1),
                    resume(),
                ],
            ),
        ),
        sequence(
            "resume a running call",
            in_new_session(
                &json!({}),
                vec![in_session(report(1)), Step::Disconnect, resume(), Step::Wait(3)],
            ),
        ),
        sequence(
            "resume nothing",
            in_new_session(
                &json!({}),
                vec![
                    get(&[("last-event-id", "nonsense")]),
                    get(&[("last-event-id", "7/99")]),
                    get(&[("last-event-id", "")]),
                ],
            ),
        ),
        sequence(
            "two streams",
            in_new_session(
                &json!({}),
                vec![
                    get(&[]),
                    get(&[]),
                    in_session(call(1, "report", &json!({"slow": false}))),
                    Step::Disconnect,
                    get(&[]),
                ],
            ),
        ),
        sequence(
            "modern streams",
            vec![
                modern(
                    1,
                    "tools/call",
                    &json!({"name": "report", "arguments": {"slow": true}, "_meta": {"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"}}),
                    &json!({}),
                ),
                modern(1, "tools/call", &json!({"name": "sleep", "arguments": {"seconds": 2}}), &json!({})),
                Step::Wait(3),
                modern(1, "tools/call", &json!({"name": "sleep", "arguments": {"seconds": 2}}), &json!({})),
                Step::Disconnect,
                modern(
                    "a",
                    "tools/call",
                    &json!({"name": "report", "arguments": {"slow": false}, "_meta": {"io.modelcontextprotocol/logLevel": "warning"}}),
                    &json!({}),
                ),
            ],
        ),
        Sequence {
            name: "subscriptions".to_owned(),
            server: Kind::Paged,
            steps: vec![
                modern(
                    "s",
                    "subscriptions/listen",
                    &json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["docs://guide", "docs://nowhere"]}}),
                    &json!({}),
                ),
                modern("t", "subscriptions/listen", &json!({"notifications": {}}), &json!({})),
                modern("u", "subscriptions/listen", &json!({}), &json!({})),
                Step::Wait(1),
                Step::Disconnect,
            ],
        },
    ]
}

fn stdio_sequences() -> Vec<Sequence> {
    let line = |message: Value| Step::Line(message.to_string());
    let modern =
        |id: &str, method: &str, params: Value| line(request(id, method, &with_meta(&params, &json!({}))));
    let sleep = || json!({"name": "sleep", "arguments": {"seconds": 5}});
    vec![
        sequence(
            "lines: slow calls",
            vec![
                line(initialize("2025-11-25", &json!({}))),
                line(initialized()),
                line(call(1, "sleep", &json!({"seconds": 5}))),
                line(call(1, "add", &json!({"a": 1}))),
                line(request(2, "ping", &Value::Null)),
                Step::Wait(6),
                line(call(3, "sleep", &json!({"seconds": 5}))),
                line(cancel(3)),
                line(cancel(3)),
                Step::Wait(6),
                line(with_token(call(4, "report", &json!({"slow": true})))),
                Step::Wait(3),
                line(call(5, "sleep", &json!({"seconds": 2}))),
            ],
        ),
        sequence(
            "lines: modern",
            vec![
                modern("a", "server/discover", json!({})),
                modern("b", "tools/list", json!({})),
                modern("c", "tools/call", sleep()),
                line(cancel("c")),
                Step::Wait(6),
                modern("d", "tools/call", sleep()),
                Step::Wait(6),
                line(request("e", "tools/list", &Value::Null)),
                line(initialize("2025-06-18", &json!({}))),
                line(request("e", "tools/list", &Value::Null)),
                modern("f", "ping", json!({})),
            ],
        ),
        Sequence {
            name: "lines: subscriptions".to_owned(),
            server: Kind::Paged,
            steps: vec![
                modern("s", "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})),
                line(request(1, "ping", &Value::Null)),
                line(cancel("s")),
                Step::Wait(1),
                modern("t", "subscriptions/listen", json!({"notifications": {"resourcesListChanged": true}})),
            ],
        },
    ]
}

fn elicitation_sequences() -> Vec<Sequence> {
    let all = json!({"elicitation": {}, "sampling": {}});
    let accept = json!({"action": "accept", "content": {"name": "Ada"}});
    let sampled = json!({"role": "assistant", "content": {"type": "text", "text": "Eve"}, "model": "m"});
    let ask = |params: Value| {
        let mut all = json!({"name": "ask", "arguments": {}});
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        modern(1, "tools/call", &all, &json!({"elicitation": {}}))
    };
    let lines =
        |steps: Vec<Value>| steps.into_iter().map(|step| Step::Line(step.to_string())).collect::<Vec<_>>();
    vec![
        sequence(
            "questions of a session",
            in_new_session(
                &all,
                vec![
                    in_session(call(1, "ask", &json!({}))),
                    in_session(answer(0, &accept)),
                    in_session(call(2, "sample", &json!({}))),
                    in_session(answer(1, &sampled)),
                    in_session(call(3, "ask", &json!({}))),
                    in_session(answer(2, &json!({"action": "decline"}))),
                    in_session(call(4, "ask", &json!({}))),
                    in_session(json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -1, "message": "no"}})),
                    in_session(call(5, "ask", &json!({}))),
                    in_session(cancel(5)),
                    Step::Wait(1),
                    in_session(answer(4, &accept)),
                    in_session(answer(77, &accept)),
                ],
            ),
        ),
        sequence(
            "questions to one who cannot",
            in_new_session(
                &json!({}),
                vec![
                    in_session(call(1, "ask", &json!({}))),
                    modern(1, "tools/call", &json!({"name": "sample"}), &json!({})),
                ],
            ),
        ),
        sequence(
            "rounds",
            vec![
                ask(json!({})),
                ask(json!({"requestState": "$STATE", "inputResponses": {"name": accept.clone()}})),
                ask(
                    json!({"requestState": "$STATE", "inputResponses": {"name": {"action": "cancel"}, "other": {}}}),
                ),
                ask(json!({"requestState": "$STATE", "inputResponses": {"name": 5}})),
                ask(json!({"requestState": "$STATE"})),
                ask(json!({"requestState": "tampered", "inputResponses": {"name": accept.clone()}})),
                ask(json!({"inputResponses": {"name": accept.clone()}})),
                modern(
                    1,
                    "tools/call",
                    &json!({"name": "sample", "arguments": {}, "requestState": "$STATE"}),
                    &json!({"sampling": {}}),
                ),
            ],
        ),
        sequence(
            "lines: questions",
            lines(vec![
                initialize("2025-11-25", &all),
                initialized(),
                call(1, "ask", &json!({})),
                answer(0, &accept),
                call(2, "sample", &json!({})),
                cancel(2),
                call(3, "sample", &json!({})),
                answer(2, &sampled),
                call(4, "ask", &json!({})),
                answer(3, &json!(5)),
                answer(3, &accept),
            ]),
        ),
    ]
}
