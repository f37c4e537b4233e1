//! A server with one tool: on stdio, or over HTTP at an address.

use tool_core::{Registry, tool};
use tool_mcp::Server;

/// Converts a temperature from Celsius to Fahrenheit.
#[tool(operation = Transform, open_world = false)]
fn fahrenheit(
    /// Degrees Celsius.
    celsius: f64,
) -> f64 {
    celsius * 1.8 + 32.0
}

#[tokio::main]
async fn main() {
    let server = Server::new(Registry::collect().unwrap()).name("hello").version("1.0.0");
    let served = match std::env::args().nth(1) {
        Some(addr) => server.serve_http(&*addr).await.unwrap().run().await,
        None => server.serve_stdio().await,
    };
    served.unwrap();
}
