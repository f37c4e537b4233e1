//! A server of rmcp with one tool: on stdio, or over HTTP at an address.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Celsius {
    /// Degrees Celsius.
    celsius: f64,
}

#[derive(Clone)]
struct Hello;

#[tool_router(server_handler)]
impl Hello {
    /// Converts a temperature from Celsius to Fahrenheit.
    #[tool]
    fn fahrenheit(&self, Parameters(Celsius { celsius }): Parameters<Celsius>) -> String {
        (celsius * 1.8 + 32.0).to_string()
    }
}

#[tokio::main]
async fn main() {
    let Some(addr) = std::env::args().nth(1) else {
        let service = Hello.serve(rmcp::transport::stdio()).await.unwrap();
        service.waiting().await.unwrap();
        return;
    };
    let sessions = LocalSessionManager::default();
    let service = StreamableHttpService::new(|| Ok(Hello), sessions.into(), Default::default());
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(addr).await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
