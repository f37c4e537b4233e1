//! Pages of tools: the extension MCP Apps, version 2026-01-26.

use serde_json::{Value, json};
use tool_core::ui::{Ui, UiPermission, UiVisibility};
use tool_core::{Registry, tool, tools};
use tool_mcp::{Discovery, Server};

use crate::support::{TestServer, request_both};

/// Shows the visitors of a week.
#[tool(operation = Read, title = "Visitors", ui = "page.html")]
fn visitors_of_a_week() -> Vec<u64> {
    vec![3, 1, 4]
}

/// Moves the map.
#[tool(operation = Trigger, destructive = false, ui = map())]
fn move_map(zoom: u8) -> u8 {
    zoom
}

/// Shows the map of a treasure.
#[tool(operation = Read, permission = "treasure.view", ui = map())]
fn treasure() {}

/// Has no page.
#[tool(operation = Read)]
fn plain_of_ui() {}

fn map() -> Ui {
    Ui::new("<!doctype html><title>Map</title>")
        .connect(["https://tiles.example.com"])
        .permissions([UiPermission::Geolocation])
        .visibility(UiVisibility::App)
        .prefers_border(true)
}

fn registry() -> Registry {
    Registry::builder().tools(tools![visitors_of_a_week, move_map, treasure, plain_of_ui]).build().unwrap()
}

fn named<'r>(list: &'r Value, key: &str, name: &str) -> Option<&'r Value> {
    list["result"][key].as_array().unwrap().iter().find(|item| item["name"] == name)
}

fn server(registry: Registry) -> TestServer {
    TestServer::with_registry(registry, |server: Server| server.tool_meta(false))
}

#[test]
fn names_the_page_of_a_tool() {
    let (list, _) = request_both(&server(registry()), "tools/list", &json!({}));
    let meta = |name| named(&list, "tools", name).unwrap()["_meta"].clone();
    assert_eq!(
        meta("visitors_of_a_week"),
        json!({"ui": {"resourceUri": "ui://fixture/visitors_of_a_week", "visibility": ["model", "app"]}})
    );
    assert_eq!(
        meta("move_map"),
        json!({"ui": {"resourceUri": "ui://fixture/move_map", "visibility": ["app"]}})
    );
    assert_eq!(meta("plain_of_ui"), Value::Null);
}

#[test]
fn serves_pages_as_resources() {
    let server = server(registry());
    let (list, _) = request_both(&server, "resources/list", &json!({}));
    let pages: Vec<&Value> = list["result"]["resources"].as_array().unwrap().iter().collect();
    let page = pages.iter().find(|page| page["uri"] == "ui://fixture/visitors_of_a_week").unwrap();
    assert_eq!(
        **page,
        json!({
            "uri": "ui://fixture/visitors_of_a_week",
            "name": "visitors_of_a_week",
            "title": "Visitors",
            "description": "The page that shows results of `visitors_of_a_week`.",
            "mimeType": "text/html;profile=mcp-app",
        })
    );
    let meta = json!({
        "csp": {"connectDomains": ["https://tiles.example.com"]},
        "permissions": {"geolocation": {}},
        "prefersBorder": true,
    });
    let map = pages.iter().find(|page| page["uri"] == "ui://fixture/move_map").unwrap();
    assert_eq!(map["_meta"], json!({"ui": meta}));
    for (uri, html, meta) in [
        ("ui://fixture/visitors_of_a_week", include_str!("page.html"), None),
        ("ui://fixture/move_map", "<!doctype html><title>Map</title>", Some(json!({"ui": meta}))),
    ] {
        let (read, _) = request_both(&server, "resources/read", &json!({"uri": uri}));
        let mut contents = json!({"uri": uri, "mimeType": "text/html;profile=mcp-app", "text": html});
        if let Some(meta) = meta {
            contents["_meta"] = meta;
        }
        assert_eq!(read["result"]["contents"], json!([contents]));
    }
}

#[test]
fn hides_pages_of_tools_that_the_caller_may_not_call() {
    let server = server(registry());
    let (list, _) = request_both(&server, "resources/list", &json!({}));
    assert!(named(&list, "resources", "treasure").is_none());
    let refused = |uri: &str| {
        let mut answer = request_both(&server, "resources/read", &json!({"uri": uri})).0;
        answer["error"]["data"].take();
        answer["error"]["message"] = answer["error"]["message"].as_str().unwrap().replace(uri, "URI").into();
        answer
    };
    assert_eq!(refused("ui://fixture/treasure"), refused("ui://fixture/nowhere"));
}

#[test]
fn hides_tools_for_pages_alone_from_the_search_tools() {
    let server = TestServer::with_registry(registry(), |server| server.discovery(Discovery::TwoStep));
    let call = |name: &str, arguments: Value| server.call_modern(name, arguments)["result"].take();
    let listed = call("list_available_tools", json!({}));
    let names: Vec<&Value> =
        listed["structuredContent"]["tools"].as_array().unwrap().iter().map(|row| &row["tool"]).collect();
    assert_eq!(names, ["plain_of_ui", "visitors_of_a_week"]);
    for name in ["list_tool_details", "call_tool"] {
        let answer =
            call(name, json!({"server": "fixture", "tool_name": "move_map", "arguments": {"zoom": 1}}));
        assert_eq!(answer["isError"], true, "{answer}");
    }
}

#[test]
fn announces_the_extension_where_a_tool_has_a_page() {
    let extensions = |registry| {
        let answer = server(registry).request_modern("server/discover", json!({})).json();
        answer["result"]["capabilities"]["extensions"].clone()
    };
    assert_eq!(
        extensions(registry()),
        json!({"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}})
    );
    let plain = Registry::builder().tools(tools![plain_of_ui]).build().unwrap();
    assert_eq!(extensions(plain), Value::Null);
}
