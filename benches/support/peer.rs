//! The peer that a call through rmcp's router needs. Only a running service provides one; this service has no client.

use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{CallToolRequestParams, CallToolResponse, RequestId};
use rmcp::service::{RequestContext, serve_directly};
use rmcp::{ErrorData, RoleServer, ServerHandler};

struct EmptyHandler;

impl ServerHandler for EmptyHandler {}

/// A call of a tool with these arguments.
pub fn call<'s, S>(server: &'s S, tool: &'static str, arguments: &str) -> ToolCallContext<'s, S> {
    let (parameters, context) = parts(tool, arguments);
    ToolCallContext::new(server, parameters, context)
}

fn parts(tool: &'static str, arguments: &str) -> (CallToolRequestParams, RequestContext<RoleServer>) {
    let (_, transport) = tokio::io::duplex(64);
    let service = serve_directly::<RoleServer, _, _, _, _>(EmptyHandler, transport, None);
    let arguments = serde_json::from_str(arguments).unwrap();
    let parameters = CallToolRequestParams::new(tool).with_arguments(arguments);
    (parameters, RequestContext::new(RequestId::Number(1), service.peer().clone()))
}

/// Returns the text of the tool, or nothing if it does not exist.
pub fn text(response: Result<CallToolResponse, ErrorData>) -> String {
    let Ok(CallToolResponse::Complete(result)) = response else { return String::new() };
    let response = serde_json::to_value(result).unwrap();
    response["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {response}")).to_owned()
}
