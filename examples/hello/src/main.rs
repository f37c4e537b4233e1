//! One function as a command, an HTTP endpoint and an MCP tool: the program of the README.

use std::process::ExitCode;
use tool_cli::{App, ServeOptions, Server};
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
    let (http, mcp) = (tools.clone(), tool_mcp::Server::new(tools.clone()));
    let http = Server::new(async move |serve: ServeOptions| {
        let options = tool_http::Options::new().allow_execute(serve.allow_execute);
        let server = tool_http::Server::bind(http, serve.addr.ok_or("no address")?, options).await?;
        serve.listening(server.local_addr());
        server.run(serve.shutdown()).await;
        Ok(())
    });
    let http = http.addr(([127, 0, 0, 1], 8080)).allow_execute();
    let mcp = mcp.name("hello").version(env!("CARGO_PKG_VERSION"));
    let mcp = Server::new(async move |_| Ok(mcp.serve_stdio().await?));
    App::new("hello", tools).server("http", http).server("mcp", mcp.mcp_stdio()).run().await
}
