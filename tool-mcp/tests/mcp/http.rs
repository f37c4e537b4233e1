//! HTTP headers, bodies and paths.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tool_core::adapter::{ListenAddr, Serve as _, ServeOptions};
use tool_core::{Registry, tool};
use tool_mcp::Server;
use tower::ServiceExt as _;

use crate::support::{TestServer, exchange, initialize, modern_body, request};

#[test]
fn rejects_unlisted_hosts_and_origins() {
    let server = TestServer::start();
    let addr = server.addr.to_string();
    let body = initialize().to_string();
    let status = |headers: &[(&str, &str)]| server.post(headers, &body).status;
    assert_eq!(status(&[("host", &addr)]), 200);
    assert_eq!(status(&[("host", "localhost:9")]), 200);
    assert_eq!(status(&[("host", "[::1]:9")]), 200);
    assert_eq!(status(&[("host", "evil.example")]), 403);
    assert_eq!(status(&[("origin", "http://localhost:5173")]), 200);
    assert_eq!(status(&[("origin", "http://[::1]:5173")]), 200);
    for origin in ["http://evil.example", "https://localhost.evil.example", "null", "https://localhost"] {
        assert_eq!(status(&[("origin", origin)]), 403, "{origin}");
    }
}

#[test]
fn applies_configured_hosts_and_origins() {
    let server = TestServer::start_with(|server| {
        server.allowed_hosts(["tools.example"]).allowed_origins(["https://app.example:443"])
    });
    let body = initialize().to_string();
    let status = |host, origin| server.post(&[("host", host), ("origin", origin)], &body).status;
    assert_eq!(status("tools.example", "https://app.example"), 200);
    assert_eq!(status("tools.example", "http://localhost:1"), 403);
    assert_eq!(status("localhost", "https://app.example"), 403);

    let closed = TestServer::start_with(|server| server.allow_any_host().allowed_origins([""; 0]));
    assert_eq!(closed.post(&[("host", "any.example")], &body).status, 200);
    assert_eq!(closed.post(&[("origin", "http://localhost:1")], &body).status, 403);

    let open = TestServer::start_with(|server| server.allow_any_host().allow_any_origin());
    assert_eq!(open.post(&[("host", "any.example"), ("origin", "null")], &body).status, 200);
}

#[test]
fn rejects_invalid_messages_with_json_errors() {
    let server = TestServer::start();
    let batch = json!([request(1, "ping", json!({}))]).to_string();
    let duplicate = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("{} {}", -32700),
        (batch.as_str(), -32600),
        ("\"text\"", -32600),
        (r#"{"id":1}"#, -32600),
        (duplicate, -32600),
        (deep.as_str(), -32600),
    ] {
        let answer = server.post(&[], body);
        assert_eq!(answer.status, 400, "{body:.60}: {}", answer.body);
        let error = answer.json();
        assert_eq!(
            (&error["jsonrpc"], &error["error"]["code"]),
            (&json!("2.0"), &json!(code)),
            "{body:.60}: {error}"
        );
        assert!(answer.body.len() < 512, "{body:.60}: {}", answer.body);
    }
    assert_eq!(server.post(&[("host", "evil.example")], "{").status, 403, "headers decide first");
    assert_eq!(server.post(&[("content-type", "text/plain")], &batch).status, 415);
    assert_eq!(server.post(&[("accept", "text/html")], &batch).status, 406);
}

#[test]
fn rejects_a_body_over_4_mib() {
    let server = TestServer::start();
    let body_of = |size: usize| {
        let empty =
            modern_body("tools/call", json!({"name": "greet", "arguments": {"name": ""}})).to_string();
        empty.replacen(r#"{"name":""}"#, &format!(r#"{{"name":"{}"}}"#, "x".repeat(size - empty.len())), 1)
    };
    let headers =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "greet")];
    let limit = 4 * 1024 * 1024;
    assert_eq!(server.post(&headers, &body_of(limit)).status, 200);
    let answer = server.post(&headers, &body_of(limit + 1));
    assert_eq!((answer.status, answer.json()["error"]["code"].clone()), (413, json!(-32600)));
}

