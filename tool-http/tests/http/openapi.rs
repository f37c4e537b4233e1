//! The document `openapi.json`.

use axum::Router;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::{
    DynamicTool, Operation, Output, Principal, Registry, ToolDefinition, ToolError, tool, tools,
};
use tool_http::{Options, router_with};

use crate::client::get;
use crate::tools::registry;

/// A list that ends, or goes on.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
struct Chain {
    value: i64,
    next: Option<Box<Chain>>,
}

/// Sums a chain up.
///
/// ```tool
/// {"chain": {"value": 7}}
/// ```
#[tool(operation = Transform, title = "Sum", open_world = false, tags = ["sums"])]
#[deprecated]
fn sum_chain(chain: Chain, #[arg(default)] twice: bool) -> Chain {
    let _ = twice;
    chain
}

async fn document(registry: Registry, options: Options) -> Value {
    let answer = get(&router_with(registry, options), "/openapi.json").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    serde_json::from_str(&answer.body).unwrap()
}

fn chain() -> Registry {
    Registry::builder().linked().select(|tool| tool.name() == "sum_chain").build().unwrap()
}

#[tokio::test]
async fn maps_each_tool_to_one_operation() {
    let document = document(registry(), Options::new().allow_execute(true).title("Sums")).await;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "Sums");
    assert_eq!(document["servers"], json!([{"url": "."}]));
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    let expected = [
        "/tools",
        "/tools/{name}",
        "/tools/{name}/inputs",
        "/tools/{name}/validate",
        "/tools/{name}/complete",
    ];
    assert_eq!(paths[..5], expected);
    let calls: Vec<String> = registry().tools().map(|tool| format!("/tools/{}/call", tool.name())).collect();
    let (called, read): (Vec<&String>, Vec<&String>) = paths[5..]
        .iter()
        .filter(|path| path.starts_with("/tools/"))
        .partition(|path| path.ends_with("/call"));
    assert!(called.into_iter().eq(&calls), "{paths:?}");
    // Only tools that read have a result at an address.
    let readable =
        |tool: &&ToolDefinition| matches!(tool.operation(), Some(Operation::Explain | Operation::Read));
    let results: Vec<String> =
        registry().tools().filter(readable).map(|tool| format!("/tools/{}/result", tool.name())).collect();
    assert!(!results.is_empty() && read.into_iter().eq(&results), "{paths:?}");
    for tool in registry().tools() {
        let operation = &document["paths"][format!("/tools/{}/call", tool.name())]["post"];
        assert_eq!(operation["operationId"], tool.name());
        assert_eq!(operation["description"], tool.description());
        let statuses: Vec<&String> = operation["responses"].as_object().unwrap().keys().collect();
        let all = [
            "200", "400", "403", "404", "408", "409", "413", "415", "422", "429", "500", "501", "503", "504",
        ];
        assert_eq!(statuses, all);
    }
}

#[tokio::test]
async fn renders_an_operation_exactly() {
    let document = document(chain(), Options::new().allow_execute(true)).await;
    let operation = &document["paths"]["/tools/sum_chain/call"]["post"];
    assert_eq!(operation["summary"], "Sum");
    assert_eq!(operation["tags"], json!(["sums"]));
    assert_eq!(operation["deprecated"], true);
    assert_eq!(
        operation["requestBody"],
        json!({
            "description": "The arguments; none count as `{}`.",
            "required": true,
            "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/sum_chain.input"},
                "examples": {"example1": {"value": {"chain": {"value": 7}}}},
            }},
        })
    );
    let input = &document["components"]["schemas"]["sum_chain.input"];
    // References into the schema of a tool are rewritten; optional inputs may be null, as in a call.
    let text = input.to_string();
    assert!(text.contains(r##""$ref":"#/components/schemas/sum_chain.input.Chain""##), "{text}");
    assert_eq!(
        input["properties"]["twice"],
        json!({"anyOf": [{"type": "boolean", "default": false}, {"type": "null"}]})
    );
    assert_eq!(document["tags"][1], json!({"name": "sums"}));
    let success = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(
        success["properties"]["structuredContent"],
        json!({"$ref": "#/components/schemas/sum_chain.output"})
    );
}

/// Finds chains.
#[tool(operation = Read)]
fn find_chains(
    /// Its first value.
    first: i64,
    tags: Vec<String>,
    like: Option<Chain>,
) -> Result<Vec<Chain>, ToolError> {
    Err(ToolError::not_found(format!("no chain begins with {first}, {tags:?}, {}", like.is_some())))
}

/// Describes chains.
#[tool(operation = Explain)]
fn describe_chains() -> &'static str {
    "A chain has values"
}

