//! Providers whose tools change between requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::provider::{DiscoveryError, IntoToolsProvider as _, Provider};
use tool_core::{DynamicTool, Operation, Output, Tool, ToolDefinition};

use tool_mcp::Discovery;

use crate::support::TestServer;

fn tool(name: String) -> Arc<dyn Tool> {
    let definition =
        ToolDefinition::builder(name, "One of several.").operation(Operation::Explain).build().unwrap();
    Arc::new(DynamicTool::new(definition, |cx: tool_core::Context, _: Value| async move {
        Ok(Output::text(cx.tool().to_owned()))
    }))
}

/// Only a call parses the schema of a tool, not listing, searching or reading.
#[test]
fn keeps_uncalled_tools_as_text() {
    let definition = |number: usize| {
        let schema =
            json!({"type": "object", "properties": {"day": {"type": "string", "description": "Which day."}}});
        ToolDefinition::builder(format!("tell_{number}"), "Tells.").input_schema(schema).build().unwrap()
    };
    let definitions: Vec<ToolDefinition> = (0..3).map(definition).collect();
    let provider = |definitions: &[ToolDefinition]| {
        let tool = |definition: &ToolDefinition| -> Arc<dyn Tool> {
            Arc::new(DynamicTool::new(definition.clone(), |_, _: Value| async { Ok(Output::text("told")) }))
        };
        definitions.iter().map(tool).collect::<Vec<_>>().into_provider()
    };
    let detached = |definitions: &[ToolDefinition]| -> Vec<bool> {
        definitions.iter().map(|tool| tool.detached().ptr_eq(tool)).collect()
    };
    let direct = TestServer::with_provider(provider(&definitions), |server| server.page_size(2));
    let whole = TestServer::with_provider(provider(&definitions), |server| server);
    for listing in [&direct, &whole] {
        assert_eq!(
            listing.request_modern("tools/list", json!({})).json()["result"]["tools"][0]["name"],
            "tell_0"
        );
        let tools = listing.request_modern("resources/read", json!({"uri": "fixture://tools"})).json();
        assert!(
            tools["result"]["contents"][0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("tell_2(day?: string)")),
            "{tools}"
        );
    }
    let search =
        TestServer::with_provider(provider(&definitions), |server| server.discovery(Discovery::TwoStep));
    for arguments in [json!({"detailed": true}), json!({"search": "day", "detailed": true})] {
        let result = search.call_modern("list_available_tools", arguments);
        assert_eq!(result["result"]["structuredContent"]["total"], 3, "{result}");
    }
    let details = json!({"server": "fixture", "tool_name": "tell_2"});
    let result = search.call_modern("list_tool_details", details);
    assert!(
        result["result"]["structuredContent"]["inputSchema"]["properties"]["day"].is_object(),
        "{result}"
    );
    assert_eq!(detached(&definitions), [false, false, false]);
    // A called tool keeps its parsed schema.
    assert_eq!(whole.call_modern("tell_1", json!({"day": "today"}))["result"]["content"][0]["text"], "told");
    assert_eq!(detached(&definitions), [false, true, false]);
}

/// Provides one more tool with each query, and fails at the third.
fn growing() -> (Provider, Arc<AtomicUsize>) {
    let queries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&queries);
    let provider = move || {
        let query = counted.fetch_add(1, Ordering::SeqCst) + 1;
        std::future::ready(match query {
            3 => Err(DiscoveryError::new("a secret of the upstream")),
            query => Ok((0..query).map(|n| tool(format!("tool_{n}"))).collect::<Vec<_>>()),
        })
    };
    (provider.into_provider(), queries)
}

#[test]
fn sets_no_ttl_for_dynamic_providers() {
    let registry = crate::tools::registry(Arc::default());
    let current = registry.clone();
    let varying = (move || current.clone()).into_provider();
    for (provider, ttl) in [(varying, 0), (registry.into_provider(), 60_000)] {
        let server = TestServer::with_provider(provider, |server| server);
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            for _ in 0..2 {
                assert_eq!(
                    server.request_modern(method, json!({})).json()["result"]["ttlMs"],
                    ttl,
                    "{method}"
                );
            }
        }
        let uri = "fixture://tools";
        assert_eq!(
            server.request_modern("resources/read", json!({"uri": uri})).json()["result"]["ttlMs"],
            ttl
        );
    }
}

#[test]
fn queries_the_provider_once_per_request() {
    let (provider, queries) = growing();
    // Once at the start.
    let server = TestServer::with_provider(provider, |server| server);
    assert_eq!(queries.load(Ordering::SeqCst), 1);
    let listed = |method: &str, member: &str| {
        let answer = server.request_modern(method, json!({})).json();
        // Changing lists are not cacheable.
        assert!(answer.get("error").is_some() || answer["result"]["ttlMs"] == 0, "{answer}");
        answer["result"][member].as_array().map(Vec::len).ok_or(answer["error"].clone())
    };
    assert_eq!(listed("tools/list", "tools"), Ok(2));
    // A failure is an error, not an empty list, and hides its cause.
    let error = json!({"code": -32603, "message": "Internal error discovering tools"});
    assert_eq!(listed("tools/list", "tools"), Err(error));
    assert_eq!(listed("tools/list", "tools"), Ok(4));
    assert_eq!(listed("resources/list", "resources"), Ok(1 + 5));
    assert_eq!(server.call_modern("tool_5", json!({}))["result"]["content"][0]["text"], "tool_5");
    assert_eq!(server.call_modern("tool_9", json!({}))["error"]["code"], -32602);
    let read = server.request_modern("resources/read", json!({"uri": "fixture://tool_7"})).json();
    assert_eq!(read["result"]["contents"][0]["text"], "tool_7");
    assert_eq!(queries.load(Ordering::SeqCst), 8);
}
