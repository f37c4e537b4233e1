//! Faults of clients over raw HTTP and stdio: rows 71 to 77 and 82 of the list of faults. The next call always
//! succeeds.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::stdio::StdioClient;
use crate::support::{Answer, LEGACY, MODERN, TIMEOUT, TestServer, initialize, modern_body, request, send};

fn assert_alive(server: &TestServer) {
    assert_eq!(server.call_modern("add", json!({"a": 1}))["result"]["isError"], false);
}

/// The status of an answer and the code of its error.
fn outcome(answer: &Answer) -> (u16, Option<i64>) {
    assert!(answer.body.len() < 1024, "{}", answer.body);
    (answer.status, answer.json()["error"]["code"].as_i64())
}

/// Calls the tool `name` with exactly these headers.
fn greet(server: &TestServer, name: &str, headers: &[(&str, &str)]) -> (u16, Option<i64>) {
    let body = modern_body("tools/call", json!({"name": name, "arguments": {"name": "Ada"}}));
    outcome(&server.post(headers, &body.to_string()))
}

#[test]
fn row_71_rejects_headers_that_contradict_the_body() {
    let server = TestServer::start();
    let (version, method) = (("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"));
    let name = |name| ("mcp-name", name);
    let plain = [version, method, name("greet")];
    assert_eq!(greet(&server, "greet", &plain), (200, None));
    assert_eq!(greet(&server, "greet", &[version, method, name("=?base64?Z3JlZXQ=?=")]), (200, None));
    let mismatch = (400, Some(-32020));
    for headers in [
        [version, method, name("add")],
        [version, method, name("=?base64?YWRk?=")],
        [version, method, name("=?base64?Z3JlZXQ?=")],
        [version, method, name("=?base64?@@@@?=")],
        [version, method, name("Greet")],
        [version, ("mcp-method", "tools/list"), name("greet")],
        [version, ("mcp-method", "=?base64?dG9vbHMvbGlzdA==?="), name("greet")],
        [("mcp-protocol-version", LEGACY), method, name("greet")],
    ] {
        assert_eq!(greet(&server, "greet", &headers), mismatch, "{headers:?}");
    }
    assert_eq!(greet(&server, "greet", &[version, method]), mismatch, "no name");
    assert_eq!(greet(&server, "greet", &[version, name("greet")]), mismatch, "no method");
    assert_eq!(greet(&server, "greet", &[method, name("greet")]), mismatch, "no version");
    for duplicate in [
        [version, method, name("greet"), name("add")],
        [version, method, name("add"), name("greet")],
        [version, method, ("mcp-method", "tools/list"), name("greet")],
        [version, ("mcp-protocol-version", LEGACY), method, name("greet")],
    ] {
        assert_eq!(greet(&server, "greet", &duplicate), mismatch, "{duplicate:?}");
    }
    assert_alive(&server);
}

#[test]
fn row_72_lists_supported_versions_for_an_unknown_one() {
    let server = TestServer::start();
    let versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
    for version in ["2099-01-01", "1.0", "tomorrow"] {
        let mut body = modern_body("tools/list", json!({}));
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let answer = server
            .post(&[("mcp-protocol-version", version), ("mcp-method", "tools/list")], &body.to_string());
        assert_eq!(outcome(&answer), (400, Some(-32022)), "{version}: {}", answer.body);
        let data = answer.json()["error"]["data"].take();
        assert_eq!(data["requested"], version);
        let supported = data["supported"].as_array().unwrap();
        assert!(versions.iter().all(|expected| supported.contains(&json!(expected))), "{data}");
    }
    // `initialize` with an unknown version negotiates a supported one.
    let mut init = initialize();
    init["params"]["protocolVersion"] = json!("2099-01-01");
    assert_eq!(server.post(&[], &init.to_string()).message()["result"]["protocolVersion"], LEGACY);
    // The version header of a request in a session must be a supported one.
    let session = server.session();
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", "1999-01-01")];
    let answer = server.post(&headers, &request(1, "tools/list", json!({})).to_string());
    assert_eq!(outcome(&answer), (400, Some(-32600)), "{}", answer.body);
    assert_alive(&server);
}

#[test]
fn row_73_ignores_session_ids_of_modern_requests() {
    let server = TestServer::start();
    let session = server.session();
    let body = modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})).to_string();
    for id in [session.id.as_str(), "00000000-0000-0000-0000-000000000000", "é", ""] {
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", "tools/call"),
            ("mcp-name", "add"),
            ("mcp-session-id", id),
        ];
        let answer = server.post(&headers, &body);
        assert_eq!(outcome(&answer), (200, None), "{id}: {}", answer.body);
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    // The session still works.
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false);
}

