//! What anonymous callers see and can call.

use serde_json::{Value, json};
use tool_core::{
    Context, DynamicTool, Operation, Output, Registry, RegistryBuilder, ToolDefinition, Unmet, tool,
};
use tool_mcp::Server;

use crate::support::{MODERN, modern_body, post};

/// Says who calls.
#[tool(operation = Explain)]
fn who(#[inject] context: Context) -> String {
    context.principal().id().unwrap_or("nobody known").to_owned()
}

/// Remembers the caller for a while.
#[tool(operation = Read, path = "visitor", cache = "1h")]
fn visitor(#[inject] context: Context) -> String {
    who(context)
}

fn unmet() -> Result<(), Unmet> {
    Err(Unmet::new("set KEY"))
}

/// Remembers who called.
#[tool(operation = Read, permission = "memory.read")]
fn remember() {}

/// Is not set up.
#[tool(operation = Read, requires = [unmet])]
fn ask() {}

/// Forgets who called.
#[tool(operation = Write, destructive = true)]
fn forget() {}

/// Sends one request to a new server with these tools.
fn answer(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder, method: &str, params: Value) -> Value {
    let builder = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    answer_of(settings(builder).build().unwrap(), method, params)
}

/// Sends one request to a new server with this registry.
fn answer_of(registry: Registry, method: &str, params: Value) -> Value {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::new(registry).serve_http("127.0.0.1:0")).unwrap();
    let addr = server.local_addr();
    runtime.spawn(server.run_until(std::future::pending()));
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let body = modern_body(method, params).to_string();
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    post(addr, &headers, &body).json()
}

fn result(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder, method: &str, params: Value) -> Value {
    answer(settings, method, params)["result"].take()
}

fn tool_names(settings: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Vec<String> {
    let list = result(settings, "tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// An application may know its callers by something that this server does not see.
#[test]
fn keeps_resources_that_depend_on_the_call_private() {
    let list = result(|builder| builder, "resources/list", json!({}));
    let uris = list["resources"].as_array().unwrap().iter().map(|resource| &resource["uri"]);
    let uri = uris.into_iter().find(|uri| uri.as_str().unwrap().ends_with("/visitor")).unwrap();
    let read = result(|builder| builder, "resources/read", json!({"uri": uri}));
    assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(3_600_000), &json!("private")), "{read}");
}

#[test]
fn treats_http_callers_as_anonymous() {
    let result = result(|builder| builder, "tools/call", json!({"name": "who", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "nobody known");
}

#[test]
fn hides_and_rejects_modifying_tools_when_read_only() {
    assert_eq!(tool_names(|builder| builder), ["forget", "visitor", "who"]);
    assert_eq!(tool_names(RegistryBuilder::read_only), ["visitor", "who"]);
    let result = result(RegistryBuilder::read_only, "tools/call", json!({"name": "forget", "arguments": {}}));
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0]["text"],
        "`forget` was not run: it modifies data, and the registry is read-only"
    );
}

#[test]
fn hides_uncallable_tools_and_explains_the_rejection() {
    // HTTP callers do not get the grants of the local principal.
    let local = || tool_core::Principal::local().grant("memory.read");
    assert_eq!(tool_names(|builder| builder.local(local())), ["forget", "visitor", "who"]);
    for (tool, text) in [
        ("remember", "`remember` needs the permission `memory.read`, which the caller does not have"),
        ("ask", "`ask` cannot run at the moment: set KEY"),
    ] {
        let params = json!({"name": tool, "arguments": {}});
        let result = result(|builder| builder.local(local()), "tools/call", params);
        assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &json!(text)));
    }
}

#[test]
fn reports_hidden_tools_as_unknown() {
    let params = json!({"name": "remember", "arguments": {}});
    let answer = answer(RegistryBuilder::hide_denied, "tools/call", params);
    assert_eq!(answer["error"], json!({"code": -32602, "message": "Tool not found: remember"}));
    // Its name is not suggested, and that of a tool without a permission is.
    let message = |name: &str| {
        let params = json!({"name": name, "arguments": {}});
        self::answer(RegistryBuilder::hide_denied, "tools/call", params)["error"]["message"].take()
    };
    assert_eq!(message("rememer"), "Tool not found: rememer");
    assert_eq!(message("visitr"), "Tool not found: visitr; did you mean `visitor`?");
}

/// The headers of a hidden tool tell nothing of it.
#[test]
fn hides_the_headers_of_hidden_tools() {
    let answer = |name: &str| {
        let schema = json!({
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        });
        let definition =
            ToolDefinition::builder("dig", "Digs.").operation(Operation::Read).input_schema(schema);
        let definition = definition.permission("dig".into()).build().unwrap();
        let dig = DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
        let registry = Registry::builder().tool(dig).hide_denied().build().unwrap();
        let params = json!({"name": name, "arguments": {"region": "north"}});
        answer_of(registry, "tools/call", params).to_string().replace(name, "NAME")
    };
    assert_eq!(answer("dig"), answer("nope"));
}
