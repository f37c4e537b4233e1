//! `rmcp-… TOOLS http|stdio`: an echo and others of its kind, through rmcp's macros.

use std::sync::Arc;

use axum::Router;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to answer.
    text: String,
}

/// One endpoint for both eras, with the allow-lists that a server on this machine wants and no stream where none is
/// needed: as `tool-mcp` is set up.
fn endpoint<S: ServerHandler>(server: S) -> Router {
    let shared = Arc::new(server);
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_hosts(["localhost", "127.0.0.1", "[::1]"])
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]);
    let service = StreamableHttpService::new(
        move || Ok(Arc::clone(&shared)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().route_service("/", service)
}

async fn serve<S: ServerHandler>(server: S, transport: &str) {
    match transport {
        "stdio" => {
            let running = server.serve(rmcp::transport::stdio_pipes()).await.unwrap();
            drop(running.waiting().await);
        }
        _ => transport::over_http(endpoint(server)).await,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut words = std::env::args().skip(1);
    let [tools, transport] = [words.next().unwrap(), words.next().unwrap()];
    match tools.as_str() {
        "10" => serve(few::Server::new(), &transport).await,
        "100" => serve(more::Server::new(), &transport).await,
        _ => serve(many::Server::new(), &transport).await,
    }
}
