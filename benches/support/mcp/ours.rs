//! `ours TOOLS http|stdio`: an echo and others of its kind, through `tool-mcp`.

use tool_core::{Registry, tool};
use tool_mcp::Server;

/// Answers what it is told.
#[tool(operation = Transform, open_world = false)]
fn echo(
    /// What to answer.
    text: String,
) -> String {
    text
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport] = [words.next().unwrap(), words.next().unwrap()];
    let server = Server::new(registry(tools.parse().unwrap())).name("bench").version("1.0.0");
    match transport.as_str() {
        "stdio" => server.serve_stdio().await.unwrap(),
        _ => transport::over_http(server.into_axum_router().unwrap()).await,
    }
}

fn registry(tools: usize) -> Registry {
    let wanted = move |name: &str| name.strip_prefix("other_").is_none_or(|n| n.parse::<usize>().unwrap() < tools);
    let registry = Registry::builder().linked().select(move |tool| wanted(tool.name())).build().unwrap();
    assert_eq!(registry.tools().len(), tools);
    registry
}