#[tokio::test]
async fn describes_results_with_one_parameter_for_each_input() {
    let registry = Registry::builder().tools(tools![find_chains, describe_chains]).build().unwrap();
    let document = document(registry, Options::new().allow_execute(true)).await;
    let operation = &document["paths"]["/tools/find_chains/result"]["get"];
    assert_eq!(operation["operationId"], "find_chains.result");
    let parameters = operation["parameters"].as_array().unwrap();
    assert_eq!(
        parameters[0],
        json!({
            "name": "first", "in": "query", "required": true, "description": "Its first value.",
            "schema": {"description": "Its first value.", "type": "integer"},
        })
    );
    // A list repeats its name; a structure is JSON.
    assert_eq!((&parameters[1]["name"], &parameters[1]["schema"]["type"]), (&json!("tags"), &json!("array")));
    assert_eq!(parameters[2]["name"], "like");
    let like = &parameters[2]["schema"];
    assert_eq!((&like["type"], &like["contentMediaType"]), (&json!("string"), &json!("application/json")));
    assert_eq!(
        like["contentSchema"]["properties"]["next"],
        json!({"$ref": "#/components/schemas/find_chains.input.Chain"})
    );
    // The value itself, although structured content of MCP wraps a list.
    let content = &operation["responses"]["200"]["content"];
    let schema = json!({"$ref": "#/components/schemas/find_chains.result"});
    assert_eq!(content, &json!({"application/json": {"schema": schema}}));
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["find_chains.output"]["properties"], json!({"result": schema}));
    assert_eq!(schemas["find_chains.result"]["type"], "array");
    let operation = &document["paths"]["/tools/describe_chains/result"]["get"];
    assert_eq!(
        operation["responses"]["200"]["content"],
        json!({"text/plain": {"schema": {"type": "string"}}, "*/*": {"schema": {}}})
    );
    let mut found = Vec::new();
    dangling(&document, &document, &mut found);
    assert!(found.is_empty(), "{found:?}");
}

/// Asserts that each `$ref` resolves within the document.
/// A revision of a node.
#[tool(operation = Read, path = "nœud/{id}/revision/{number}")]
fn node_at(
    /// The node.
    #[arg(locator)]
    id: String,
    #[arg(locator)] number: u32,
) -> Chain {
    Chain { value: i64::from(number) + id.len() as i64, next: None }
}

/// A tool whose address is a route.
#[tool(operation = Read, path = "tools")]
fn tools_route() {}

#[tokio::test]
async fn describes_results_at_addresses() {
    let registry = Registry::builder().tools(tools![node_at, tools_route, describe_chains, find_chains]);
    let document = document(registry.build().unwrap(), Options::new().allow_execute(true)).await;
    let operation = &document["paths"]["/n%C5%93ud/{id}/revision/{number}"]["get"];
    assert_eq!(operation["operationId"], "node_at.at");
    assert_eq!(
        operation["parameters"][0],
        json!({
            "name": "id", "in": "path", "required": true, "description": "The node.",
            "schema": {"description": "The node.", "type": "string"},
        })
    );
    let by_name = &document["paths"]["/tools/node_at/result"]["get"];
    assert_eq!(operation["responses"], by_name["responses"]);
    assert_eq!(document["paths"]["/describe_chains"]["get"]["operationId"], "describe_chains.at");
    assert_eq!(document["paths"]["/tools"]["get"]["operationId"], "discovery:listTools");
    assert!(document["paths"]["/find_chains"].is_null(), "it has an input that is no locator");
}

