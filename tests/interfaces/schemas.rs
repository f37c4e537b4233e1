//! Defaults and recursive types mean the same on every interface.

use serde_json::{Value, json};
use tool_core::{DynamicTool, Output, Registry, ToolDefinition};

use crate::interfaces::Interfaces;

#[test]
fn applies_defaults_alike_everywhere() {
    let interfaces = Interfaces::start();
    let find = |limit: &str| {
        interfaces.call("find_days", &format!(r#"{{"from":"2014-01-01","to":"2014-12-31"{limit}}}"#))
    };
    let (absent, given, fewer) = (find(""), find(r#","limit":20"#), find(r#","limit":19"#));
    for (interface, answer) in &absent {
        assert_eq!(answer.kind(), "success", "over {interface}");
        assert_eq!(*answer, absent[0].1, "over {interface}");
    }
    assert_eq!(absent, given);
    assert_ne!(absent, fewer);
}

/// A tool that takes a tree of nodes, and returns it.
fn grow() -> DynamicTool {
    let node = json!({
        "type": "object",
        "properties": {
            "value": {"type": "integer"},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["value"],
    });
    let schema = json!({
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Node"}},
        "required": ["tree"],
        "$defs": {"Node": node},
    });
    let definition = ToolDefinition::builder("grow", "Grows a tree.").input_schema(schema).build().unwrap();
    DynamicTool::new(definition, |_, tree: Value| async move {
        Output::json(&tree).map_err(|_| tool_core::Failure::internal())
    })
}

/// Returns every `$ref` of a document.
fn references<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn accepts_recursive_types_everywhere() {
    let interfaces = Interfaces::of(|_| Registry::builder().tool(grow()));
    let tree = |leaf: &str| {
        let (open, close) = (r#"{"value":1,"children":["#.repeat(20), "]}".repeat(20));
        format!(r#"{{"tree":{open}{{"value":{leaf}}}{close}}}"#)
    };
    for (leaf, verdict) in [("2", "success"), (r#""two""#, "invalid_input")] {
        let answers = interfaces.call("grow", &tree(leaf));
        for (interface, answer) in &answers {
            assert_eq!(answer.kind(), verdict, "over {interface}");
            assert_eq!(*answer, answers[0].1, "over {interface}");
        }
    }

    let (status, _, document) = interfaces.http_with_wait("/openapi.json", None);
    let mut found = Vec::new();
    references(&document, &mut found);
    let target = |reference: &str| document.pointer(reference.strip_prefix('#').expect(reference));
    let is_recursive = |reference: &&str| {
        let mut within = Vec::new();
        references(target(reference).expect(reference), &mut within);
        within.contains(reference)
    };
    assert_eq!(status, 200);
    assert!(found.iter().any(is_recursive), "{found:?}");

    let (code, described) = interfaces.cli(&["info", "grow", "--format", "json"]);
    assert_eq!((code, &described["input_schema"]["properties"]["tree"]["$ref"]), (0, &json!("#/$defs/Node")));
    assert!(interfaces.cli_text(&["info", "grow"]).contains("tree"));
    assert!(interfaces.cli_text(&["run", "grow", "--help"]).contains("--tree"));
}
