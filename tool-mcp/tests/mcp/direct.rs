//! Requests of 2026-07-28 that are answered without rmcp, and the same ones in a form that is not: both ways end alike.

use serde_json::{Value, json};

use crate::support::{Answer, MODERN, Served, modern_body, take_call_id};

/// What says the same as the usual header, and is looked at more closely.
const LONG_WAY: (&str, &str) = ("accept", "application/json, text/event-stream;q=1");

fn both(served: &Served, method: &str, params: Value) -> [Answer; 2] {
    let name = params["name"].as_str().map(str::to_owned);
    let body = modern_body(method, params).to_string();
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    let short = served.post(&headers, &body);
    headers.push(LONG_WAY);
    [short, served.post(&headers, &body)]
}

#[test]
fn both_ways_end_alike() {
    let served = Served::start();
    let call = |name: &str, arguments: Value| ("tools/call", json!({"name": name, "arguments": arguments}));
    let names: Vec<String> = served.registry.tools().map(|tool| tool.name().to_owned()).collect();
    let empty = names
        .iter()
        .filter(|name| !name.contains("ever") && !name.contains("slowly"))
        .map(|name| call(name, json!({})));
    let cases = [
        ("tools/list", json!({})),
        call("greet", json!({"name": "Ada"})),
        call("greet", json!({"name": 5})),
        call("greet", json!({"nome": "Ada"})),
        call("nope", json!({})),
    ];
    for (method, params) in cases.into_iter().chain(empty) {
        let answers = both(&served, method, params.clone());
        let [short, long] = answers.map(|answer| {
            let parts = ["content-type", "content-length", "mcp-session-id"];
            let head = parts.map(|name| answer.header(name).map(str::to_owned));
            let length = answer.header("content-length").and_then(|length| length.parse().ok());
            assert_eq!(length, Some(answer.body.len()), "{method} {params}: the length is announced");
            let mut body = answer.body.clone();
            if method == "tools/call" && body.contains("tool-core/callId") {
                // The order of members is part of what is compared: the identifier is cut out of the text.
                let id = take_call_id(&mut answer.json());
                body = body.replace(&id, "");
            }
            (answer.status, head, body)
        });
        assert_eq!(short, long, "{method} {params}");
    }
}

/// The MCP Inspector leaves out what it has nothing to say in.
#[test]
fn a_list_of_a_session_has_its_tools_however_it_is_asked_for() {
    let served = Served::start();
    let session = served.session();
    let forms = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"progressToken":"a"}}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tools\/list"}"#,
    ];
    let lists = forms.map(|form| session.post(form).message()["result"]["tools"].take());
    assert!(lists[0].as_array().is_some_and(|tools| tools.len() > 5));
    for (list, form) in lists.iter().zip(forms) {
        assert_eq!(list, &lists[0], "{form}");
    }
}
