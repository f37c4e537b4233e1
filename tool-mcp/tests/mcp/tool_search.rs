//! Two-step discovery among a thousand tools.

use serde_json::{Value, json};
use tool_core::address::Surface;
use tool_core::provider::{IntoToolsProvider as _, Providers};
use tool_core::{DynamicTool, Operation, Output, Registry, Tool, ToolDefinition, tool};
use tool_mcp::{Discovery, PromptsFile, Server, Surfaces};

use crate::stdio::StdioClient;
use crate::support::{TestServer, modern_body, request_both, take_call_id};

fn server() -> TestServer {
    TestServer::with_registry(crate::thousand::registry(), |server| server.discovery(Discovery::TwoStep))
}

/// Calls one of the four tools. Returns its structured result and the size of the answer.
fn call(server: &TestServer, name: &str, arguments: Value) -> (Value, usize) {
    let answer = server.request_modern("tools/call", json!({"name": name, "arguments": arguments}));
    let result = answer.json()["result"].take();
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let structured = result["structuredContent"].clone();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
    (structured, answer.body.len())
}

/// The text of a failed call.
fn rejection(server: &TestServer, name: &str, arguments: Value) -> String {
    let params = json!({"name": name, "arguments": arguments});
    let (answer, _) = request_both(server, "tools/call", &params);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn names(page: &Value) -> Vec<String> {
    page["tools"].as_array().unwrap().iter().map(|row| row["tool"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn lists_four_tools() {
    let (list, _) = request_both(&server(), "tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["list_available_tools", "list_tool_details", "call_read_only_tool", "call_tool"]);
    for tool in tools {
        let expected = match tool["name"].as_str() {
            Some("call_tool") => json!({"destructiveHint": true, "openWorldHint": true}),
            Some("call_read_only_tool") => json!({"readOnlyHint": true, "openWorldHint": true}),
            _ => json!({"readOnlyHint": true, "openWorldHint": false}),
        };
        assert_eq!(tool["annotations"], expected, "{tool}");
    }
    let inputs: Vec<&String> = tools[0]["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(inputs, ["search", "filter_by_server", "detailed", "page"]);
    let (rejection, _) = request_both(&server(), "tools/list", &json!({"cursor": "3-0"}));
    assert_eq!(rejection["error"]["code"], -32602);
}

#[test]
fn finds_and_calls_a_tool_in_few_bytes() {
    let server = server();
    let list = server.request_modern("tools/list", json!({})).body.len();
    let (page, found) =
        call(&server, "list_available_tools", json!({"search": "cancel a ticket in department 7"}));
    let row = &page["tools"][0];
    assert_eq!(
        row,
        &json!({
            "server": "fixture",
            "tool": "cancel_ticket_7",
            "description": "Will cancel one ticket in department 7, and tells what became of it in the end.",
        })
    );
    let named = json!({"server": row["server"], "tool_name": row["tool"]});
    let (details, detailed) = call(&server, "list_tool_details", named.clone());
    let definition = server.registry.get("cancel_ticket_7").unwrap();
    assert_eq!(
        details.to_string(),
        json!({
            "name": "cancel_ticket_7",
            "description": definition.description(),
            "inputSchema": definition.input_schema(),
            "server": "fixture",
        })
        .to_string(),
        "keys have an order too"
    );
    let mut named = named;
    named["arguments"] = json!({"id": 5});
    let called = server.request_modern("tools/call", json!({"name": "call_tool", "arguments": named}));
    assert_eq!(called.json()["result"]["content"][0]["text"], "cancel_ticket_7: Some(5)");
    assert!(found < 4096, "{found}");
    let whole = list + found + detailed + called.body.len();
    assert!(whole < 8192, "{list} + {found} + {detailed} + {} = {whole}", called.body.len());
}

#[test]
fn separates_calls_that_modify_nothing() {
    let server = server();
    let kinds =
        |read_only: bool| server.registry.tools().filter(move |tool| tool.modifies() != read_only).count();
    assert!(kinds(true) > 0 && kinds(false) > 0);
    let named = |tool: &str| json!({"server": "fixture", "tool_name": tool, "arguments": {"id": 5}});
    for tool in server.registry.tools().filter(|tool| tool.name().ends_with("_7")) {
        let name = tool.name();
        let is_read_only = !tool.modifies();
        let search = json!({"search": name.replace('_', " ")});
        let (page, _) = call(&server, "list_available_tools", search);
        let row = page["tools"].as_array().unwrap().iter().find(|row| row["tool"] == name).unwrap();
        assert_eq!(row["readOnly"] == true, is_read_only, "{row}");
        let target = json!({"server": "fixture", "tool_name": name});
        let (details, _) = call(&server, "list_tool_details", target);
        assert_eq!(details["readOnly"] == true, is_read_only, "{details}");
        // Any tool can be called by the call that a person confirms.
        let called =
            server.request_modern("tools/call", json!({"name": "call_tool", "arguments": named(name)}));
        assert_eq!(called.json()["result"]["isError"], false, "{name}");
        let params = json!({"name": "call_read_only_tool", "arguments": named(name)});
        if is_read_only {
            let answer = server.request_modern("tools/call", params).json();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        } else {
            assert_eq!(
                rejection(&server, "call_read_only_tool", named(name)),
                format!("`{name}` may modify something: call it with `call_tool`")
            );
        }
    }
}

#[test]
fn lists_each_tool_once_in_small_pages() {
    let server = server();
    for (detailed, search) in [(false, ""), (true, "invoice"), (false, "invoice")] {
        let (mut seen, mut next) = (Vec::new(), Some(json!(1)));
        while let Some(page) = next {
            let arguments = json!({"page": page, "detailed": detailed, "search": search});
            let (page, size) = call(&server, "list_available_tools", arguments);
            assert!(size < 4096, "{size}");
            assert_eq!(
                page["tools"].as_array().unwrap().iter().all(|row| row["inputSchema"].is_object()),
                detailed
            );
            seen.extend(names(&page));
            assert_eq!(page["total"], if search.is_empty() { 1000 } else { 100 });
            next = page.get("nextPage").cloned();
        }
        let all: Vec<String> = server.registry.tools().map(|tool| tool.name().to_owned()).collect();
        if search.is_empty() {
            assert_eq!(seen, all, "by name");
        } else {
            assert_eq!(seen.len(), 100);
            assert!(seen.iter().all(|name| name.contains("invoice")));
        }
    }
    assert_eq!(
        call(&server, "list_available_tools", json!({"search": "zzz"})).0,
        json!({"tools": [], "total": 0})
    );
    let none = rejection(&server, "list_available_tools", json!({"page": 1000}));
    assert!(none.starts_with("there is no page 1000: the last page is "), "{none}");
}

#[test]
fn reports_unknown_names_with_suggestions() {
    let server = server();
    let of = |server: &str, tool: &str| json!({"server": server, "tool_name": tool});
    for name in ["list_tool_details", "call_read_only_tool", "call_tool"] {
        let text = rejection(&server, name, of("other", "list_room_1"));
        assert_eq!(text, "there is no server `other`: the servers are `fixture`");
        let text = rejection(&server, name, of("", "list_room_1"));
        assert_eq!(text, "there is no server ``: the servers are `fixture`");
        let text = rejection(&server, name, of("fixture", "list_rooms_1"));
        assert!(
            text.starts_with(
                "there is no tool `list_rooms_1` on `fixture`; there is one with a similar name: `list_room_1`: the \
                 first of 1000 tools are `archive_engine_0`, "
            ),
            "{text}"
        );
        assert!(text.len() < 1024, "{text}");
    }
    let text = rejection(&server, "list_available_tools", json!({"filter_by_server": "other"}));
    assert_eq!(text, "there is no server `other`: the servers are `fixture`");
    let (all, _) =
        call(&server, "list_available_tools", json!({"filter_by_server": "fixture", "search": "song"}));
    assert_eq!(all["total"], 100);

    let text = rejection(&server, "list_available_tools", json!({"detailed": "very", "serch": "x"}));
    assert!(text.contains("/detailed: expected") && text.contains("/serch: unknown input"), "{text}");
    let text = rejection(&server, "list_tool_details", json!({}));
    assert!(text.contains("/server: missing") && text.contains("/tool_name: missing"), "{text}");
}

#[test]
fn forwards_calls_to_the_tool() {
    let server = server();
    let call = |arguments: Value| {
        let target = json!({"server": "fixture", "tool_name": "list_room_1", "arguments": arguments});
        server.call_modern("call_tool", target)
    };
    let mut called = call(json!({"id": 7}));
    take_call_id(&mut called);
    assert_eq!(called["result"]["content"][0]["text"], "list_room_1: Some(7)");
    let text = call(json!({"id": 0, "nota": "x"}))["result"]["content"][0]["text"].take();
    assert!(text.as_str().unwrap().starts_with("invalid input for `list_room_1`: 2 problems"), "{text}");
    let text = call(json!([1]))["result"]["content"][0]["text"].take();
    assert!(text.as_str().unwrap().contains("expected an object"), "{text}");
    assert_eq!(call(json!({"id": 404}))["result"]["content"][0]["text"], "there is none");
    // The tool can also be called by its own name.
    let direct = server.call_modern("list_room_1", json!({"id": 7}));
    assert_eq!(direct["result"]["content"][0]["text"], "list_room_1: Some(7)");

    let duplicate = r#"{"server":"fixture","tool_name":"list_room_1","arguments":{"id":1,"id":2}}"#;
    let body = modern_body("tools/call", json!({"name": "call_tool", "arguments": null})).to_string();
    let body = body.replacen(r#""arguments":null"#, &format!(r#""arguments":{duplicate}"#), 1);
    let headers =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "call_tool")];
    let answer = server.post(&headers, &body).json();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("given twice"), "{answer}");
}

#[test]
fn searches_and_calls_over_stdio() {
    let mut client = StdioClient::start_with("thousand");
    let listed = client.exchange(modern_body("tools/list", json!({})));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    let search = json!({"name": "list_available_tools", "arguments": {"search": "rename song 3"}});
    let page = client.exchange(modern_body("tools/call", search))["result"]["structuredContent"].take();
    assert_eq!(page["tools"][0]["tool"], "rename_song_3");
    let target = json!({"server": "fixture", "tool_name": "rename_song_3", "arguments": {"id": 2}});
    let called =
        client.exchange(modern_body("tools/call", json!({"name": "call_tool", "arguments": target})));
    assert_eq!(called["result"]["content"][0]["text"], "rename_song_3: Some(2)");
    assert_eq!(client.close(), (vec![], true));
}

/// Lists nothing.
#[tool(operation = Explain, name = "call_tool")]
fn reserved_name() {}

#[test]
fn rejects_reserved_tool_names() {
    let registry =
        Registry::builder().linked().select(|tool| tool.source().module == module_path!()).build().unwrap();
    let error =
        Server::new(registry).discovery(Discovery::TwoStep).into_axum_router().unwrap_err().to_string();
    assert!(error.contains("the tool `call_tool` at tool-mcp/tests/mcp/tool_search.rs:"), "{error}");
}

#[test]
fn groups_tools_by_provider() {
    let named = |name: &'static str, description: &'static str| {
        let definition =
            ToolDefinition::builder(name, description).operation(Operation::Explain).build().unwrap();
        let tool = DynamicTool::new(definition, move |_, _: Value| async move { Ok(Output::text(name)) });
        vec![std::sync::Arc::new(tool) as std::sync::Arc<dyn Tool>]
    };
    let providers =
        Providers::new().with("web", named("search", "Searches.")).with("disk", named("read", "Reads."));
    // The prompts file clears the description of `read`.
    let file = PromptsFile::parse(r#"tools: {read: {description: ""}}"#).unwrap();
    let server = TestServer::with_provider(providers.into_provider(), |server| {
        server.discovery(Discovery::TwoStep).prompts_file(file)
    });
    let (page, _) = call(&server, "list_available_tools", json!({}));
    assert_eq!(
        page["tools"],
        json!([
            {"server": "web", "tool": "search", "description": "Searches.", "readOnly": true},
            {"server": "disk", "tool": "read", "description": "No description", "readOnly": true},
        ])
    );
    let (page, _) = call(&server, "list_available_tools", json!({"filter_by_server": "disk"}));
    assert_eq!(names(&page), ["read"]);
    let text = rejection(&server, "call_tool", json!({"server": "disk", "tool_name": "search"}));
    assert_eq!(text, "there is no tool `search` on `disk`: the tools are `read`");
    let text = rejection(&server, "call_tool", json!({"server": "dsik", "tool_name": "search"}));
    assert_eq!(
        text,
        "there is no server `dsik`; there is one with a similar name: `disk`: the servers are `web`, `disk`"
    );
}

#[test]
fn reports_unavailable_servers_and_shortens_names() {
    let tool = |name: &'static str| {
        let definition =
            ToolDefinition::builder(name, "Does it.").operation(Operation::Explain).build().unwrap();
        let tool = DynamicTool::new(definition, move |_, _: Value| async move { Ok(Output::text(name)) });
        std::sync::Arc::new(tool) as std::sync::Arc<dyn Tool>
    };
    let failing = || Err::<Registry, _>(std::io::Error::other("the password is 0b7c5f1e"));
    // The short name of `web__both` is the name of another tool, so it is shown in full.
    let web = vec![tool("web__search"), tool("web__both"), tool("both")];
    let providers = Providers::new().with_optional("gone", failing).with("web", web);
    let server =
        TestServer::with_provider(providers.into_provider(), |server| server.discovery(Discovery::TwoStep));
    let (page, _) = call(&server, "list_available_tools", json!({}));
    assert_eq!(names(&page), ["both", "web__both", "search"]);
    let reason = "server `gone` is not there at the moment";
    assert_eq!(page["unavailable"], json!([{"server": "gone", "reason": reason}]), "hides the cause");
    for (name, expected) in [
        ("search", "web__search"),
        ("web__search", "web__search"),
        ("both", "both"),
        ("web__both", "web__both"),
    ] {
        let called = server.call_modern("call_tool", json!({"server": "web", "tool_name": name}));
        assert_eq!(called["result"]["content"][0]["text"], expected);
    }
    assert_eq!(rejection(&server, "call_tool", json!({"server": "gone", "tool_name": "x"})), reason);
    let text = rejection(&server, "call_tool", json!({"server": "web", "tool_name": "serach"}));
    assert!(text.contains("there is one with a similar name: `search`"), "{text}");
}

#[test]
fn omits_resources_when_surfaces_are_exclusive() {
    let registry = crate::surfaces::registry(|builder| builder);
    assert_eq!(registry.callable().filter(|tool| Surface::of(tool) == Surface::Tool).count(), 2);
    let server = TestServer::with_registry(registry, |server| {
        server.discovery(Discovery::TwoStep).surfaces(Surfaces::Exclusive)
    });
    let (page, _) = call(&server, "list_available_tools", json!({}));
    assert_eq!(names(&page), ["book", "find_rooms"]);
}