fn dangling(value: &Value, document: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref")
                && document.pointer(reference.trim_start_matches('#')).is_none()
            {
                found.push(reference.clone());
            }
            members.values().for_each(|member| dangling(member, document, found));
        }
        Value::Array(items) => items.iter().for_each(|item| dangling(item, document, found)),
        _ => {}
    }
}

#[tokio::test]
async fn resolves_every_reference() {
    for registry in [registry(), chain(), Registry::builder().allow_empty().build().unwrap()] {
        let document = document(registry, Options::new()).await;
        let mut found = Vec::new();
        dangling(&document, &document, &mut found);
        assert_eq!(found, [""; 0]);
    }
}

#[tokio::test]
async fn describes_authentication() {
    let bearer = || Bearer::new().token("swordfish-of-room-1", Principal::new("ada")).unwrap();
    let open = document(chain(), Options::new()).await;
    assert!(open["components"].get("securitySchemes").is_none() && !open.to_string().contains("\"401\""));

    let options = Options::new().authenticator(bearer());
    let calls = document(chain(), options.clone()).await;
    let caller = json!({"caller": {"type": "http", "scheme": "bearer"}});
    assert_eq!(calls["components"]["securitySchemes"], caller);
    let call = &calls["paths"]["/tools/sum_chain/call"]["post"];
    assert_eq!(call["security"], json!([{"caller": []}]));
    assert!(call["responses"].get("401").is_some());
    // Anonymous callers see the tools, too.
    let list = &calls["paths"]["/tools"]["get"];
    assert_eq!(list["security"], json!([{}, {"caller": []}]));
    assert!(list["responses"].get("401").is_none());
    assert!(open["paths"]["/tools"]["get"].get("security").is_none());

    let router: Router =
        router_with(chain(), options.protect_discovery(true)).layer(axum::Extension(Principal::new("ada")));
    let all: Value = serde_json::from_str(&get(&router, "/openapi.json").await.body).unwrap();
    for (path, method) in [("/tools", "get"), ("/tools/{name}", "get"), ("/tools/{name}/validate", "post")] {
        let operation = &all["paths"][path][method];
        assert_eq!(operation["security"], json!([{"caller": []}]), "{path}");
        assert!(operation["responses"].get("401").is_some(), "{path}");
    }
}

/// Returns the IDs of all operations.
fn identifiers(document: &Value) -> Vec<&str> {
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    operations.filter_map(|operation| operation.get("operationId")?.as_str()).collect()
}

#[tokio::test]
async fn keeps_operation_ids_unique() {
    let none = document(Registry::builder().allow_empty().build().unwrap(), Options::new()).await;
    let own = identifiers(&none);
    assert_eq!(own.len(), 5);
    // No tool name contains this character.
    assert!(own.iter().all(|identifier| identifier.contains(':')), "{own:?}");

    let names = ["listTools", "getTool", "getToolInputs", "validateArguments", "completeArgument"];
    let tool = |name: &str| {
        let definition = ToolDefinition::builder(name, "Does nothing.").build().unwrap();
        DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) })
    };
    let registry = names.iter().fold(Registry::builder(), |builder, name| builder.tool(tool(name)));
    let all = document(registry.build().unwrap(), Options::new()).await;
    let mut identifiers = identifiers(&all);
    assert_eq!(identifiers.len(), own.len() + names.len());
    identifiers.sort_unstable();
    identifiers.dedup();
    assert_eq!(identifiers.len(), own.len() + names.len(), "{identifiers:?}");
}

#[tokio::test]
async fn describes_list_headers() {
    let document = document(registry(), Options::new()).await;
    let headers = document["paths"]["/tools"]["get"]["responses"]["200"]["headers"].as_object().unwrap();
    assert!(headers.keys().eq(["ETag", "Link", "Tools-Skipped"]), "{headers:?}");
}