#[test]
fn row_73_accepts_requests_that_name_the_version_of_their_session() {
    let server = TestServer::start();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": LEGACY});
    let session = server.session();
    for method in ["ping", "tools/list"] {
        let answer = session.request(method, json!({"_meta": meta}));
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
}

/// A request without a body.
fn bare(server: &TestServer, method: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(server.addr).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut head = format!("{method} /mcp HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", server.addr);
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    Answer::read(stream)
}

#[test]
fn row_74_rejects_get_and_delete_of_modern_clients() {
    let server = TestServer::start();
    let session = server.session();
    let version = ("mcp-protocol-version", MODERN);
    for method in ["GET", "DELETE"] {
        for headers in [vec![version], vec![version, ("mcp-session-id", &session.id)]] {
            let accept = ("accept", "text/event-stream");
            let answer = bare(&server, method, &[headers.as_slice(), &[accept]].concat());
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method} {headers:?}");
        }
    }
    for method in ["PUT", "PATCH", "TRACE"] {
        assert_eq!(bare(&server, method, &[]).status, 405, "{method}");
    }
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false, "it was not deleted");
    let deleted = bare(&server, "DELETE", &[("mcp-session-id", &session.id)]);
    assert_eq!((deleted.status, deleted.header("content-length"), &*deleted.body), (204, None, ""));
    assert_eq!(session.post(&request(1, "ping", json!({})).to_string()).status, 404);
}

/// A proxy may have used the other value.
#[test]
fn refuses_repeated_headers_of_every_method() {
    let server = TestServer::start();
    let (session, other) = (server.session(), server.session());
    let twice = [("mcp-session-id", &*session.id), ("mcp-session-id", &*other.id)];
    for method in ["GET", "DELETE"] {
        let answer = bare(&server, method, &[&twice[..], &[("accept", "text/event-stream")]].concat());
        let message = answer.json()["error"]["message"].take();
        assert_eq!((answer.status, &message), (400, &json!("the header `mcp-session-id` is repeated")));
    }
    for session in [session, other] {
        assert_eq!(
            session.post(&request(1, "ping", json!({})).to_string()).status,
            200,
            "it was not deleted"
        );
    }
}

