use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderValue, Request, StatusCode};
use http_body_util::BodyExt as _;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tool_core::{DynamicTool, Operation, Output, Principal, Registry, ToolDefinition};

use super::{Direct, Early};
use crate::caller::Caller;
use crate::http::policy::Policy;
use crate::http::sessions;
use crate::http::sessions::{Sessions, Visit};
use crate::in_flight::InFlight;
use crate::session::Acquaintance;
use crate::{Discovery, Server, Surfaces};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}}"#;

fn registry() -> Registry {
    let tool = |name: &str, operation, schema| {
        let definition = ToolDefinition::builder(name, "Answers.").operation(operation).input_schema(schema);
        DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::text("done")) })
    };
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let header =
        json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    let none = json!({"type": "object", "properties": {}});
    let builder = Registry::builder()
        .tool(tool("echo", Operation::Transform, text))
        .tool(tool("routed", Operation::Transform, header))
        .tool(tool("read", Operation::Read, none));
    builder.build().unwrap()
}

fn direct(configure: impl FnOnce(Server) -> Server, hosts: Option<Vec<&str>>) -> Direct {
    let server = configure(Server::new(registry()).name("test").version("1.0.0"));
    let handler = server.opened_at_once(Some(Principal::anonymous())).unwrap();
    let hosts = hosts.map(|hosts| hosts.into_iter().map(str::to_owned).collect());
    let policy = Policy { hosts, ..Policy::default() };
    Direct::new(handler, &policy, CancellationToken::new())
}

/// The headers of a plain request; one that stands in `changed` is replaced, and left out where it is empty there.
fn headers<'h>(text: &str, changed: &[(&'h str, &'h str)]) -> Vec<(&'h str, &'h str)> {
    let mut usual = vec![
        ("host", "localhost:8080"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
    ];
    if text.contains("tools/call") {
        usual.extend([("mcp-method", "tools/call"), ("mcp-name", "echo")]);
    } else {
        usual.push(("mcp-method", "tools/list"));
    }
    usual.retain(|(name, _)| !changed.iter().any(|(other, _)| other == name));
    usual.extend(changed.iter().filter(|(_, value)| !value.is_empty()));
    usual
}

