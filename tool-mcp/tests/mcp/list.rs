//! Discovery, initialization and the list of tools.

use serde_json::{Value, json};

use crate::support::{LEGACY, MODERN, TestServer, request};

fn server_info() -> Value {
    json!({"name": "fixture", "title": "Fixture", "version": "1.0.0"})
}

fn capabilities() -> Value {
    json!({"logging": {}, "completions": {}, "prompts": {}, "resources": {}, "tools": {}})
}

/// The exact listing of `add`.
fn add() -> Value {
    json!({
        "name": "add",
        "title": "Add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {
                    "type": "integer",
                    "description": "First.",
                },
                "b": {
                    "type": "integer",
                    "description": "Second.",
                    "default": 5,
                    "examples": [7],
                },
            },
            "required": ["a"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"result": {"type": "integer"}},
            "required": ["result"],
            "additionalProperties": false,
        },
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

const NAMES: [&str; 7] = ["add", "explode", "greet", "picture", "purge", "read_for_ever", "write_slowly"];

#[test]
fn serves_discovery_and_lists_to_modern_clients() {
    let server = TestServer::start_with(|server| server.instructions("Add, then greet."));

    let discovered = server.request_modern("server/discover", json!({})).json();
    assert_eq!(
        discovered["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN],
            "capabilities": capabilities(),
            "instructions": "Add, then greet.",
            "ttlMs": 60_000,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
        })
    );

    let mut listed = server.request_modern("tools/list", json!({})).json();
    assert_eq!(names(&listed["result"]), NAMES);
    let tools = listed["result"]["tools"].take();
    assert_eq!(tools[0].to_string(), add().to_string(), "keys have an order too");
    assert_eq!(
        listed,
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
                "ttlMs": 60_000,
                "cacheScope": "public",
                "tools": null,
            },
        })
    );
}

#[test]
fn serves_initialize_and_lists_to_legacy_clients() {
    let server = TestServer::start();
    let session = server.session();
    assert_eq!(
        session.initialize_answer,
        json!({
            "jsonrpc": "2.0",
            "id": 0,
            "result": {
                "protocolVersion": LEGACY,
                "capabilities": capabilities(),
                "serverInfo": server_info(),
            },
        })
    );

    let mut listed = session.request("tools/list", json!({}));
    assert_eq!(names(&listed["result"]), NAMES);
    let tools = listed["result"]["tools"].take();
    assert_eq!(tools[0], add());
    assert_eq!(
        listed,
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": null}}),
        "no members of a later version"
    );
}

#[test]
fn lists_object_schemas_and_meaningful_hints() {
    let server = TestServer::start();
    let listed = server.request_modern("tools/list", json!({})).json();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        // Hints are explicit, because clients interpret an absent hint differently.
        let hints = &tool["annotations"];
        assert_ne!(hints["readOnlyHint"].is_boolean(), hints["destructiveHint"].is_boolean(), "{tool}");
        assert!(hints["openWorldHint"].is_boolean(), "{tool}");
        let defaults = [("readOnlyHint", false), ("idempotentHint", false)];
        assert!(defaults.iter().all(|(hint, default)| hints[hint] != *default), "{tool}");
        assert_eq!((tool.get("_meta"), hints.get("title")), (None, None), "{tool}");
    }
    assert_eq!(listed["result"]["tools"][4]["annotations"]["destructiveHint"], true);
}

#[test]
fn includes_tool_metadata_when_enabled() {
    let server = TestServer::start_with(|server| server.tool_meta(true));
    let listed = server.request_modern("tools/list", json!({})).json();
    let digest = |name: &str| server.registry.get(name).unwrap().digest().to_string();
    for (position, name, operation) in [(0, "add", "transform"), (4, "purge", "write")] {
        let meta = json!({"tool-core/operation": operation, "tool-core/digest": digest(name)});
        assert_eq!(listed["result"]["tools"][position]["_meta"], meta);
    }
}