#[test]
fn validates_modern_headers_and_metadata() {
    let server = TestServer::start();
    let body = modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    let post = |version, method, name, body: &serde_json::Value| {
        let headers = [("mcp-protocol-version", version), ("mcp-method", method), ("mcp-name", name)];
        let answer = server.post(&headers, &body.to_string());
        (answer.status, answer.json()["error"]["code"].as_i64())
    };
    assert_eq!(post("2026-07-28", "tools/call", "add", &body), (200, None));
    assert_eq!(post("2026-07-28", "tools/list", "add", &body), (400, Some(-32020)));
    assert_eq!(post("2026-07-28", "tools/call", "greet", &body), (400, Some(-32020)));

    let mut later = body.clone();
    later["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    assert_eq!(post("2099-01-01", "tools/call", "add", &later), (400, Some(-32022)));

    let mut incapable = body.clone();
    incapable["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .shift_remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(post("2026-07-28", "tools/call", "add", &incapable), (400, Some(-32602)));

    let unknown = server.request_modern("tools/forget", json!({}));
    assert_eq!((unknown.status, unknown.json()["error"]["code"].clone()), (404, json!(-32601)));
}

#[test]
fn requires_json_and_event_streams_in_accept() {
    let server = TestServer::start();
    let body = modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})).to_string();
    let modern = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];
    for (accept, status) in [
        ("*/*", 200),
        ("application/*, text/*", 200),
        ("application/json, text/*;q=0.5", 200),
        ("text/html, */*;q=0.1", 200),
        ("application/json", 406),
        ("application/*", 406),
        ("*/*, text/event-stream;q=0", 406),
        ("*/*;q=0", 406),
    ] {
        let answer = server.post(&[&modern[..], &[("accept", accept)]].concat(), &body);
        assert_eq!(answer.status, status, "{accept}: {}", answer.body);
        let answer = server.post(&[("accept", accept)], &initialize().to_string());
        assert_eq!(answer.status, status, "{accept}: {}", answer.body);
    }
}

#[test]
fn requires_uncompressed_json_in_utf_8() {
    let server = TestServer::start();
    let call = modern_body("tools/call", json!({"name": "add", "arguments": {"a": 1}})).to_string();
    let modern = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];
    for (name, value, status) in [
        ("content-type", "application/json; charset=utf-8", 200),
        ("content-type", "application/json;charset=UTF-16", 415),
        ("content-type", "text/plain", 415),
        ("content-encoding", "identity", 200),
        ("content-encoding", "gzip", 415),
    ] {
        let bodies = [(&modern[..], call.clone()), (&[], initialize().to_string())];
        for (headers, body) in bodies {
            let answer = server.post(&[headers, &[(name, value)]].concat(), &body);
            assert_eq!(answer.status, status, "{value}: {}", answer.body);
        }
        // A compressed body is not valid JSON.
        let answer = server.post(&[&modern[..], &[(name, value)]].concat(), "\u{1f}");
        assert_eq!(answer.status, if status == 200 { 400 } else { status }, "{value}: {}", answer.body);
    }
}

#[test]
fn rejects_requests_with_json_errors() {
    let server = TestServer::start();
    let initialize = initialize().to_string();
    let list = request(1, "tools/list", json!({})).to_string();
    let unknown = ("mcp-session-id", "00000000-0000-0000-0000-000000000000");
    for (method, headers, body, status, message) in [
        (
            "POST",
            &[("host", "evil.example")][..],
            &initialize,
            403,
            "the `Host` of the request is not allowed",
        ),
        ("POST", &[("host", "a b")], &initialize, 400, "Invalid Host header"),
        ("POST", &[("origin", "http://evil.example")], &initialize, 403, "Origin header is not allowed"),
        ("POST", &[("accept", "text/html")], &initialize, 406, "Client must accept both"),
        (
            "POST",
            &[("content-type", "text/plain")],
            &initialize,
            415,
            "Content-Type must be application/json",
        ),
        ("POST", &[("content-encoding", "gzip")], &initialize, 415, "a compressed body is not read"),
        ("POST", &[("mcp-protocol-version", "1999-01-01")], &list, 400, ""),
        ("POST", &[], &list, 400, ""),
        ("POST", &[unknown], &list, 404, "Session not found"),
        ("GET", &[], &String::new(), 400, "Session ID is required"),
        (
            "GET",
            &[unknown, ("accept", "text/html")],
            &String::new(),
            406,
            "Client must accept text/event-stream",
        ),
        ("GET", &[unknown, ("accept", "text/*")], &String::new(), 404, "Session not found"),
        ("DELETE", &[], &String::new(), 400, "Session ID is required"),
        ("PUT", &[], &initialize, 405, "Method Not Allowed"),
    ] {
        let answer = exchange(server.addr, &format!("{method} /mcp"), headers, body);
        assert_eq!(answer.status, status, "{method} {headers:?}: {}", answer.body);
        let error = answer.json();
        assert_eq!((&error["jsonrpc"], error["error"]["code"].is_i64()), (&json!("2.0"), true), "{error}");
        let actual = error["error"]["message"].as_str().unwrap();
        assert!(actual.starts_with(message), "{method} {headers:?}: {actual}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{method} {headers:?}");
    }
}

