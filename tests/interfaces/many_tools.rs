//! Lists of no tool, of one, and of ten thousand.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Output, Registry, RegistryBuilder, Tool, ToolDefinition};

use crate::interfaces::Interfaces;

/// How many tools a page over HTTP has.
const PAGE: usize = 1_000;

fn name(number: usize) -> String {
    format!("tool_{number:05}")
}

/// Returns tools, each of which returns its number.
fn tools(count: usize) -> Vec<Arc<dyn Tool>> {
    let tool = |number| -> Arc<dyn Tool> {
        let definition = ToolDefinition::builder(name(number), "Returns its number.").build().unwrap();
        Arc::new(DynamicTool::new(definition, move |_, _: Map<String, Value>| async move {
            Output::json(&json!({"number": number})).map_err(|_| tool_core::Failure::internal())
        }))
    };
    (0..count).map(tool).collect()
}

/// Returns the names of all pages over HTTP.
fn pages(interfaces: &Interfaces) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    loop {
        let cursor = names.last().map_or_else(String::new, |last| format!("&cursor={last}"));
        let (status, _, page) = interfaces.http_with_wait(&format!("/tools?limit={PAGE}{cursor}"), None);
        assert_eq!(status, 200, "{page:.200}");
        let page = page.as_array().unwrap();
        names.extend(page.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        if page.len() < PAGE {
            return names;
        }
    }
}

#[test]
fn serves_lists_of_any_length_everywhere() {
    for count in [0, 1, 10_000] {
        let tools = tools(count);
        let interfaces = Interfaces::of(|_| {
            tools.iter().cloned().fold(Registry::builder().allow_empty(), RegistryBuilder::tool)
        });
        let expected: Vec<String> = (0..count).map(name).collect();
        for (interface, listed) in interfaces.names() {
            assert!(listed == expected, "{} of {count} tools over {interface}", listed.len());
        }
        assert!(pages(&interfaces) == expected, "the pages of {count} tools");

        let last = name(count.saturating_sub(1));
        let (_, _, found) = interfaces.http_with_wait(&format!("/tools?q={last}&limit=1"), None);
        let (_, by_command) = interfaces.cli(&["search", &last, "--format", "json"]);
        if count == 0 {
            assert_eq!((&found, &by_command), (&json!([]), &json!([])));
            continue;
        }
        assert_eq!((&found[0]["name"], &by_command[0]["name"]), (&json!(last), &json!(last)));
        let answers = interfaces.call(&last, "{}");
        for (interface, answer) in &answers {
            assert_eq!(answer.kind(), "success", "over {interface}");
            assert_eq!(*answer, answers[0].1, "over {interface}");
        }
    }
}
