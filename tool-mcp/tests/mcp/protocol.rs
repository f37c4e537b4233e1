//! What a client may do wrong, and what comes of it: rows 71 to 77 and 82 of the list of faults, over HTTP byte by byte and over
//! stdio. After each fault the next call succeeds.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::stdio::Spoken;
use crate::support::{Answer, LEGACY, MODERN, PATIENCE, Served, initialize, modern_body, request, send};

fn lives(served: &Served) {
    assert_eq!(served.call_modern("add", json!({"a": 1}))["result"]["isError"], false);
}

/// The status of an answer and the code of its error.
fn outcome(answer: &Answer) -> (u16, Option<i64>) {
    assert!(answer.body.len() < 1024, "{}", answer.body);
    (answer.status, answer.json()["error"]["code"].as_i64())
}

/// A call of `greet`, which wants a name, with these headers in place of those that it should have.
fn greet(served: &Served, name: &str, headers: &[(&str, &str)]) -> (u16, Option<i64>) {
    let body = modern_body("tools/call", json!({"name": name, "arguments": {"name": "Ada"}}));
    outcome(&served.post(headers, &body.to_string()))
}

#[test]
fn row_71_headers_say_what_the_body_says() {
    let served = Served::start();
    let (version, method) = (("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"));
    let name = |name| ("mcp-name", name);
    let plain = [version, method, name("greet")];
    assert_eq!(greet(&served, "greet", &plain), (200, None));
    assert_eq!(greet(&served, "greet", &[version, method, name("=?base64?Z3JlZXQ=?=")]), (200, None));
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
        assert_eq!(greet(&served, "greet", &headers), mismatch, "{headers:?}");
    }
    assert_eq!(greet(&served, "greet", &[version, method]), mismatch, "no name");
    assert_eq!(greet(&served, "greet", &[version, name("greet")]), mismatch, "no method");
    assert_eq!(greet(&served, "greet", &[method, name("greet")]), mismatch, "no version");
    for twice in [
        [version, method, name("greet"), name("add")],
        [version, method, name("add"), name("greet")],
        [version, method, ("mcp-method", "tools/list"), name("greet")],
        [version, ("mcp-protocol-version", LEGACY), method, name("greet")],
    ] {
        assert_eq!(greet(&served, "greet", &twice), mismatch, "{twice:?}");
    }
    lives(&served);
}

#[test]
fn row_72_an_unknown_version_is_told_which_are_known() {
    let served = Served::start();
    let versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
    for version in ["2099-01-01", "1.0", "tomorrow"] {
        let mut body = modern_body("tools/list", json!({}));
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let answer = served
            .post(&[("mcp-protocol-version", version), ("mcp-method", "tools/list")], &body.to_string());
        assert_eq!(outcome(&answer), (400, Some(-32022)), "{version}: {}", answer.body);
        let data = answer.json()["error"]["data"].take();
        assert_eq!(data["requested"], version);
        let supported = data["supported"].as_array().unwrap();
        assert!(versions.iter().all(|known| supported.contains(&json!(known))), "{data}");
    }
    // One who opens a session with it is given one that is known.
    let mut opening = initialize();
    opening["params"]["protocolVersion"] = json!("2099-01-01");
    assert_eq!(served.post(&[], &opening.to_string()).message()["result"]["protocolVersion"], LEGACY);
    // In the head of a request of a session there is no place for another.
    let session = served.session();
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", "1999-01-01")];
    let answer = served.post(&headers, &request(1, "tools/list", json!({})).to_string());
    assert_eq!(outcome(&answer), (400, Some(-32600)), "{}", answer.body);
    lives(&served);
}

#[test]
fn row_73_a_request_that_stands_alone_is_of_no_session() {
    let served = Served::start();
    let session = served.session();
    let body = modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})).to_string();
    for id in [session.id.as_str(), "00000000-0000-0000-0000-000000000000", "é", ""] {
        let headers = [
            ("mcp-protocol-version", MODERN),
            ("mcp-method", "tools/call"),
            ("mcp-name", "add"),
            ("mcp-session-id", id),
        ];
        let answer = served.post(&headers, &body);
        assert_eq!(outcome(&answer), (200, None), "{id}: {}", answer.body);
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    // The session is none the worse for it.
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false);
}

