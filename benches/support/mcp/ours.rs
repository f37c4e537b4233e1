//! `ours TOOLS http|stdio|stream`: an echo and others of its kind, through `tool-mcp`; or, as a `stream` over HTTP, one that
//! reports its progress first.

use tool_core::{Context, Registry, tool};
use tool_mcp::Server;

/// Answers what it is told.
#[tool(operation = Transform, open_world = false)]
fn echo(
    /// What to answer.
    text: String,
) -> String {
    text
}

/// Answers what it is told, and reports its progress.
#[tool(operation = Transform, open_world = false)]
fn echo_reported(
    #[inject] context: Context,
    /// What to answer.
    text: String,
) -> String {
    context.progress(1, 2, "halfway");
    text
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport] = [words.next().unwrap(), words.next().unwrap()];
    let registry = match transport.as_str() {
        "stream" => {
            Registry::builder().linked().select(|tool| tool.name() == "echo_reported").build().unwrap()
        }
        _ => registry(tools.parse().unwrap()),
    };
    let server = Server::new(registry).name("bench").version("1.0.0");
    match transport.as_str() {
        "stdio" => server.serve_stdio().await.unwrap(),
        _ => transport::over_http(server.into_axum_router().unwrap()).await,
    }
}

fn registry(tools: usize) -> Registry {
    let wanted = move |name: &str| match name.strip_prefix("other_") {
        Some(number) => number.parse::<usize>().unwrap() < tools,
        None => name == "echo",
    };
    let registry = Registry::builder().linked().select(move |tool| wanted(tool.name())).build().unwrap();
    assert_eq!(registry.tools().len(), tools);
    registry
}
