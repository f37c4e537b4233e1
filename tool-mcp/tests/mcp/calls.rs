//! Results of calls in both eras.

use serde_json::{Value, json};
use tool_core::{Output, Registry, tool, tools};

use crate::support::{Session, TestServer, request_both, take_call_id};

/// Calls a tool in both eras, and checks that the results agree.
fn call_both(server: &TestServer, session: &Session<'_>, name: &str, arguments: &Value) -> Value {
    let mut modern = server.call_modern(name, arguments.clone());
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
fn returns_content_and_structured_content() {
    let server = TestServer::start();
    let session = server.session();
    assert_eq!(
        call_both(&server, &session, "add", &json!({"a": 2})),
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
        call_both(&server, &session, "greet", &json!({"name": "Ada"}))["result"],
        json!({"content": [{"type": "text", "text": "Hello, Ada!"}], "isError": false})
    );
    assert_eq!(
        call_both(&server, &session, "picture", &json!({}))["result"],
        json!({"content": [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}], "isError": false})
    );
}

/// Paints.
#[tool(operation = Read, meta = json!({"com.example/team": "art"}))]
fn paint_with_meta() -> Output {
    Output::text("painted").with_meta("com.example/colours", json!(["red"])).unwrap()
}

#[test]
fn shows_metadata_of_tools_and_results() {
    let registry = Registry::builder().tools(tools![paint_with_meta]).build().unwrap();
    let digest = registry.get("paint_with_meta").unwrap().digest().to_string();
    for shows_own in [true, false] {
        let server = TestServer::with_registry(registry.clone(), |server| server.tool_meta(shows_own));
        let (list, _) = request_both(&server, "tools/list", &json!({}));
        let meta = &list["result"]["tools"][0]["_meta"];
        let expected = match shows_own {
            true => {
                json!({"com.example/team": "art", "tool-core/operation": "read", "tool-core/digest": digest})
            }
            false => json!({"com.example/team": "art"}),
        };
        assert_eq!(meta, &expected);
        let mut answer = server.session().call("paint_with_meta", json!({}));
        let meta = answer["result"]["_meta"].as_object_mut().unwrap();
        meta.shift_remove("tool-core/callId").unwrap();
        assert_eq!(json!(meta), json!({"com.example/colours": ["red"]}));
    }
}

#[test]
fn reports_every_problem_of_an_invalid_call() {
    let server = TestServer::start();
    let session = server.session();
    let text = "invalid input for `add`: 2 problems\n\
                - /a: expected an integer, got the string `two`\n\
                - /c: unknown input `c`: the inputs are `a`, `b`\n\
                example of a valid call: {\"a\":1}";
    let answer = call_both(&server, &session, "add", &json!({"a": "two", "c": 1}));
    assert_eq!(answer["result"], json!({"content": [{"type": "text", "text": text}], "isError": true}));
}

#[test]
fn rejects_arguments_that_are_not_an_object() {
    let server = TestServer::start();
    let session = server.session();
    let answer = call_both(&server, &session, "add", &json!([1, 2]));
    assert_eq!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("expected an object"), "{text}");
}

#[test]
fn treats_missing_arguments_as_an_empty_object() {
    let server = TestServer::start();
    let answer = server.request_modern("tools/call", json!({"name": "picture"})).json();
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(server.call_modern("picture", Value::Null)["result"]["isError"], false);
}

#[test]
fn preserves_raw_arguments() {
    let server = TestServer::start();
    let call = |arguments: &str| {
        let mut body = crate::support::modern_body("tools/call", json!({"name": "add"})).to_string();
        body = body.replacen(r#""name":"add""#, &format!(r#""name":"add","arguments":{arguments}"#), 1);
        let headers =
            [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];
        server.post(&headers, &body).json()["result"].take()
    };
    let duplicate = call(r#"{"a":1,"\u0061":2}"#);
    assert_eq!(duplicate["isError"], true, "{duplicate}");
    assert!(duplicate.to_string().contains("given twice"), "{duplicate}");
    assert_eq!(call(r#"{"a":1.0,"b":1e3}"#)["structuredContent"], json!({"result": 1001}));
    assert_eq!(call(r#"{"a":9223372036854775807,"b":0}"#)["structuredContent"], json!({"result": i64::MAX}));
    let overflow = call(r#"{"a":9223372036854775808,"b":0}"#);
    let problem = "- /a: expected an integer, got `9223372036854775808`: out of range (-9223372036854775808 to 9223372036854775807)";
    assert!(overflow["content"][0]["text"].as_str().unwrap().contains(problem), "{overflow}");
    assert_eq!(overflow["isError"], true);
}

#[test]
fn reports_the_message_of_a_failure() {
    let server = TestServer::start();
    let session = server.session();
    let answer = call_both(&server, &session, "purge", &json!({}));
    assert_eq!(
        answer["result"],
        json!({"content": [{"type": "text", "text": "the archive is locked"}], "isError": true})
    );
}

#[test]
fn hides_panics_and_keeps_serving() {
    let server = TestServer::start();
    let session = server.session();
    for _ in 0..2 {
        for mut answer in [server.call_modern("explode", json!({})), session.call("explode", json!({}))] {
            let call = take_call_id(&mut answer);
            let text = format!("internal error (call {call})");
            assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": text}]));
            assert_eq!(answer["result"]["isError"], true);
        }
        assert_eq!(server.call_modern("add", json!({"a": 1}))["result"]["structuredContent"]["result"], 6);
        assert_eq!(session.call("add", json!({"a": 1}))["result"]["structuredContent"]["result"], 6);
    }
}

#[test]
fn rejects_an_unknown_tool() {
    let server = TestServer::start();
    let session = server.session();
    let error = json!({"code": -32602, "message": "Tool not found: nope"});
    assert_eq!(server.call_modern("nope", json!({}))["error"], error);
    assert_eq!(session.call("nope", json!({}))["error"], error);
    assert_eq!(session.call("nope", json!([]))["error"], error);
    // With the name of a similar tool that the caller may call.
    let error = json!({"code": -32602, "message": "Tool not found: adds; did you mean `add`?"});
    assert_eq!(server.call_modern("adds", json!({}))["error"], error);
    assert_eq!(session.call("adds", json!({}))["error"], error);
}

#[test]
fn rejects_a_call_without_a_name() {
    let server = TestServer::start();
    let answer = server.session().request("tools/call", json!({"arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