async fn answer(direct: &Direct, text: &str, changed: &[(&str, &str)]) -> Option<String> {
    let mut request = Request::post("/");
    for (name, value) in headers(text, changed) {
        request = request.header(name, value);
    }
    let (mut head, ()) = request.body(()).unwrap().into_parts();
    head.extensions.insert(Caller { principal: Principal::anonymous(), told_apart: false });
    let response = direct.answer(&head, &Bytes::copy_from_slice(text.as_bytes())).await?;
    assert_eq!(response.status(), 200);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn what_is_usual_is_answered() {
    let direct = direct(|server| server, Some(vec!["localhost", "[::1]", "tools.example:80"]));
    let called: Value = serde_json::from_str(&answer(&direct, CALL, &[]).await.unwrap()).unwrap();
    assert_eq!((&called["id"], &called["result"]["content"][0]["text"]), (&json!(1), &json!("done")));
    let listed: Value = serde_json::from_str(&answer(&direct, LIST, &[]).await.unwrap()).unwrap();
    let names: Vec<&Value> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!((&listed["id"], names), (&json!("a"), vec![&json!("echo"), &json!("read"), &json!("routed")]));
    for host in ["localhost", "localhost:1", "[::1]", "[::1]:65535", "tools.example:80"] {
        assert!(answer(&direct, CALL, &[("host", host)]).await.is_some(), "{host}");
    }
    for accept in ["application/json,text/event-stream", "*/*, text/event-stream , application/json"] {
        assert!(answer(&direct, CALL, &[("accept", accept)]).await.is_some(), "{accept}");
    }
}

#[tokio::test]
async fn headers_that_need_a_second_look_take_the_long_way() {
    let direct = direct(|server| server, Some(vec!["localhost", "tools.example:80"]));
    for changed in [
        ("host", ""),
        ("host", "evil.example"),
        ("host", "localhost.evil.example"),
        ("host", "localhost:"),
        ("host", "localhost:65536"),
        ("host", "localhost:+1"),
        ("host", "localhost:1:2"),
        ("host", "LOCALHOST"),
        ("host", "user@localhost"),
        ("host", "tools.example"),
        ("host", "tools.example:8080"),
        ("origin", "http://localhost"),
        ("mcp-session-id", "a"),
        ("mcp-param-region", "a"),
        ("mcp-other", "a"),
        ("accept", ""),
        ("accept", "application/json"),
        ("accept", "application/json, text/event-stream;q=0"),
        ("accept", "*/*"),
        ("accept", "application/json, text/event-stream, application/json;q=0"),
        ("content-type", "application/json; charset=utf-8"),
        ("mcp-protocol-version", ""),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-method", ""),
        ("mcp-method", "tools/get"),
        ("mcp-method", "tools/List"),
    ] {
        for text in [CALL, LIST] {
            assert_eq!(answer(&direct, text, &[changed]).await, None, "{changed:?}");
        }
    }
    for name in ["", "other", "=?base64?ZWNobw==?="] {
        assert_eq!(answer(&direct, CALL, &[("mcp-name", name)]).await, None, "{name}");
    }
    assert_eq!(answer(&direct, LIST, &[("mcp-name", "echo")]).await, None);
    // A name that looks as if it were encoded would be read as another one.
    let encoded = "=?base64?ZWNobw==?=";
    let text = CALL.replacen(r#""name":"echo""#, &format!(r#""name":"{encoded}""#), 1);
    assert_eq!(answer(&direct, &text, &[("mcp-name", encoded)]).await, None);
    for (name, value) in headers(CALL, &[]).into_iter().filter(|(name, _)| *name != "accept") {
        assert_eq!(answer(&direct, CALL, &[(name, value), (name, value)]).await, None, "{name} twice");
    }
}

#[tokio::test]
async fn messages_that_need_a_second_look_take_the_long_way() {
    let direct = direct(|server| server, None);
    assert!(answer(&direct, CALL, &[("host", "any.example")]).await.is_some());
    for (part, instead) in [
        (r#""jsonrpc":"2.0""#, r#""jsonrpc":"1.0""#),
        (r#""id":1"#, r#""id":null"#),
        (r#""id":1,"#, ""),
        (r#""id":1"#, r#""id":1,"id":2"#),
        (r#""id":1"#, r#""id":1,"other":2"#),
        (r#""name":"echo""#, r#""name":"echo","name":"echo""#),
        (r#""name":"echo""#, r#""name":"echo","task":{}"#),
        (r#""name":"echo""#, r#""name":"echo","requestState":"a""#),
        (r#""name":"echo""#, r#""name":"echo","inputResponses":{}"#),
        (r#"{"text":"a"}"#, "[1]"),
        (r#"{"text":"a"}"#, r#"{"text":1e999}"#),
        (r#""_meta":{"#, r#""_meta":{"progressToken":1,"#),
        (r#""_meta":{"#, r#""_meta":{"traceparent":"a","#),
        (r#""_meta":{"#, r#""_meta":{"io.modelcontextprotocol/logLevel":"info","#),
        (r#""2026-07-28""#, r#""2027-01-01""#),
        (r#"Capabilities":{}"#, r#"Capabilities":1"#),
        (r#"Capabilities":{}"#, r#"Capabilities":{"other":"\ud800"}"#),
        (r#"/clientCapabilities":{}"#, r#"/clientCapability":{}"#),
        (r#"}}}}"#, "}}}"),
        (r#"{"jsonrpc"#, "\u{feff}{\"jsonrpc"),
    ] {
        assert!(CALL.contains(part), "{part}");
        let text = CALL.replacen(part, instead, 1);
        assert_eq!(answer(&direct, &text, &[]).await, None, "{text}");
    }
    // What stands in its place in a list is no member of that name.
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    for text in [
        format!(r#"["2.0",1,"tools/call",{{"name":"echo","arguments":{{"text":"a"}},"_meta":{meta}}}]"#),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo",{{"text":"a"}},{meta}]}}"#
        ),
    ] {
        assert_eq!(answer(&direct, &text, &[]).await, None, "{text}");
    }
    for host in ["user@any.example", "any example", "any.example/", "[::1", "[any]", ""] {
        assert_eq!(answer(&direct, CALL, &[("host", host)]).await, None, "{host}");
    }
    let later = LIST.replacen("2026-07-28", "2027-01-01", 1);
    assert_eq!(answer(&direct, &later, &[]).await, None);
    let cursor = LIST.replacen(r#""params":{"#, r#""params":{"cursor":"1-2","#, 1);
    assert_eq!(answer(&direct, &cursor, &[]).await, None);
}

#[tokio::test]
async fn tools_that_need_a_second_look_take_the_long_way() {
    let named = |name: &str| CALL.replacen(r#""name":"echo""#, &format!(r#""name":"{name}""#), 1);
    let plain = direct(|server| server, None);
    assert!(answer(&plain, &named("read"), &[("mcp-name", "read")]).await.is_some());
    let unknown = answer(&plain, &named("nope"), &[("mcp-name", "nope")]).await.unwrap();
    assert!(unknown.contains("-32602") && unknown.contains("Tool not found: nope"), "{unknown}");
    assert_eq!(answer(&plain, &named("routed"), &[("mcp-name", "routed")]).await, None);
    let exclusive = direct(|server| server.surfaces(Surfaces::Exclusive), None);
    let read = answer(&exclusive, &named("read"), &[("mcp-name", "read")]).await.unwrap();
    assert!(read.contains("-32602") && read.contains("test://read"), "{read}");
    let listed = answer(&exclusive, LIST, &[]).await.unwrap();
    assert!(listed.contains(r#""name":"echo""#) && !listed.contains(r#""name":"read""#), "{listed}");
    let paged = direct(|server| server.page_size(1), None);
    assert_eq!(answer(&paged, LIST, &[]).await, None);
    let steps = direct(|server| server.discovery(Discovery::TwoStep), None);
    assert_eq!((answer(&steps, LIST, &[]).await, answer(&steps, CALL, &[]).await), (None, None));
}

#[tokio::test]
async fn nobody_waits_for_a_call_when_the_server_has_ended() {
    let definition = ToolDefinition::builder("echo", "Thinks.").operation(Operation::Read);
    let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
    let tool = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async {
        std::future::pending::<()>().await;
        Ok(Output::empty())
    });
    let server = Server::new(Registry::builder().tool(tool).build().unwrap());
    let handler = server.opened_at_once(Some(Principal::anonymous())).unwrap();
    let stop = CancellationToken::new();
    let direct = Direct::new(handler, &Policy::default(), stop.clone());
    let mut request = Request::post("/");
    for (name, value) in headers(CALL, &[]) {
        request = request.header(name, value);
    }
    let (mut head, ()) = request.body(()).unwrap().into_parts();
    head.extensions.insert(Caller { principal: Principal::anonymous(), told_apart: false });
    let text = Bytes::from_static(CALL.as_bytes());
    let answering = direct.answer(&head, &text);
    stop.cancel();
    let answer = tokio::time::timeout(std::time::Duration::from_secs(20), answering).await;
    assert_eq!(answer.expect("it waits").unwrap().status(), 500);
}

/// A client of a session that is known, and the requests of it that are not answered.
async fn session(version: &str) -> (Visit, InFlight) {
    let manager = sessions::manager();
    let (id, _transport) = manager.create_session().await.unwrap();
    let sessions = Arc::new(Sessions::new(manager));
    sessions.opened(&id, &Principal::anonymous(), Acquaintance::default()).await;
    let Ok(Some(visit)) = sessions.visit(&id, &Principal::anonymous()) else { panic!("there is no session") };
    visit.client.meet(version);
    (visit, InFlight::default())
}

fn session_headers<'h>(id: &'h str, changed: &[(&'h str, &'h str)]) -> Vec<(&'h str, &'h str)> {
    let mut usual = headers("", &[("mcp-method", "")]);
    usual.retain(|(name, _)| *name != "mcp-protocol-version");
    usual.extend([("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", id)]);
    usual.retain(|(name, _)| !changed.iter().any(|(other, _)| other == name));
    usual.extend(changed.iter().filter(|(_, value)| !value.is_empty()));
    usual
}

async fn begun(
    direct: &Direct,
    visit: &Visit,
    text: &str,
    headers: &[(&str, &str)],
    in_flight: &InFlight,
) -> Early {
    let mut request = Request::post("/");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (mut head, ()) = request.body(()).unwrap().into_parts();
    head.extensions.insert(Caller { principal: Principal::anonymous(), told_apart: false });
    direct.begin(&head, &Bytes::copy_from_slice(text.as_bytes()), visit, in_flight).await
}

const SESSION_CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}"#;
const SESSION_LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[tokio::test]
async fn what_is_usual_in_a_session_is_answered() {
    let direct = direct(|server| server, Some(vec!["localhost"]));
    let (visit, in_flight) = session("2025-11-25").await;
    let id = visit.session().to_owned();
    let is_answered = async |text: &str, changed: &[(&str, &str)]| {
        let headers = session_headers(&id, changed);
        matches!(begun(&direct, &visit, text, &headers, &in_flight).await, Early::Answered(_))
    };
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", ""] {
        for text in [SESSION_CALL, SESSION_LIST] {
            assert!(is_answered(text, &[("mcp-protocol-version", version)]).await, "{version} {text}");
        }
    }
    for changed in [
        ("mcp-protocol-version", "2025-11-26"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-protocol-version", "2027-01-01"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
        ("mcp-param-region", "a"),
        ("mcp-other", "a"),
        ("mcp-session-id", ""),
        ("origin", "http://localhost"),
        ("host", "evil.example"),
        ("accept", "application/json"),
        ("content-type", "text/plain"),
    ] {
        for text in [SESSION_CALL, SESSION_LIST] {
            assert!(!is_answered(text, &[changed]).await, "{changed:?} {text}");
        }
    }
    for name in ["mcp-session-id", "mcp-protocol-version", "accept", "content-type", "host"] {
        let mut headers = session_headers(&id, &[]);
        headers.extend(headers.clone().into_iter().filter(|(other, _)| *other == name));
        let early = begun(&direct, &visit, SESSION_CALL, &headers, &in_flight).await;
        assert!(matches!(early, Early::LongWay), "{name} twice");
    }
    assert_eq!(in_flight.len(), 0);
}

#[tokio::test]
async fn a_name_is_given_to_one_call_of_a_session() {
    let direct = direct(|server| server, None);
    let (visit, in_flight) = session("2025-11-25").await;
    let headers = session_headers(visit.session(), &[]);
    let held = in_flight.begin(visit.session(), RequestId::Number(1)).unwrap();
    let early = begun(&direct, &visit, SESSION_CALL, &headers, &in_flight).await;
    assert!(matches!(early, Early::LongWay), "the name is another's");
    drop(held);
    let early = begun(&direct, &visit, SESSION_CALL, &headers, &in_flight).await;
    assert!(matches!(early, Early::Answered(_)));
}

#[tokio::test]
async fn a_list_is_put_together_by_rmcp_for_who_knows_no_structure() {
    let direct = direct(|server| server, None);
    let (visit, in_flight) = session("2025-03-26").await;
    let headers = session_headers(visit.session(), &[("mcp-protocol-version", "2025-03-26")]);
    assert!(matches!(begun(&direct, &visit, SESSION_LIST, &headers, &in_flight).await, Early::LongWay));
    assert!(matches!(begun(&direct, &visit, SESSION_CALL, &headers, &in_flight).await, Early::Answered(_)));
}

#[tokio::test]
async fn a_call_that_is_taken_back_as_it_begins_gets_no_answer() {
    for ends in [true, false] {
        let (visit, in_flight) = session("2025-11-25").await;
        let (id, taken) = (visit.session().to_owned(), in_flight.clone());
        let definition = ToolDefinition::builder("echo", "Thinks.").operation(Operation::Read);
        let definition = definition.input_schema(json!({"type": "object", "properties": {}}));
        let tool = DynamicTool::new(definition.build().unwrap(), move |_, _: Value| {
            let (id, taken) = (id.clone(), taken.clone());
            async move {
                taken.end(&id, RequestId::Number(1));
                if !ends {
                    std::future::pending::<()>().await;
                }
                Ok(Output::empty())
            }
        });
        let server = Server::new(Registry::builder().tool(tool).build().unwrap());
        let handler = server.opened_at_once(Some(Principal::anonymous())).unwrap();
        let direct = Direct::new(handler, &Policy::default(), CancellationToken::new());
        let headers = session_headers(visit.session(), &[]);
        let text = SESSION_CALL.replace(r#"{"text":"a"}"#, "{}");
        let Early::Answered(response) = begun(&direct, &visit, &text, &headers, &in_flight).await else {
            panic!("it takes the long way");
        };
        assert_eq!(
            (response.status(), &response.headers()["content-type"]),
            (StatusCode::OK, &HeaderValue::from_static("text/event-stream"))
        );
        assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());
    }
}