/// A request without a body.
fn bare(served: &Served, method: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(served.addr).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = format!("{method} /mcp HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", served.addr);
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    Answer::read(stream)
}

#[test]
fn row_74_one_who_stands_alone_has_nothing_to_get_or_delete() {
    let served = Served::start();
    let session = served.session();
    let version = ("mcp-protocol-version", MODERN);
    for method in ["GET", "DELETE"] {
        for headers in [vec![version], vec![version, ("mcp-session-id", &session.id)]] {
            let accept = ("accept", "text/event-stream");
            let answer = bare(&served, method, &[headers.as_slice(), &[accept]].concat());
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method} {headers:?}");
        }
    }
    for method in ["PUT", "PATCH", "TRACE"] {
        assert_eq!(bare(&served, method, &[]).status, 405, "{method}");
    }
    assert_eq!(session.call("add", json!({"a": 1}))["result"]["isError"], false, "it was not deleted");
    assert_eq!(bare(&served, "DELETE", &[("mcp-session-id", &session.id)]).status, 202);
    assert_eq!(session.post(&request(1, "ping", json!({})).to_string()).status, 404);
}

#[test]
fn row_75_what_is_no_request_is_told_so_on_both_transports() {
    let served = Served::start();
    let session = served.session();
    let mut spoken = Spoken::with("");
    spoken.open(json!({}));
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
        let answer = spoken.ask(&line);
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), id), "{line}: {answer}");
        assert!(answer.to_string().len() < 1024, "{answer}");
    }
    // The arguments of a call are judged as such.
    for levels in [200, 100_000] {
        let over_http = session.post(&depth(levels)).message();
        let on_stdio = spoken.ask(depth(levels));
        for answer in [over_http, on_stdio] {
            assert_eq!((&answer["id"], &answer["result"]["isError"]), (&one, &json!(true)), "{answer}");
            assert!(answer.to_string().len() < 1024, "{answer}");
        }
    }
    // Texts and numbers up to what is exact name a request.
    for id in [json!("a"), json!(""), json!(-1), json!(9_007_199_254_740_993_i64)] {
        let answer = session.post(&ping(&id.to_string()));
        assert_eq!(answer.message()["id"], id, "{}", answer.body);
        assert_eq!(spoken.ask(ping(&id.to_string()))["id"], id);
    }
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn row_75_two_requests_of_one_name_are_not_mistaken_for_each_other() {
    let served = Served::start();
    // Each request that stands alone has its own answer.
    let alone = modern_body("tools/call", json!({"name": "write_slowly"})).to_string();
    let headers =
        [("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "write_slowly")];
    let first = send(served.addr, &headers, &alone);
    served.wait_for(&served.events.started);
    lives(&served);
    served.events.release.add_permits(1);
    assert_eq!(Answer::read(first).json()["result"]["isError"], false);

    // In a session the second is refused, and the first answered.
    let served = Served::start();
    let session = served.session();
    let slow = request(7, "tools/call", json!({"name": "write_slowly"})).to_string();
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    let first = send(served.addr, &headers, &slow);
    served.wait_for(&served.events.started);
    let second = session.post(&request(7, "ping", json!({})).to_string());
    assert_eq!(outcome(&second), (400, Some(-32600)), "{}", second.body);
    served.events.release.add_permits(1);
    assert_eq!(Answer::read(first).message()["result"]["isError"], false);
    assert_eq!(session.post(&request(7, "ping", json!({})).to_string()).message()["result"], json!({}));

    // As on stdio.
    let mut spoken = Spoken::with("progress");
    spoken.open(json!({}));
    let mut slow = request(7, "tools/call", json!({"name": "await_going"}));
    slow["params"]["_meta"] = json!({"progressToken": 1});
    spoken.say(slow);
    assert_eq!(spoken.hear()["method"], "notifications/progress");
    let refused = spoken.ask(request(7, "tools/call", json!({"name": "let_go_on"})));
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{refused}");
    spoken.say(request(8, "tools/call", json!({"name": "let_go_on"})));
    let mut answered = [spoken.hear()["id"].as_i64(), spoken.hear()["id"].as_i64()];
    answered.sort_unstable();
    assert_eq!(answered, [Some(7), Some(8)]);
    assert_eq!(spoken.ask(request(7, "ping", json!({})))["result"], json!({}), "the name is free again");
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn row_76_what_wants_no_answer_gets_none() {
    let served = Served::start();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "notifications/cancelled")];
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    let answer = served.post(&headers, &cancelled.to_string());
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    let unknown = json!({"jsonrpc": "2.0", "method": "notifications/nobody_knows"}).to_string();
    let headers = [("mcp-protocol-version", MODERN), ("mcp-method", "notifications/nobody_knows")];
    assert_eq!(served.post(&headers, &unknown).status, 202);
    for body in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}),
    ] {
        let answer = served.post(&[("mcp-protocol-version", MODERN)], &body.to_string());
        assert_eq!(outcome(&answer), (400, Some(-32600)), "{body}: {}", answer.body);
    }
    let mut spoken = Spoken::with("");
    spoken.open(json!({}));
    spoken.say(cancelled);
    spoken.say(unknown);
    spoken.say(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(spoken.ask(request(2, "ping", json!({})))["id"], 2);
    assert_eq!(spoken.end(), (vec![], true));
    lives(&served);
}

