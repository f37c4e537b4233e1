//! The gateway over MCP, with two available servers and a missing one.

#![expect(clippy::needless_pass_by_value, reason = "JSON literals read better without a borrow")]

mod large;
#[cfg(unix)]
mod processes;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
#[cfg(unix)]
mod telemetry;

use std::sync::Arc;

use gateway::{Settings, server};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::failure::Reason;
use tool_core::results::ResultStore;
use tool_core::{DynamicTool, Failure, FailureKind, Operation, Output, Tool, ToolDefinition};
use tool_mcp::{Changes, Discovery, Server};

struct Gateway {
    url: String,
    _runtime: Runtime,
}

impl Gateway {
    fn start(discovery: Discovery) -> Self {
        let runtime = Runtime::new().unwrap();
        let url = runtime.block_on(async {
            let web = serve(Server::new(tools(&["search", "fetch"])).name("web")).await;
            let disk = serve(Server::new(tools(&["search", "read_file"])).name("disk")).await;
            let config = json!({"mcpServers": {
                "disk": {"url": disk},
                "gone": {"command": "no-such-program-anywhere"},
                "unused": {"command": "never-started"},
                "web": {"url": web},
            }});
            let changes = Changes::new();
            let settings = Settings::parse(&config.to_string(), Some("web,gone,disk")).unwrap();
            let tools = gateway::tools(&settings.upstreams(&changes).unwrap(), Some(&ResultStore::memory()));
            serve(server(tools.unwrap(), &changes, discovery)).await
        });
        Gateway { url, _runtime: runtime }
    }

    fn send(&self, method: &str, mut params: Value) -> Value {
        let name = params["name"].as_str().map(str::to_owned);
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
        serde_json::from_str::<Value>(&text).unwrap()["result"].take()
    }

    /// Calls a tool and returns its structured result.
    fn call(&self, name: &str, arguments: Value) -> Value {
        let mut result = self.send("tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that fails and returns the text of the error.
    fn error_text(&self, name: &str, arguments: Value) -> String {
        let result = self.send("tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

async fn serve(server: Server) -> String {
    let http = server.serve_http("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", http.local_addr());
    tokio::spawn(http.run());
    url
}

/// Returns tools that echo their input and reject empty text.
fn tools(names: &[&'static str]) -> Vec<Arc<dyn Tool>> {
    let tool = |name: &'static str| -> Arc<dyn Tool> {
        let schema =
            json!({"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]});
        let definition = ToolDefinition::builder(name, format!("Will {name}.")).operation(Operation::Read);
        let definition = definition.input_schema(schema).build().unwrap();
        Arc::new(DynamicTool::new(definition, move |_, arguments: Value| async move {
            match arguments["what"].as_str() {
                Some("") => {
                    Err(Failure::new(FailureKind::Failed(Reason::Other), "there is nothing to look for"))
                }
                what => Ok(Output::json(&json!({name: what})).unwrap()),
            }
        }))
    };
    names.iter().map(|name| tool(name)).collect()
}

fn row(server: &str, tool: &str) -> Value {
    json!({"server": server, "tool": tool, "description": format!("Will {tool}."), "readOnly": true})
}

#[test]
fn lists_describes_and_calls_tools_in_two_steps() {
    let gateway = Gateway::start(Discovery::TwoStep);
    let listed = gateway.send("tools/list", json!({}));
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["list_available_tools", "list_tool_details", "call_read_only_tool", "call_tool", "read_result"]
    );

    // Rows follow the order of the servers, not of their names.
    let all = gateway.call("list_available_tools", json!({}));
    let rows = [row("web", "fetch"), row("web", "search"), row("disk", "read_file"), row("disk", "search")];
    assert_eq!(all["tools"], json!(rows));
    assert_eq!(all["total"], 4);
    let reason = "server `gone` is down: it cannot be started: No such file or directory (os error 2)";
    assert_eq!(all["unavailable"], json!([{"server": "gone", "reason": reason}]));

    let one = gateway.call("list_available_tools", json!({"filter_by_server": "disk"}));
    assert_eq!(one, json!({"tools": [row("disk", "read_file"), row("disk", "search")], "total": 2}));
    let empty = gateway.call("list_available_tools", json!({"filter_by_server": ""}));
    assert_eq!(empty, all);
    let found = gateway.call("list_available_tools", json!({"search": "read file", "detailed": true}));
    let schema = json!({"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]});
    let mut detailed = row("disk", "read_file");
    detailed["inputSchema"] = schema.clone();
    assert_eq!(found["tools"][0], detailed);

    let target = |server: &str, tool: &str| json!({"server": server, "tool_name": tool});
    let details = gateway.call("list_tool_details", target("web", "search"));
    assert_eq!(
        details.to_string(),
        json!({"name": "search", "description": "Will search.", "readOnly": true, "inputSchema": schema, "server": "web"})
            .to_string()
    );
    for (server, tool) in [("web", "search"), ("disk", "disk__read_file")] {
        let mut call = target(server, tool);
        call["arguments"] = json!({"what": "rain"});
        let name = tool.trim_start_matches("disk__");
        assert_eq!(gateway.call("call_tool", call), json!({name: "rain"}));
    }
}

#[test]
fn suggests_similar_names_and_forwards_failures() {
    let gateway = Gateway::start(Discovery::TwoStep);
    let down = "server `gone` is down: it cannot be started: No such file or directory (os error 2)";
    for tool in ["list_tool_details", "call_tool"] {
        let error_text =
            |server: &str, name: &str| gateway.error_text(tool, json!({"server": server, "tool_name": name}));
        assert_eq!(
            error_text("dsik", "search"),
            "there is no server `dsik`; there is one with a similar name: `disk`: the servers are `web`, `gone`, `disk`"
        );
        assert_eq!(
            error_text("web", "serach"),
            "there is no tool `serach` on `web`; there is one with a similar name: `search`: the tools are `fetch`, \
             `search`"
        );
        assert_eq!(error_text("gone", "search"), down);
        assert_eq!(
            error_text("web", "read_file"),
            "there is no tool `read_file` on `web`: the tools are `fetch`, `search`"
        );
    }
    assert_eq!(gateway.error_text("list_available_tools", json!({"filter_by_server": "gone"})), down);
    let call = |arguments: Value| {
        gateway
            .error_text("call_tool", json!({"server": "web", "tool_name": "search", "arguments": arguments}))
    };
    assert_eq!(call(json!({"what": ""})), "there is nothing to look for");
    assert!(call(json!({})).starts_with("invalid input for `web__search`: 1 problem\n- /what: missing"));
}

#[test]
fn lists_all_tools_directly() {
    let gateway = Gateway::start(Discovery::Direct);
    let listed = gateway.send("tools/list", json!({}));
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["disk__read_file", "disk__search", "read_result", "web__fetch", "web__search"]);
    assert_eq!(listed["tools"][0]["annotations"]["readOnlyHint"], true);
    assert_eq!(gateway.call("web__fetch", json!({"what": "rain"})), json!({"fetch": "rain"}));
    let absent = gateway.error_text("gone__search", json!({}));
    assert!(absent.starts_with("server `gone` is down: "), "{absent}");
}