#[test]
fn rejects_forged_cursors() {
    let server = TestServer::start();
    let session = server.session();
    for cursor in [json!("forged"), json!(""), json!(5)] {
        let params = json!({"cursor": cursor});
        let legacy = session.post(&request(1, "tools/list", params.clone()).to_string());
        let legacy = if cursor.is_string() { legacy.message() } else { legacy.json() };
        for answer in [server.request_modern("tools/list", params).json(), legacy] {
            assert_eq!(
                (&answer["id"], &answer["error"]["code"]),
                (&json!(1), &json!(-32602)),
                "{cursor}: {answer}"
            );
        }
    }
}

#[test]
fn paginates_lists_when_configured() {
    let server = TestServer::start_with(|server| server.page_size(3));
    let session = server.session();
    for (method, member, count) in [
        ("tools/list", "tools", 7),
        ("resources/list", "resources", 4),
        ("resources/templates/list", "resourceTemplates", 1),
        ("prompts/list", "prompts", 0),
    ] {
        for modern in [true, false] {
            let (mut seen, mut params) = (Vec::new(), json!({}));
            loop {
                let list = match modern {
                    true => server.request_modern(method, params).json(),
                    false => session.request(method, params),
                };
                let page = list["result"][member].as_array().unwrap_or_else(|| panic!("{list}"));
                assert!(page.len() <= 3, "{list}");
                seen.extend(page.iter().map(|item| item["name"].as_str().unwrap().to_owned()));
                let Some(next) = list["result"].get("nextCursor") else { break };
                params = json!({"cursor": next});
            }
            assert_eq!(seen.len(), count, "{method}: {seen:?}");
            assert!(member != "tools" || seen == NAMES, "{seen:?}");
        }
        let next = server.request_modern("tools/list", json!({})).json()["result"]["nextCursor"].take();
        let elsewhere = server.request_modern(method, json!({"cursor": next})).json();
        assert_eq!(elsewhere.get("error").is_none(), method == "tools/list", "{elsewhere}");
    }
}

#[test]
fn rejects_duplicate_members_and_invalid_cursors() {
    let server = TestServer::start();
    let session = server.session();
    for (method, params) in [
        ("resources/read", r#"{"uri":"fixture://tools","uri":"fixture://picture"}"#),
        ("prompts/get", r#"{"name":"a","arguments":{"x":"1","\u0078":"2"}}"#),
        ("prompts/list", r#"{"cursor":5}"#),
        ("resources/list", r#"{"cursor":null,"cursor":null}"#),
    ] {
        let answer =
            session.post(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#));
        let error = answer.json();
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(7), &json!(-32602)), "{method}: {error}");
    }
}

#[test]
fn omits_newer_features_for_old_clients() {
    let server = TestServer::start();
    let mut init = crate::support::initialize();
    init["params"]["protocolVersion"] = json!("2025-03-26");
    let answer = server.post(&[], &init.to_string());
    assert_eq!(answer.message()["result"]["protocolVersion"], "2025-03-26");
    let id = answer.header("mcp-session-id").unwrap().to_owned();
    let send = |method: &str, params: Value| {
        let headers = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2025-03-26")];
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(server.post(&headers, &initialized).status, 202);
        server.post(&headers, &request(1, method, params).to_string()).message()["result"].take()
    };
    let list = send("tools/list", json!({}));
    assert!(list["tools"][0].get("outputSchema").is_none(), "{list}");
    assert_eq!(list["tools"][0]["annotations"]["title"], "Add");
    let called = send("tools/call", json!({"name": "add", "arguments": {"a": 1}}));
    assert_eq!(called["content"][0]["text"], r#"{"result":6}"#);
    assert!(called.get("structuredContent").is_none(), "{called}");
}

/// The MCP Inspector omits empty parameters.
#[test]
fn lists_tools_for_every_form_of_parameters() {
    let server = TestServer::start();
    let session = server.session();
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