#[test]
fn row_77_what_is_not_there_is_told_so() {
    let served = Served::start();
    assert_eq!(outcome(&served.modern("tools/forget", json!({}))), (404, Some(-32601)));
    let unknown = served.modern("tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(outcome(&unknown), (200, Some(-32602)));
    // What is gone in 2026-07-28 is unknown there.
    assert_eq!(outcome(&served.modern("ping", json!({}))), (404, Some(-32601)));
    let mut spoken = Spoken::with("");
    spoken.open(json!({}));
    assert_eq!(spoken.ask(request(1, "tools/forget", json!({})))["error"]["code"], -32601);
    assert_eq!(spoken.ask(request(2, "tools/call", json!({"name": "forget"})))["error"]["code"], -32602);
    assert_eq!(spoken.end(), (vec![], true));
}

#[test]
fn row_82_a_call_is_taken_back_at_any_time_and_more_than_once() {
    let cancel = |id: Value| {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
            .to_string()
    };
    let served = Served::start();
    let session = served.session();
    let mut spoken = Spoken::with("");
    spoken.open(json!({}));
    // Before there is such a request, with a name of another kind, and without one.
    let none = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}).to_string();
    for early in [cancel(json!(7)), cancel(json!("seven")), none] {
        assert_eq!(session.post(&early).status, 202, "{early}");
        spoken.say(early);
    }
    let headers = [("mcp-session-id", session.id.as_str()), ("mcp-protocol-version", LEGACY)];
    let reading = request(7, "tools/call", json!({"name": "read_for_ever"})).to_string();
    let _reading = send(served.addr, &headers, &reading);
    served.wait_for(&served.events.started);
    spoken.say(&reading);
    // Twice, and once more when it is over.
    for _ in 0..2 {
        assert_eq!(session.post(&cancel(json!(7))).status, 202);
        spoken.say(cancel(json!(7)));
    }
    served.wait_for(&served.events.dropped);
    assert_eq!(session.post(&cancel(json!(7))).status, 202);
    spoken.say(cancel(json!(7)));
    // The name is free again.
    let ping = request(7, "ping", json!({})).to_string();
    assert_eq!(session.post(&ping).message(), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert_eq!(spoken.ask(ping), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert_eq!(spoken.end(), (vec![], true));
}
