//! The MCP surfaces of the tools: inclusive or exclusive.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tool_core::address::Surface;
use tool_core::ui::Ui;
use tool_core::{Registry, ToolDefinition};
use tool_mcp::Surfaces;
use tool_mcp::testing::{Client, ClientError, Items};

use crate::program::{Server, weather};

/// Returns a client of the tools, with these surfaces.
async fn client(surfaces: Surfaces) -> Client {
    let server = tool_mcp::Server::new(registry()).name("weather").surfaces(surfaces);
    Client::connect(server).await.unwrap()
}

fn registry() -> Registry {
    weather::registry("unused").unwrap()
}

/// Returns the names of what is listed, without the pages of tools.
fn names(items: &Items) -> Vec<&str> {
    let is_page = |item: &&Value| item["uri"].as_str().is_some_and(|uri| uri.starts_with("ui://"));
    items.iter().filter(|item| !is_page(item)).map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lists_every_tool_on_its_surfaces() {
    for surfaces in Surfaces::ALL {
        let client = client(surfaces).await;
        let tools = client.list_tools().await.unwrap();
        let resources = client.list_resources().await.unwrap();
        let templates = client.list_resource_templates().await.unwrap();
        let [tools, resources, templates] = [&tools, &resources, &templates].map(names);
        for tool in registry().tools() {
            let (name, surface) = (tool.name(), Surface::of(tool));
            let is_tool = surfaces == Surfaces::Inclusive || surface == Surface::Tool;
            let case = format!("{name} with {surfaces} surfaces");
            assert_eq!(tools.contains(&name), is_tool, "{case}");
            // Nothing runs: an invalid input fails differently for missing tools.
            let called = client.call(name, json!({"no such input": 1})).await;
            assert_eq!(called.is_ok_and(|result| result.is_error()), is_tool, "{case}");
            assert_eq!(resources.contains(&name), matches!(surface, Surface::Resource(_)), "{case}");
            assert_eq!(templates.contains(&name), matches!(surface, Surface::ResourceTemplate(_)), "{case}");
        }
        assert_eq!(
            tools.len() + resources.len() + templates.len(),
            [12, 9][usize::from(surfaces == Surfaces::Exclusive)]
        );
    }
}

#[tokio::test]
async fn has_a_page_for_the_days_that_it_finds() {
    let client = client(Surfaces::default()).await;
    let resources = client.list_resources().await.unwrap();
    let is_page = |item: &&Value| item["uri"].as_str().unwrap().starts_with("ui://");
    let pages: Vec<&Value> = resources.iter().filter(is_page).collect();
    let [page] = pages[..] else { panic!("{pages:?}") };
    assert_eq!(page["name"], "find_days");
    let read = client.read_resource(page["uri"].as_str().unwrap()).await.unwrap();
    assert_eq!(read.text(), Ui::results().html());
}

#[tokio::test]
async fn reads_a_day_by_uri() {
    let client = client(Surfaces::default()).await;
    let day = client.read_resource("weather://get_weather/New%20York/2014-07-04").await.unwrap();
    let day: Value = day.decode().unwrap();
    assert_eq!((&day["location"], &day["date"]), (&json!("New York"), &json!("2014-07-04")));

    let rejected = client.read_resource("weather://get_weather/Oslo/2014-07-04").await.unwrap_err();
    let ClientError::Rpc { code: -32602, message, .. } = rejected else { panic!("{rejected}") };
    assert!(
        message.contains("`location`: ") && message.contains("weather://get_weather/Seattle/2014-07-04"),
        "{message}"
    );
    let missing = client.read_resource("weather://get_weather/Seattle/2020-07-04").await.unwrap_err();
    assert!(matches!(missing, ClientError::Rpc { code: -32602, .. }), "{missing}");
}

#[tokio::test]
async fn accepts_prompt_arguments_as_text() {
    let client = client(Surfaces::default()).await;
    let arguments = |years| json!({"location": "Seattle", "day": "07-04", "years": years});
    // Only lists of texts can be separated by commas.
    let error = client.get_prompt("compare_years", arguments("2013, 2014")).await.unwrap_err();
    assert!(matches!(error, ClientError::Rpc { code: -32602, .. }), "{error}");
    let prompt = client.get_prompt("compare_years", arguments("[2013, 2014]")).await.unwrap();
    assert!(prompt.text().contains("on 2013-07-04, 2014-07-04?"), "{}", prompt.text());
}

#[test]
fn asks_for_the_token_over_http() {
    let token = "0b7c5f1e9d2a4c68";
    let mut program = weather(&["serve", "mcp", "--addr", "127.0.0.1:0"]);
    let server = Server::start(program.env("WEATHER_TOKEN", token));
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let status = |authorization: &str| {
        let post = ureq::post(format!("{}/mcp", server.address)).config().http_status_as_error(false).build();
        let post = post.header("accept", "application/json, text/event-stream");
        let post = post.header("authorization", authorization).content_type("application/json");
        post.send(request.to_string()).unwrap().status().as_u16()
    };
    for (authorization, expected) in
        [(String::new(), 401), ("Bearer 0b7c5f1e9d2a4c69".to_owned(), 401), (format!("Bearer {token}"), 200)]
    {
        assert_eq!(status(&authorization), expected, "{authorization}");
    }
}

/// Returns the names that the program lists on stdio.
fn list_names_of_the_program(arguments: &[&str]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_weather"))
        .args(["serve", "mcp"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let mut stdin = program.stdin.take().unwrap();
    writeln!(stdin, "{request}").unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(stdin);
    assert!(program.wait().unwrap().success());
    let answer: Value = serde_json::from_str(&line).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn follows_the_surfaces_option() {
    let registry = registry();
    let names = |surfaces: Surfaces| {
        let is_tool =
            |tool: &&ToolDefinition| surfaces == Surfaces::Inclusive || Surface::of(tool) == Surface::Tool;
        registry.tools().filter(is_tool).map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    for surfaces in Surfaces::ALL {
        assert_eq!(
            list_names_of_the_program(&["--surfaces", surfaces.as_str()]),
            names(surfaces),
            "{surfaces:?}"
        );
    }
    assert_eq!(list_names_of_the_program(&[]), names(Surfaces::default()));
}
