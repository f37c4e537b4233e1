//! Cases of rmcp's own tests of a server (`test_streamable_http_standard_headers.rs`, `test_streamable_http_protocol_version.rs` and
//! `test_server_discover_http.rs` of rmcp 3.11), sent to our server with the same expectations.
//!
//! A request that has several faults there has one here, because the order of checks is not specified.

use serde_json::{Value, json};
use tool_core::{Registry, tool};

use crate::support::{Answer, LEGACY, MODERN, TestServer, exchange, initialize, modern_body, request};

/// Adds two numbers.
#[tool(operation = Transform)]
fn sum(
    /** The first. */
    a: i64,
    /** The second. */
    b: i64,
) -> i64 {
    a + b
}

/// Deploys a thing.
#[tool(operation = Transform)]
fn deploy(
    /// Where.
    #[arg(header = "Region")]
    region: String,
) -> String {
    region
}

fn server() -> TestServer {
    let registry = Registry::builder().tools(tool_core::tools![sum, deploy]).build().unwrap();
    TestServer::with_registry(registry, |server| server)
}

/// Checks the status and, unless it is 0, the code of an error.
fn check(name: &str, answer: &Answer, status: u16, code: i64) -> Option<String> {
    let actual = if answer.body.is_empty() { Value::Null } else { answer.message() };
    let found = (answer.status, actual["error"]["code"].as_i64().unwrap_or(0));
    (found != (status, code)).then(|| format!("{name}: {found:?} instead of {:?}: {actual}", (status, code)))
}

