//! The table of operations and surfaces, for every tool of the example, as a client is shown it.

use std::collections::BTreeSet;

use onetool::Settings;
use serde_json::{Value, json};
use tool_core::Operation;
use tool_core::address::Surface;
use tool_mcp::Surfaces;

use crate::registry;

/// Tool, operation, surface by the table, in the list of tools by default, in the list of tools of an exclusive server.
const TABLE: [(&str, Operation, &str, bool, bool); 4] = [
    ("brave_web_search", Operation::Read, "tool", true, true),
    ("explain_blocks", Operation::Explain, "resource", true, false),
    ("run", Operation::Trigger, "tool", true, true),
    ("web_fetch", Operation::Read, "tool", true, true),
];

#[test]
fn every_tool_has_the_surface_of_its_operation_and_inputs() {
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
async fn by_default_everything_is_a_tool_and_what_is_read_a_resource_too() {
    let served = Served::start(Surfaces::Inclusive).await;
    let tools = TABLE.iter().filter(|row| row.3).map(|row| row.0);
    assert_eq!(served.names("tools/list", "tools", "name").await, tools.map(str::to_owned).collect());
    served.holds_resources().await;
    let answer = served.call("explain_blocks").await;
    assert_eq!(answer["result"]["structuredContent"]["marker"], "__onetool__run", "{answer}");
}

#[tokio::test]
async fn an_exclusive_server_keeps_to_the_table() {
    let served = Served::start(Surfaces::Exclusive).await;
    let tools = TABLE.iter().filter(|row| row.4).map(|row| row.0);
    assert_eq!(served.names("tools/list", "tools", "name").await, tools.map(str::to_owned).collect());
    served.holds_resources().await;
    let answer = served.call("explain_blocks").await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// A server in this process.
struct Served {
    endpoint: String,
}

impl Served {
    async fn start(surfaces: Surfaces) -> Self {
        let server = onetool::server(registry(), Settings::default().words().unwrap()).surfaces(surfaces);
        let server = server.serve_http("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/mcp", server.local_addr());
        tokio::spawn(server.run());
        Served { endpoint }
    }

    /// The resources and templates are the same, whatever is a tool as well.
    async fn holds_resources(&self) {
        let resources = ["onetool://explain_blocks", "onetool://tools"].map(str::to_owned);
        assert_eq!(self.names("resources/list", "resources", "uri").await, resources.into());
        let templates = self.names("resources/templates/list", "resourceTemplates", "uriTemplate").await;
        assert_eq!(templates, ["onetool://tool/{name}".to_owned()].into());
    }

    /// One member of each item of a list.
    async fn names(&self, method: &str, list: &str, member: &str) -> BTreeSet<String> {
        let answer = self.ask(method, None, json!({})).await;
        let items = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
        items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
    }

    async fn call(&self, tool: &str) -> Value {
        self.ask("tools/call", Some(tool), json!({"name": tool, "arguments": {}})).await
    }

    async fn ask(&self, method: &str, name: Option<&str>, mut params: Value) -> Value {
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
