//! As what the tools are shown over MCP: everything is a tool too, or each is shown as one thing alone.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::address::Surface;
use tool_core::{Registry, ToolDefinition};
use tool_mcp::{Server, Surfaces};

struct Served {
    url: String,
    registry: Registry,
    _runtime: Runtime,
}

impl Served {
    fn start(surfaces: Surfaces) -> Self {
        let registry = weather::registry("unused").unwrap();
        let runtime = Runtime::new().unwrap();
        let server = Server::new(registry.clone()).name("weather").surfaces(surfaces);
        let http = runtime.block_on(server.serve_http("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/mcp", http.local_addr());
        runtime.spawn(http.run());
        Served { url, registry, _runtime: runtime }
    }

    /// The answer to a request of 2026-07-28.
    fn ask(&self, method: &str, mut params: Value) -> Value {
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

    fn listed(&self, method: &str, what: &str) -> Vec<String> {
        let list = self.ask(method, json!({}))["result"][what].take();
        list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }

    fn is_called(&self, tool: &ToolDefinition) -> bool {
        // Nothing is run: what a tool does not take tells whether it is there.
        let params = json!({"name": tool.name(), "arguments": {"no such input": 1}});
        self.ask("tools/call", params)["result"]["isError"] == true
    }
}

#[test]
fn every_tool_is_shown_by_the_table() {
    for surfaces in Surfaces::ALL {
        let served = Served::start(surfaces);
        let tools = served.listed("tools/list", "tools");
        let resources = served.listed("resources/list", "resources");
        let templates = served.listed("resources/templates/list", "resourceTemplates");
        for tool in served.registry.tools() {
            let shown = |names: &[String]| names.iter().any(|name| name == tool.name());
            let surface = Surface::of(tool);
            let is_tool = surfaces == Surfaces::Inclusive || surface == Surface::Tool;
            let place = format!("{} with {surfaces} surfaces", tool.name());
            assert_eq!(shown(&tools), is_tool, "{place}");
            assert_eq!(served.is_called(tool), is_tool, "{place}");
            assert_eq!(shown(&resources), matches!(surface, Surface::Resource(_)), "{place}");
            assert_eq!(shown(&templates), matches!(surface, Surface::ResourceTemplate(_)), "{place}");
        }
        assert_eq!(
            tools.len() + resources.len() + templates.len(),
            [12, 9][usize::from(surfaces == Surfaces::Exclusive)]
        );
    }
}

#[test]
fn a_day_is_read_by_its_uri() {
    let served = Served::start(Surfaces::default());
    let uri = "weather://get_weather/New%20York/2014-07-04";
    let read = served.ask("resources/read", json!({"uri": uri}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
    let day: Value = serde_json::from_str(text).unwrap();
    assert_eq!((&day["location"], &day["date"]), (&json!("New York"), &json!("2014-07-04")));

    let refused = served.ask("resources/read", json!({"uri": "weather://get_weather/Oslo/2014-07-04"}));
    assert_eq!(refused["error"]["code"], -32602);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("`location`: ") && message.contains("weather://get_weather/Seattle/2014-07-04"),
        "{message}"
    );
    let missing = served.ask("resources/read", json!({"uri": "weather://get_weather/Seattle/2020-07-04"}));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[test]
fn the_prompt_takes_texts() {
    let served = Served::start(Surfaces::default());
    let arguments = json!({"location": "Seattle", "day": "07-04", "years": "2013, 2014"});
    let got = served.ask("prompts/get", json!({"name": "compare_years", "arguments": arguments}));
    let arguments = json!({"location": "Seattle", "day": "07-04", "years": "[2013, 2014]"});
    let as_json = served.ask("prompts/get", json!({"name": "compare_years", "arguments": arguments}));
    let text = as_json["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("on 2013-07-04, 2014-07-04?"), "{text}");
    // Commas separate texts alone.
    assert_eq!(got["error"]["code"], -32602, "{got}");
}

/// The names that the program itself lists on stdio.
fn listed_by_the_program(arguments: &[&str]) -> Vec<String> {
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
fn the_switch_of_the_program_decides() {
    let registry = weather::registry("unused").unwrap();
    let names = |surfaces: Surfaces| {
        let is_tool =
            |tool: &&ToolDefinition| surfaces == Surfaces::Inclusive || Surface::of(tool) == Surface::Tool;
        registry.tools().filter(is_tool).map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    for surfaces in Surfaces::ALL {
        assert_eq!(
            listed_by_the_program(&["--surfaces", surfaces.as_str()]),
            names(surfaces),
            "{surfaces:?}"
        );
    }
    assert_eq!(listed_by_the_program(&[]), names(Surfaces::default()));
}
