//! Tools that come and go: what provides them is asked once a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tool_core::provider::{DiscoveryError, IntoToolsProvider as _, Provider};
use tool_core::{DynamicTool, Operation, Output, Tool, ToolDefinition};

use tool_mcp::Discovery;

use crate::support::Served;

fn tool(name: String) -> Arc<dyn Tool> {
    let definition =
        ToolDefinition::builder(name, "One of several.").operation(Operation::Explain).build().unwrap();
    Arc::new(DynamicTool::new(definition, |cx: tool_core::Context, _: Value| async move {
        Ok(Output::text(cx.tool().to_owned()))
    }))
}

/// Of tools that nobody calls, nothing but their text is kept, however they are listed, searched and read.
#[test]
fn what_is_only_looked_at_is_kept_as_text() {
    let definition = |number: usize| {
        let schema =
            json!({"type": "object", "properties": {"day": {"type": "string", "description": "Which day."}}});
        ToolDefinition::builder(format!("tell_{number}"), "Tells.").input_schema(schema).build().unwrap()
    };
    let definitions: Vec<ToolDefinition> = (0..3).map(definition).collect();
    let served = |definitions: &[ToolDefinition]| {
        let tool = |definition: &ToolDefinition| -> Arc<dyn Tool> {
            Arc::new(DynamicTool::new(definition.clone(), |_, _: Value| async { Ok(Output::text("told")) }))
        };
        definitions.iter().map(tool).collect::<Vec<_>>().into_provider()
    };
    let kept = |definitions: &[ToolDefinition]| -> Vec<bool> {
        definitions.iter().map(|tool| tool.detached().ptr_eq(tool)).collect()
    };
    let direct = Served::providing(served(&definitions), |server| server.page_size(2));
    let whole = Served::providing(served(&definitions), |server| server);
    for listing in [&direct, &whole] {
        assert_eq!(listing.modern("tools/list", json!({})).json()["result"]["tools"][0]["name"], "tell_0");
        let tools = listing.modern("resources/read", json!({"uri": "fixture://tools"})).json();
        assert!(
            tools["result"]["contents"][0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("tell_2(day?: string)")),
            "{tools}"
        );
    }
    let two_steps = Served::providing(served(&definitions), |server| server.discovery(Discovery::TwoStep));
    for arguments in [json!({"detailed": true}), json!({"search": "day", "detailed": true})] {
        let told = two_steps.call_modern("list_available_tools", arguments);
        assert_eq!(told["result"]["structuredContent"]["total"], 3, "{told}");
    }
    let details = json!({"server": "fixture", "tool_name": "tell_2"});
    let told = two_steps.call_modern("list_tool_details", details);
    assert!(told["result"]["structuredContent"]["inputSchema"]["properties"]["day"].is_object(), "{told}");
    assert_eq!(kept(&definitions), [false, false, false]);
    // One that is called is checked against its schema from then on.
    assert_eq!(whole.call_modern("tell_1", json!({"day": "today"}))["result"]["content"][0]["text"], "told");
    assert_eq!(kept(&definitions), [false, true, false]);
}

/// Has one tool more each time that it is asked, and none at the third time.
fn growing() -> (Provider, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let provider = move || {
        let asked = counted.fetch_add(1, Ordering::SeqCst) + 1;
        std::future::ready(match asked {
            3 => Err(DiscoveryError::new("a secret of the upstream")),
            asked => Ok((0..asked).map(|n| tool(format!("tool_{n}"))).collect::<Vec<_>>()),
        })
    };
    (provider.into_provider(), asked)
}

#[test]
fn a_list_that_may_change_is_not_kept_even_before_it_has_changed() {
    let registry = crate::tools::registry(Arc::default());
    let asked = registry.clone();
    let varying = (move || asked.clone()).into_provider();
    for (provider, ttl) in [(varying, 0), (registry.into_provider(), 60_000)] {
        let served = Served::providing(provider, |server| server);
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            for _ in 0..2 {
                assert_eq!(served.modern(method, json!({})).json()["result"]["ttlMs"], ttl, "{method}");
            }
        }
        let uri = "fixture://tools";
        assert_eq!(served.modern("resources/read", json!({"uri": uri})).json()["result"]["ttlMs"], ttl);
    }
}

#[test]
fn a_provider_is_asked_once_a_request() {
    let (provider, asked) = growing();
    // Once at the start.
    let served = Served::providing(provider, |server| server);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let listed = |method: &str, what: &str| {
        let answer = served.modern(method, json!({})).json();
        // What changes from request to request is not kept.
        assert!(answer.get("error").is_some() || answer["result"]["ttlMs"] == 0, "{answer}");
        answer["result"][what].as_array().map(Vec::len).ok_or(answer["error"].clone())
    };
    assert_eq!(listed("tools/list", "tools"), Ok(2));
    // A failure is an error, never an empty list, and its cause is in the log alone.
    let error = json!({"code": -32603, "message": "Internal error discovering tools"});
    assert_eq!(listed("tools/list", "tools"), Err(error));
    assert_eq!(listed("tools/list", "tools"), Ok(4));
    assert_eq!(listed("resources/list", "resources"), Ok(1 + 5));
    assert_eq!(served.call_modern("tool_5", json!({}))["result"]["content"][0]["text"], "tool_5");
    assert_eq!(served.call_modern("tool_9", json!({}))["error"]["code"], -32602);
    let read = served.modern("resources/read", json!({"uri": "fixture://tool_7"})).json();
    assert_eq!(read["result"]["contents"][0]["text"], "tool_7");
    assert_eq!(asked.load(Ordering::SeqCst), 8);
}
