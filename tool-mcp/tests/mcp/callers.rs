//! Who a call is made by, and what is shown to whom.

use serde_json::{Value, json};
use tool_core::{Builder, Context, Registry, tool};
use tool_mcp::Server;

use crate::support::{MODERN, modern_body, post};

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody known").to_owned()
}

/// Forgets who called.
#[tool(operation = Write, destructive = true)]
fn forget() {}

/// The result of one request to a server of these tools.
fn result(settings: impl FnOnce(Builder) -> Builder, method: &str, params: Value) -> Value {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    let registry = settings(builder).build().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::new(registry).serve_http("127.0.0.1:0")).unwrap();
    let addr = server.local_addr();
    runtime.spawn(server.run_until(std::future::pending()));
    let name = params["name"].as_str().map(str::to_owned);
    let body = modern_body(method, params).to_string();
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    post(addr, &headers, &body).json()["result"].take()
}

fn listed(settings: impl FnOnce(Builder) -> Builder) -> Vec<String> {
    let list = result(settings, "tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn whoever_sends_a_request_is_anonymous() {
    let result = result(|builder| builder, "tools/call", json!({"name": "who", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "nobody known");
}

#[test]
fn what_modifies_is_neither_listed_nor_run_while_the_registry_is_read_only() {
    assert_eq!(listed(|builder| builder), ["forget", "who"]);
    assert_eq!(listed(Builder::read_only), ["who"]);
    let result = result(Builder::read_only, "tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0]["text"],
        "`forget` was not run: it modifies, and this registry is read only"
    );
}
