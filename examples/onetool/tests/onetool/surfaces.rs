//! The operations and surfaces of every tool, as a client sees them.

use std::collections::BTreeSet;

use onetool::Settings;
use serde_json::{Value, json};
use tool_core::Operation;
use tool_core::address::Surface;
use tool_mcp::Surfaces;

use crate::registry;

/// Tool, operation, surface, listed as a tool by default, listed as a tool by an exclusive server.
const TABLE: [(&str, Operation, &str, bool, bool); 4] = [
    ("brave_web_search", Operation::Read, "tool", true, true),
    ("explain_blocks", Operation::Explain, "resource", true, false),
    ("run", Operation::Trigger, "tool", true, true),
    ("web_fetch", Operation::Read, "tool", true, true),
];

#[test]
fn derives_surfaces_from_operation_and_inputs() {
    let registry = registry();
    let found: Vec<(&str, Operation, &str)> = registry
        .tools()
        .map(|tool| {
            let surface = match Surface::of(tool) {
                Surface::Resource(_) => "resource",
                Surface::ResourceTemplate(_) => "resource template",
                _ => "tool",
            };
            (tool.name(), tool.operation().unwrap(), surface)
        })
        .collect();
    assert_eq!(found, TABLE.map(|(name, operation, surface, _, _)| (name, operation, surface)));
}

#[tokio::test]
async fn lists_every_tool_by_default() {
    let running = RunningServer::start(Surfaces::Inclusive).await;
    let tools = TABLE.iter().filter(|row| row.3).map(|row| row.0);
    assert_eq!(running.names("tools/list", "tools", "name").await, tools.map(str::to_owned).collect());
    running.assert_resources().await;
    let answer = running.call("explain_blocks").await;
    assert_eq!(answer["result"]["structuredContent"]["marker"], "__onetool__run", "{answer}");
}

#[tokio::test]
async fn lists_each_tool_on_one_surface_if_exclusive() {
    let running = RunningServer::start(Surfaces::Exclusive).await;
    let tools = TABLE.iter().filter(|row| row.4).map(|row| row.0);
    assert_eq!(running.names("tools/list", "tools", "name").await, tools.map(str::to_owned).collect());
    running.assert_resources().await;
    let answer = running.call("explain_blocks").await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// An MCP server in this process.
struct RunningServer {
    endpoint: String,
}

impl RunningServer {
    async fn start(surfaces: Surfaces) -> Self {
        let server = onetool::server(registry(), Settings::default().words().unwrap()).surfaces(surfaces);
        let server = server.serve_http("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/mcp", server.local_addr());
        tokio::spawn(server.run());
        RunningServer { endpoint }
    }

    /// Asserts the resources and templates, which do not depend on the list of tools.
    async fn assert_resources(&self) {
        let resources = ["onetool://explain_blocks", "onetool://tools"].map(str::to_owned);
        assert_eq!(self.names("resources/list", "resources", "uri").await, resources.into());
        let templates = self.names("resources/templates/list", "resourceTemplates", "uriTemplate").await;
        assert_eq!(templates, ["onetool://tool/{name}".to_owned()].into());
    }

    /// Lists items and returns one member of each.
    async fn names(&self, method: &str, list: &str, member: &str) -> BTreeSet<String> {
        let answer = self.send_mcp(method, None, json!({})).await;
        let items = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
        items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
    }

    async fn call(&self, tool: &str) -> Value {
        self.send_mcp("tools/call", Some(tool), json!({"name": tool, "arguments": {}})).await
    }

    async fn send_mcp(&self, method: &str, name: Option<&str>, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let client = crate::http::client().build().unwrap();
        let request = client
            .post(&self.endpoint)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        let request = name.into_iter().fold(request, |request, name| request.header("mcp-name", name));
        let answer = request.body(body.to_string()).send().await.unwrap().bytes().await.unwrap();
        serde_json::from_slice(&answer).unwrap()
    }
}
