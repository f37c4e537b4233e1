//! `tower TOOLS http|stdio`: an echo and others of its kind, through the builder of tower-mcp.

use schemars::JsonSchema;
use serde::Deserialize;
use tower_mcp::transport::http::HttpTransport;
use tower_mcp::{CallToolResult, McpRouter, StdioTransport, ToolBuilder};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to answer.
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport] = [words.next().unwrap(), words.next().unwrap()];
    let router = McpRouter::new().server_info("bench", "1.0.0");
    let router = (0..tools.parse().unwrap()).map(tool).fold(router, McpRouter::tool);
    match transport.as_str() {
        "stdio" => StdioTransport::new(router).run().await.unwrap(),
        _ => transport::over_http(HttpTransport::new(router).into_router()).await,
    }
}

fn tool(number: usize) -> tower_mcp::Tool {
    let (name, description) = match number {
        0 => ("echo".to_owned(), "Answers what it is told.".to_owned()),
        _ => (format!("other_{number}"), format!("Answers what it is told, by method {number}.")),
    };
    ToolBuilder::new(name)
        .description(description)
        .handler(|Echo { text }: Echo| async move { Ok(CallToolResult::text(text)) })
        .build()
}
