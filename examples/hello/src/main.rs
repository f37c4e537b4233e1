//! One function as a command, an HTTP endpoint and an MCP tool: the program of the README.

use std::process::ExitCode;
use tool_cli::App;
use tool_core::{Registry, tool};

/// Converts a temperature from Celsius to Fahrenheit.
#[tool(operation = Transform, open_world = false)]
fn fahrenheit(
    /// Degrees Celsius.
    #[arg(range(min = -273.15), example = 21.5)]
    celsius: f64,
) -> f64 {
    celsius * 1.8 + 32.0
}

#[tokio::main]
async fn main() -> ExitCode {
    let tools = Registry::collect().expect("the declarations are valid");
    App::new("hello", tools.clone())
        .version(env!("CARGO_PKG_VERSION"))
        .server("http", tool_http::Server::new(tools.clone()))
        .server("mcp", tool_mcp::Server::new(tools))
        .run()
        .await
}
