//! What calls come to, in both eras.

use serde_json::{Value, json};

use crate::support::{Served, Session, take_call_id};

/// The result of one call in both eras, checked to be one and the same but for what an era adds.
fn call_both(served: &Served, session: &Session<'_>, name: &str, arguments: &Value) -> Value {
    let mut modern = served.call_modern(name, arguments.clone());
    let mut legacy = session.call(name, arguments.clone());
    take_call_id(&mut modern);
    take_call_id(&mut legacy);

    let info = json!({"name": "fixture", "title": "Fixture", "version": "1.0.0"});
    let result = modern["result"].as_object_mut().unwrap();
    assert_eq!(result.shift_remove("resultType"), Some(json!("complete")));
    assert_eq!(result.shift_remove("_meta"), Some(json!({"io.modelcontextprotocol/serverInfo": info})));
    assert_eq!(modern, legacy);
    legacy
}

#[test]
fn a_success_has_content_and_structured_content() {
    let served = Served::start();
    let session = served.session();
    assert_eq!(
        call_both(&served, &session, "add", &json!({"a": 2})),
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "content": [{"type": "text", "text": "{\"result\":7}"}],
                "structuredContent": {"result": 7},
                "isError": false,
            },
        })
    );
    assert_eq!(
        call_both(&served, &session, "greet", &json!({"name": "Ada"}))["result"],
        json!({"content": [{"type": "text", "text": "Hello, Ada!"}], "isError": false})
    );
    assert_eq!(
        call_both(&served, &session, "picture", &json!({}))["result"],
        json!({"content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}], "isError": false})
    );
}

#[test]
fn an_invalid_input_is_told_in_full() {
    let served = Served::start();
    let session = served.session();
    let text = "invalid input for `add`: 2 problems\n\
                - /a: expected an integer, got the string `two`\n\
                - /c: unknown input `c`: the inputs are `a`, `b`\n\
                example of a valid call: {\"a\":1}";
    let answer = call_both(&served, &session, "add", &json!({"a": "two", "c": 1}));
    assert_eq!(answer["result"], json!({"content": [{"type": "text", "text": text}], "isError": true}));
}

#[test]
fn arguments_that_are_no_object_are_an_invalid_input() {
    let served = Served::start();
    let session = served.session();
    let answer = call_both(&served, &session, "add", &json!([1, 2]));
    assert_eq!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("expected an object"), "{text}");
}

#[test]
fn no_arguments_are_an_empty_object() {
    let served = Served::start();
    let answer = served.modern("tools/call", json!({"name": "picture"})).json();
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(served.call_modern("picture", Value::Null)["result"]["isError"], false);
}

#[test]
fn arguments_reach_the_pipeline_as_they_were_written() {
    let served = Served::start();
    let call = |arguments: &str| {
        let mut body = crate::support::modern_body("tools/call", json!({"name": "add"})).to_string();
        body = body.replacen(r#""name":"add""#, &format!(r#""name":"add","arguments":{arguments}"#), 1);
        let headers =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];
        served.post(&headers, &body).json()["result"].take()
    };
    let twice = call(r#"{"a":1,"\u0061":2}"#);
    assert_eq!(twice["isError"], true, "{twice}");
    assert!(twice.to_string().contains("given twice"), "{twice}");
    assert_eq!(call(r#"{"a":1.0,"b":1e3}"#)["structuredContent"], json!({"result": 1001}));
    assert_eq!(call(r#"{"a":9223372036854775807,"b":0}"#)["structuredContent"], json!({"result": i64::MAX}));
    let beyond = call(r#"{"a":9223372036854775808,"b":0}"#);
    let problem = "- /a: expected an integer, got `9223372036854775808`: out of range (-9223372036854775808 to 9223372036854775807)";
    assert!(beyond["content"][0]["text"].as_str().unwrap().contains(problem), "{beyond}");
    assert_eq!(beyond["isError"], true);
}

#[test]
fn the_failure_of_a_tool_says_why() {
    let served = Served::start();
    let session = served.session();
    let answer = call_both(&served, &session, "purge", &json!({}));
    assert_eq!(
        answer["result"],
        json!({"content": [{"type": "text", "text": "the archive is locked"}], "isError": true})
    );
}

#[test]
fn a_panic_tells_nothing_and_harms_nothing() {
    let served = Served::start();
    let session = served.session();
    for _ in 0..2 {
        for mut answer in [served.call_modern("explode", json!({})), session.call("explode", json!({}))] {
            let call = take_call_id(&mut answer);
            let text = format!("internal error (call {call})");
            assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": text}]));
            assert_eq!(answer["result"]["isError"], true);
        }
        assert_eq!(served.call_modern("add", json!({"a": 1}))["result"]["structuredContent"]["result"], 6);
        assert_eq!(session.call("add", json!({"a": 1}))["result"]["structuredContent"]["result"], 6);
    }
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let served = Served::start();
    let session = served.session();
    let error = json!({"code": -32602, "message": "Tool not found: nope"});
    assert_eq!(served.call_modern("nope", json!({}))["error"], error);
    assert_eq!(session.call("nope", json!({}))["error"], error);
    assert_eq!(session.call("nope", json!([]))["error"], error);
}

#[test]
fn calls_without_a_name_are_a_protocol_error() {
    let served = Served::start();
    let answer = served.session().request("tools/call", json!({"arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
