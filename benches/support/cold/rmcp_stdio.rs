//! A server of rmcp with one tool, on stdio.

use rmcp::handler::server::wrapper::Parameters;
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
    let service = Hello.serve(rmcp::transport::stdio()).await.unwrap();
    service.waiting().await.unwrap();
}