#[test]
fn checks_standard_headers_as_rmcp_does() {
    let server = server();
    let numbers = || json!({"a": 1, "b": 2});
    let region = || json!({"region": "us-west1"});
    type Case = (&'static str, &'static str, Value, &'static [(&'static str, &'static str)], i64);
    let cases: [Case; 9] = [
        ("matching", "sum", numbers(), &[("mcp-method", "tools/call"), ("mcp-name", "sum")], 0),
        ("method mismatch", "sum", numbers(), &[("mcp-method", "tools/list"), ("mcp-name", "sum")], -32020),
        ("missing method", "sum", numbers(), &[("mcp-name", "sum")], -32020),
        ("name mismatch", "sum", numbers(), &[("mcp-method", "tools/call"), ("mcp-name", "product")], -32020),
        (
            "matching parameter",
            "deploy",
            region(),
            &[("mcp-method", "tools/call"), ("mcp-name", "deploy"), ("mcp-param-region", "us-west1")],
            0,
        ),
        (
            "parameter mismatch",
            "deploy",
            region(),
            &[("mcp-method", "tools/call"), ("mcp-name", "deploy"), ("mcp-param-region", "eu-central1")],
            -32020,
        ),
        (
            "matching parameter in base64",
            "deploy",
            region(),
            &[
                ("mcp-method", "tools/call"),
                ("mcp-name", "deploy"),
                ("mcp-param-region", "=?base64?dXMtd2VzdDE=?="),
            ],
            0,
        ),
        (
            "parameter mismatch in base64",
            "deploy",
            region(),
            &[
                ("mcp-method", "tools/call"),
                ("mcp-name", "deploy"),
                ("mcp-param-region", "=?base64?ZXUtY2VudHJhbDE=?="),
            ],
            -32020,
        ),
        (
            "missing parameter",
            "deploy",
            region(),
            &[("mcp-method", "tools/call"), ("mcp-name", "deploy")],
            -32020,
        ),
    ];
    let failures: Vec<String> = cases
        .into_iter()
        .filter_map(|(name, tool, arguments, headers, code)| {
            let body = modern_body("tools/call", json!({"name": tool, "arguments": arguments}));
            let headers = [&[("mcp-protocol-version", MODERN)], headers].concat();
            let answer = server.post(&headers, &body.to_string());
            check(name, &answer, if code == 0 { 200 } else { 400 }, code)
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let without_headers = server.session().call("sum", numbers());
    assert_eq!(without_headers["result"]["structuredContent"], json!({"result": 3}));
}

#[test]
fn negotiates_versions_as_rmcp_does() {
    let server = server();
    let post = |headers: &[(&str, &str)], body: &Value| server.post(headers, &body.to_string());
    let opening = |version: &str| {
        let mut body = initialize();
        body["params"]["protocolVersion"] = json!(version);
        body
    };
    let mut failures = Vec::new();
    for (name, header, body, status, code) in [
        ("header older than body", Some("2025-03-26"), "2025-11-25", 400, -32600),
        ("header newer than body", Some("2025-11-25"), "2025-03-26", 400, -32600),
        ("header matches body", Some("2025-11-25"), "2025-11-25", 200, 0),
        ("no header", None, "2025-11-25", 200, 0),
        ("later version", None, "2026-07-28", 200, 0),
    ] {
        let headers: Vec<_> = header.map(|version| ("mcp-protocol-version", version)).into_iter().collect();
        let answer = post(&headers, &opening(body));
        failures.extend(check(name, &answer, status, code));
        assert_eq!(answer.header("mcp-session-id").is_some(), status == 200, "{name}");
        if status == 200 {
            assert_eq!(answer.message()["result"]["protocolVersion"], LEGACY, "{name}");
        }
    }
    let headers = |method: &'static str| [("mcp-protocol-version", MODERN), ("mcp-method", method)];
    let with_meta = |method: &str, meta: Value| request(1, method, json!({"_meta": meta}));
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let client = json!({"name": "test", "version": "1.0"});
    let client_info = "io.modelcontextprotocol/clientInfo";
    for method in ["tools/list", "server/discover"] {
        for (name, body, status, code, mentioned) in [
            ("no metadata", request(1, method, json!({})), 400, -32602, version),
            (
                "no version",
                with_meta(method, json!({client_info: client, capabilities: {}})),
                400,
                -32602,
                version,
            ),
            (
                "no capabilities",
                with_meta(method, json!({version: MODERN, client_info: client})),
                400,
                -32602,
                capabilities,
            ),
            ("no client", with_meta(method, json!({version: MODERN, capabilities: {}})), 200, 0, ""),
        ] {
            let answer = post(&headers(method), &body);
            failures.extend(check(&format!("{method}, {name}"), &answer, status, code));
            assert!(answer.body.contains(mentioned), "{method}, {name}: {}", answer.body);
            assert_eq!(answer.header("mcp-session-id"), None, "{method}, {name}");
        }
    }
    let list = modern_body("tools/list", json!({}));
    failures.extend(check("no header", &post(&[("mcp-method", "tools/list")], &list), 400, -32020));
    let unknown = with_meta("server/discover", json!({version: "2099-01-01", capabilities: {}}));
    let unknown_headers = [("mcp-protocol-version", "2099-01-01"), ("mcp-method", "server/discover")];
    failures.extend(check("unknown version", &post(&unknown_headers, &unknown), 400, -32022));
    let method = modern_body("unknown/method", json!({}));
    failures.extend(check("unknown method", &post(&headers("unknown/method"), &method), 404, -32601));
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let session = server.session();
    assert_eq!(
        session.request("unknown/method", json!({}))["error"]["code"],
        -32601,
        "in a session with 200"
    );
    assert_eq!(post(&[], &request(1, "tools/list", json!({}))).status, 400, "there is no session");
}

#[test]
fn reads_media_types_as_rmcp_does() {
    const BOTH: &str = "application/json, text/event-stream";
    let server = server();
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let mut failures = Vec::new();
    for (name, accept, content_type, status) in [
        ("ordinary", &[BOTH][..], "application/json", 202),
        ("content type case", &[BOTH], "Application/JSON", 202),
        ("accept case", &["APPLICATION/JSON, TEXT/EVENT-STREAM"], "application/json", 202),
        ("split accept", &["application/json", "text/event-stream"], "application/json", 202),
        ("content type suffix", &[BOTH], "application/jsonx", 415),
        ("accept suffix", &["application/json-seq, text/event-stream"], "application/json", 406),
        ("zero quality", &["application/json;q=0, text/event-stream"], "application/json", 406),
        ("zero quality decimal", &["application/json;Q=0.000, text/event-stream"], "application/json", 406),
        ("positive quality", &["application/json;q=0.001, text/event-stream"], "application/json", 202),
        (
            "parameters",
            &["application/json;profile=\"a,b;c\", text/event-stream"],
            "application/json; charset=utf-8",
            202,
        ),
        (
            "parameter is not media",
            &["text/plain;profile=\"application/json, text/event-stream\""],
            "application/json",
            406,
        ),
        (
            "escaped quoted parameter",
            &[r#"application/json;profile="a\",b;c", text/event-stream"#],
            "application/json",
            202,
        ),
        (
            "quoted quality is not a weight",
            &[r#"application/json;profile="a;q=0", text/event-stream"#],
            "application/json",
            202,
        ),
        (
            "escaped parameter is not media",
            &[r#"text/plain;profile="a\",application/json, text/event-stream""#],
            "application/json",
            406,
        ),
        // rmcp rejects it. A client that accepts everything accepts both types.
        ("wildcard alone", &["*/*"], "application/json", 202),
        ("malformed weight ignored", &["application/json;q=.5, text/event-stream"], "application/json", 202),
        ("non digit weight ignored", &["application/json;q=abc, text/event-stream"], "application/json", 202),
        (
            "over precision weight ignored",
            &["application/json;q=0.0001, text/event-stream"],
            "application/json",
            202,
        ),
        ("zero SSE", &["application/json, text/event-stream;q=0"], "application/json", 406),
        ("positive SSE", &["application/json, text/event-stream;q=0.01"], "application/json", 202),
        (
            "weighted split reversed",
            &["text/event-stream;q=0.5", "application/json;q=0.5"],
            "application/json",
            202,
        ),
        ("same field reversed", &["text/event-stream, application/json"], "application/json", 202),
        ("SSE near match", &["application/json, text/event-streaming"], "application/json", 406),
    ] {
        let mut headers = vec![
            ("mcp-protocol-version", MODERN),
            ("mcp-method", "notifications/initialized"),
            ("content-type", content_type),
        ];
        headers.extend(accept.iter().map(|value| ("accept", *value)));
        let actual = server.post(&headers, body).status;
        if actual != status {
            failures.push(format!("{name}: {actual} instead of {status}"));
        }
    }
    for (accept, status) in [
        ("text/event-stream", 400),
        ("TEXT/EVENT-STREAM", 400),
        ("text/event-streamx", 406),
        ("text/event-stream;q=0.0", 406),
        ("text/event-stream;q=1", 400),
        ("text/event-stream;q=abc", 400),
    ] {
        let actual = exchange(server.addr, "GET /mcp", &[("accept", accept)], "").status;
        if actual != status {
            failures.push(format!("GET {accept}: {actual} instead of {status}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
