//! The MCP surfaces of the tools: inclusive or exclusive.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::address::Surface;
use tool_core::ui::Ui;
use tool_core::{Registry, ToolDefinition};
use tool_mcp::{Server, Surfaces};

struct RunningServer {
    url: String,
    registry: Registry,
    _runtime: Runtime,
}

impl RunningServer {
    fn start(surfaces: Surfaces) -> Self {
        let registry = weather::registry("unused").unwrap();
        let runtime = Runtime::new().unwrap();
        let server = Server::new(registry.clone()).name("weather").surfaces(surfaces);
        let http = runtime.block_on(server.serve_http("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/mcp", http.local_addr());
        runtime.spawn(http.run());
        RunningServer { url, registry, _runtime: runtime }
    }

    /// Sends a request of MCP 2026-07-28 and returns the answer.
    fn send_mcp(&self, method: &str, mut params: Value) -> Value {
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = ureq::post(&self.url)
            .config()
            .http_status_as_error(false)
            .build()
            .content_type("application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        let request = name.iter().fold(request, |request, name| request.header("mcp-name", name));
        let text = request.send(body).unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// Returns the names of what is listed, without the pages of tools.
    fn list_names(&self, method: &str, what: &str) -> Vec<String> {
        let list = self.send_mcp(method, json!({}))["result"][what].take();
        let is_page = |item: &Value| item["uri"].as_str().is_some_and(|uri| uri.starts_with("ui://"));
        let items = list.as_array().unwrap().iter().filter(|item| !is_page(item));
        items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }

    fn is_callable(&self, tool: &ToolDefinition) -> bool {
        // Nothing runs: an invalid input fails differently for missing tools.
        let params = json!({"name": tool.name(), "arguments": {"no such input": 1}});
        self.send_mcp("tools/call", params)["result"]["isError"] == true
    }
}

#[test]
fn lists_every_tool_on_its_surfaces() {
    for surfaces in Surfaces::ALL {
        let running = RunningServer::start(surfaces);
        let tools = running.list_names("tools/list", "tools");
        let resources = running.list_names("resources/list", "resources");
        let templates = running.list_names("resources/templates/list", "resourceTemplates");
        for tool in running.registry.tools() {
            let shown = |names: &[String]| names.iter().any(|name| name == tool.name());
            let surface = Surface::of(tool);
            let is_tool = surfaces == Surfaces::Inclusive || surface == Surface::Tool;
            let case = format!("{} with {surfaces} surfaces", tool.name());
            assert_eq!(shown(&tools), is_tool, "{case}");
            assert_eq!(running.is_callable(tool), is_tool, "{case}");
            assert_eq!(shown(&resources), matches!(surface, Surface::Resource(_)), "{case}");
            assert_eq!(shown(&templates), matches!(surface, Surface::ResourceTemplate(_)), "{case}");
        }
        assert_eq!(
            tools.len() + resources.len() + templates.len(),
            [12, 9][usize::from(surfaces == Surfaces::Exclusive)]
        );
    }
}

#[test]
fn has_a_page_for_the_days_that_it_finds() {
    let running = RunningServer::start(Surfaces::default());
    let list = running.send_mcp("resources/list", json!({}));
    let is_page = |item: &&Value| item["uri"].as_str().unwrap().starts_with("ui://");
    let pages: Vec<&Value> = list["result"]["resources"].as_array().unwrap().iter().filter(is_page).collect();
    let [page] = pages[..] else { panic!("{pages:?}") };
    assert_eq!(page["name"], "find_days");
    let read = running.send_mcp("resources/read", json!({"uri": page["uri"]}));
    assert_eq!(read["result"]["contents"][0]["text"], Ui::results().html());
}

#[test]
fn reads_a_day_by_uri() {
    let running = RunningServer::start(Surfaces::default());
    let uri = "weather://get_weather/New%20York/2014-07-04";
    let read = running.send_mcp("resources/read", json!({"uri": uri}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
    let day: Value = serde_json::from_str(text).unwrap();
    assert_eq!((&day["location"], &day["date"]), (&json!("New York"), &json!("2014-07-04")));

    let rejected =
        running.send_mcp("resources/read", json!({"uri": "weather://get_weather/Oslo/2014-07-04"}));
    assert_eq!(rejected["error"]["code"], -32602);
    let message = rejected["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("`location`: ") && message.contains("weather://get_weather/Seattle/2014-07-04"),
        "{message}"
    );
    let missing =
        running.send_mcp("resources/read", json!({"uri": "weather://get_weather/Seattle/2020-07-04"}));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[test]
fn accepts_prompt_arguments_as_text() {
    let running = RunningServer::start(Surfaces::default());
    let arguments = json!({"location": "Seattle", "day": "07-04", "years": "2013, 2014"});
    let got = running.send_mcp("prompts/get", json!({"name": "compare_years", "arguments": arguments}));
    let arguments = json!({"location": "Seattle", "day": "07-04", "years": "[2013, 2014]"});
    let as_json = running.send_mcp("prompts/get", json!({"name": "compare_years", "arguments": arguments}));
    let text = as_json["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("on 2013-07-04, 2014-07-04?"), "{text}");
    // Only lists of texts can be separated by commas.
    assert_eq!(got["error"]["code"], -32602, "{got}");
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
    let registry = weather::registry("unused").unwrap();
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