/// Looks at a place.
#[tool(operation = Read)]
fn look_at(
    /// Where.
    #[arg(header = "Region")]
    region: String,
) -> String {
    region
}

#[test]
fn checks_input_headers_from_the_first_request() {
    let registry = Registry::builder().tools(tool_core::tools![look_at]).build().unwrap();
    for (header, code) in [(Some("north"), None), (Some("south"), Some(-32020)), (None, Some(-32020))] {
        let server = TestServer::with_registry(registry.clone(), |server| server);
        let body = modern_body("tools/call", json!({"name": "look_at", "arguments": {"region": "north"}}));
        let mut headers = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "look_at"),
        ];
        headers.extend(header.map(|region| ("mcp-param-region", region)));
        let answer = server.post(&headers, &body.to_string()).json();
        assert_eq!(answer["error"]["code"].as_i64(), code, "{header:?}: {answer}");
    }
}

#[test]
fn accepts_a_trailing_slash() {
    for server in [TestServer::start(), TestServer::mounted(|server| server)] {
        for path in ["/mcp", "/mcp/"] {
            let answer = exchange(server.addr, &format!("POST {path}"), &[], &initialize().to_string());
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        }
        let answer = exchange(server.addr, "POST /mcp/other", &[], &initialize().to_string());
        assert_eq!((answer.status, &*answer.body), (404, ""));
    }
}

#[tokio::test]
async fn reports_the_version_of_the_application() {
    for (version, reported) in [(None, "unknown"), (Some("2.5.0"), "2.5.0")] {
        let registry = Registry::builder().tools(tool_core::tools![look_at]).build().unwrap();
        let server = version.into_iter().fold(Server::new(registry), Server::version);
        let request = Request::post("/")
            .header("host", "localhost")
            .header("accept", "*/*")
            .header("content-type", "application/json")
            .body(Body::from(initialize().to_string()));
        let answer = server.into_axum_router().unwrap().oneshot(request.unwrap()).await.unwrap();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&body);
        assert!(text.contains(&format!(r#""version":"{reported}""#)), "{text}");
    }
}

#[test]
fn rejects_an_unknown_session() {
    let server = TestServer::start();
    let list = request(1, "tools/list", json!({})).to_string();
    assert_eq!(server.post(&[("mcp-session-id", "00000000-0000-0000-0000-000000000000")], &list).status, 404);
    assert_eq!(server.post(&[], &list).status, 400);
}

/// What `initialize` says of a server that a command line starts over HTTP.
async fn server_info(server: Server) -> serde_json::Value {
    let (found, mut address) = tokio::sync::watch::channel(None);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let mut options = ServeOptions::default()
        .on_listening(move |addr| {
            found.send_replace(Some(addr));
        })
        .with_shutdown(move || Box::pin(stopped.clone().cancelled_owned()));
    options.addr = Some(([127, 0, 0, 1], 0).into());
    (options.name, options.version) = ("demo".to_owned(), "1.2.3".to_owned());
    let serving = tokio::spawn(server.serve(options));
    let addr = address.wait_for(Option::is_some).await.unwrap().unwrap();
    let body = initialize().to_string();
    let answer = tokio::task::spawn_blocking(move || exchange(addr, "POST /mcp", &[], &body)).await.unwrap();
    stop.cancel();
    serving.await.unwrap().unwrap();
    answer.message()["result"]["serverInfo"].clone()
}

#[tokio::test]
async fn has_the_name_and_version_of_the_application_that_starts_it() {
    let server = || Server::new(Registry::builder().allow_empty().build().unwrap());
    let command = server().command();
    assert!(command.addr == ListenAddr::Optional && command.mcp_stdio && !command.allow_execute);
    assert_eq!(server_info(server()).await, json!({"name": "demo", "version": "1.2.3"}));
    let own = server().name("own").version("2.0.0");
    assert_eq!(server_info(own).await, json!({"name": "own", "version": "2.0.0"}));
}