#[test]
fn row_75_rejects_invalid_requests_on_both_transports() {
    let server = TestServer::start();
    let session = server.session();
    let mut client = StdioClient::start_with("");
    client.initialize(json!({}));
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let depth = |n: usize| {
        let (open, close) = ("[".repeat(n), "]".repeat(n));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{open}{close}}}}}"#
        )
    };
    let one = json!(1);
    for (line, code, id) in [
        ("{".to_owned(), -32700, &Value::Null),
        (r#"{"a":"\ud800"}"#.to_owned(), -32600, &Value::Null),
        (format!("[{}]", ping("1")), -32600, &Value::Null),
        ("[]".to_owned(), -32600, &Value::Null),
        (ping("1").replace("2.0", "1.0"), -32600, &one),
        (ping("1").replace(r#""jsonrpc":"2.0","#, ""), -32600, &one),
        (ping("1").replace("}", ""), -32700, &one),
        (ping("1").replace("}", r#","params":{"a":1,}}"#), -32700, &one),
        (ping("1").replace("}", r#","params":{"a":1e400}}"#), -32600, &one),
        (ping("1").replace("}", r#","method":"ping"}"#), -32600, &one),
        (ping("1").replace("}", r#","params":5}"#), -32600, &one),
        (ping("null"), -32600, &Value::Null),
        (ping("1.5"), -32600, &Value::Null),
        (ping("true"), -32600, &Value::Null),
        (ping("[1]"), -32600, &Value::Null),
        (ping("123456789012345678901234567890"), -32600, &Value::Null),
        (ping("1").replace(r#""id":1"#, r#""id":1,"id":2"#), -32600, &Value::Null),
    ] {
        let over_http = session.post(&line);
        assert_eq!(outcome(&over_http), (400, Some(code)), "{line}: {}", over_http.body);
        assert_eq!(&over_http.json()["id"], id, "{line}: {}", over_http.body);
        let answer = client.exchange(&line);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), id), "{line}: {answer}");
        assert!(answer.to_string().len() < 1024, "{answer}");
    }
    // Arguments that are nested too deeply fail their call.
    for levels in [200, 100_000] {
        let over_http = session.post(&depth(levels)).message();
        let on_stdio = client.exchange(depth(levels));
        for answer in [over_http, on_stdio] {
            assert_eq!((&answer["id"], &answer["result"]["isError"]), (&one, &json!(true)), "{answer}");
            assert!(answer.to_string().len() < 1024, "{answer}");
        }
    }
    // Strings and exact integers are valid ids.
    for id in [json!("a"), json!(""), json!(-1), json!(9_007_199_254_740_993_i64)] {
        let answer = session.post(&ping(&id.to_string()));
        assert_eq!(answer.message()["id"], id, "{}", answer.body);
        assert_eq!(client.exchange(ping(&id.to_string()))["id"], id);
    }
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn row_75_rejects_a_duplicate_id_in_a_session() {
    let server = TestServer::start();
    // Each modern request has its own answer.
    let modern = modern_body("tools/call", json!({"name": "write_slowly"})).to_string();
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "write_slowly")];
    let first = send(server.addr, &headers, &modern);
    server.wait_for(&server.events.started);
    assert_alive(&server);
    server.events.release.add_permits(1);
    assert_eq!(Answer::read(first).json()["result"]["isError"], false);

    // In a session the second request is rejected, and the first is answered.
    let server = TestServer::start();
    let session = server.session();
    let slow = request(7, "tools/call", json!({"name": "write_slowly"})).to_string();
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    let first = send(server.addr, &headers, &slow);
    server.wait_for(&server.events.started);
    let second = session.post(&request(7, "ping", json!({})).to_string());
    assert_eq!(outcome(&second), (400, Some(-32600)), "{}", second.body);
    server.events.release.add_permits(1);
    assert_eq!(Answer::read(first).message()["result"]["isError"], false);
    assert_eq!(session.post(&request(7, "ping", json!({})).to_string()).message()["result"], json!({}));

    // The same over stdio.
    let mut client = StdioClient::start_with("progress");
    client.initialize(json!({}));
    let mut slow = request(7, "tools/call", json!({"name": "await_going"}));
    slow["params"]["_meta"] = json!({"progressToken": 1});
    client.send(slow);
    assert_eq!(client.receive()["method"], "notifications/progress");
    let rejected = client.exchange(request(7, "tools/call", json!({"name": "let_go_on"})));
    assert_eq!((&rejected["id"], &rejected["error"]["code"]), (&Value::Null, &json!(-32600)), "{rejected}");
    client.send(request(8, "tools/call", json!({"name": "let_go_on"})));
    let mut answered = [client.receive()["id"].as_i64(), client.receive()["id"].as_i64()];
    answered.sort_unstable();
    assert_eq!(answered, [Some(7), Some(8)]);
    assert_eq!(client.exchange(request(7, "ping", json!({})))["result"], json!({}), "the id is free again");
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn row_76_does_not_answer_notifications() {
    let server = TestServer::start();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "notifications/cancelled")];
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    let answer = server.post(&headers, &cancelled.to_string());
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    let unknown = json!({"jsonrpc": "2.0", "method": "notifications/nobody_knows"}).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "notifications/nobody_knows")];
    assert_eq!(server.post(&headers, &unknown).status, 202);
    for body in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
    ] {
        let answer = server.post(&[("mcp-protocol-version", MODERN)], &body.to_string());
        assert_eq!(outcome(&answer), (400, Some(-32600)), "{body}: {}", answer.body);
    }
    let mut client = StdioClient::start_with("");
    client.initialize(json!({}));
    client.send(cancelled);
    client.send(unknown);
    client.send(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(client.exchange(request(2, "ping", json!({})))["id"], 2);
    assert_eq!(client.close(), (vec![], true));
    assert_alive(&server);
}

#[test]
fn row_77_reports_unknown_methods_and_tools() {
    let server = TestServer::start();
    assert_eq!(outcome(&server.request_modern("tools/forget", json!({}))), (404, Some(-32601)));
    let unknown = server.request_modern("tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(outcome(&unknown), (200, Some(-32602)));
    // `ping` does not exist in 2026-07-28.
    assert_eq!(outcome(&server.request_modern("ping", json!({}))), (404, Some(-32601)));
    let mut client = StdioClient::start_with("");
    client.initialize(json!({}));
    assert_eq!(client.exchange(request(1, "tools/forget", json!({})))["error"]["code"], -32601);
    assert_eq!(client.exchange(request(2, "tools/call", json!({"name": "forget"})))["error"]["code"], -32602);
    assert_eq!(client.close(), (vec![], true));
}

#[test]
fn row_82_accepts_cancellation_at_any_time() {
    let cancel = |id: Value| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
            .to_string()
    };
    let server = TestServer::start();
    let session = server.session();
    let mut client = StdioClient::start_with("");
    client.initialize(json!({}));
    // Before the request exists, with an id of another type, and without an id.
    let none = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}).to_string();
    for cancellation in [cancel(json!(7)), cancel(json!("seven")), none] {
        assert_eq!(session.post(&cancellation).status, 202, "{cancellation}");
        client.send(cancellation);
    }
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    let reading = request(7, "tools/call", json!({"name": "read_for_ever"})).to_string();
    let _reading = send(server.addr, &headers, &reading);
    server.wait_for(&server.events.started);
    client.send(&reading);
    // Twice, and once more after the end of the call.
    for _ in 0..2 {
        assert_eq!(session.post(&cancel(json!(7))).status, 202);
        client.send(cancel(json!(7)));
    }
    server.wait_for(&server.events.dropped);
    assert_eq!(session.post(&cancel(json!(7))).status, 202);
    client.send(cancel(json!(7)));
    // The id is free again.
    let ping = request(7, "ping", json!({})).to_string();
    assert_eq!(session.post(&ping).message(), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert_eq!(client.exchange(ping), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert_eq!(client.close(), (vec![], true));
}
