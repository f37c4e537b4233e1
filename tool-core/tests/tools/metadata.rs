//! Metadata and pages of tools: the options `meta` and `ui`.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_core::lock::Lock;
use tool_core::ui::{Ui, UiError};
use tool_core::{MetaError, Registry, ToolDefinition, tool, tools};

/// Who answers for a tool.
#[derive(Serialize)]
struct Owner {
    #[serde(rename = "com.example/owner")]
    team: &'static str,
}

/// Is owned by a team.
#[tool(operation = Explain, meta = Owner { team: "web" })]
fn owned() {}

/// Has metadata of a reserved name.
#[tool(operation = Explain, meta = json!({"owner": 1, "io.modelcontextprotocol/tasks": {}}))]
fn reserved() {}

/// Has metadata that is no object.
#[tool(operation = Explain, meta = [1, 2])]
fn listed() {}

/// Has metadata that is not JSON.
#[tool(operation = Explain, meta = std::collections::BTreeMap::from([(vec![1], 2)]))]
fn unwritten() {}

/// Has a page that connects to a path.
#[tool(operation = Explain, ui = Ui::new("<!doctype html>").resources(["https://example.com/a"]))]
fn connected() {}

/// Has a page without text.
#[tool(operation = Explain, ui = Ui::new("\n"))]
fn blank() {}

#[test]
fn reports_invalid_pages() {
    let registry = Registry::builder().tools(tools![connected, blank]).build().unwrap();
    let faults: Vec<String> = registry.check().unwrap_err().iter().map(ToString::to_string).collect();
    let [blank, connected] = &faults[..] else { panic!("{faults:?}") };
    assert!(blank.contains("its page is empty"), "{blank}");
    assert!(connected.contains("`https://example.com/a` is no origin that a page can use"), "{connected}");
    let error = ToolDefinition::builder("ping", "Answers.").ui(Ui::new("")).build().unwrap_err();
    assert_eq!(error.to_string(), format!("tool `ping`: {}", UiError::Empty));
}

#[test]
fn keeps_metadata_of_any_type() {
    let registry = Registry::builder().tools(tools![owned]).build().unwrap();
    assert_eq!(registry.check(), Ok(()));
    assert_eq!(json!(registry.get("owned").unwrap().meta()), json!({"com.example/owner": "web"}));
}

/// Has metadata with a number.
#[tool(operation = Explain, meta = json!({"share": 1.0, "parts": [2.0]}))]
fn numbered() {}

#[test]
fn a_lock_reads_back_as_the_same() {
    let registry = Registry::builder().tools(tools![numbered]).build().unwrap();
    let lock = Lock::of(&registry);
    let read: Lock = lock.to_string().parse().unwrap();
    assert!(read.compare(&lock).is_empty(), "{:?}", read.compare(&lock));
}

#[test]
fn reports_invalid_metadata() {
    let registry = Registry::builder().tools(tools![reserved, listed, unwritten]).build().unwrap();
    let faults: Vec<String> = registry.check().unwrap_err().iter().map(ToString::to_string).collect();
    let [listed, reserved, unwritten] = &faults[..] else { panic!("{faults:?}") };
    assert!(
        listed.contains("metadata must be a JSON object, such as `{\"com.example/owner\": \"web\"}`"),
        "{listed}"
    );
    let key =
        "the key `io.modelcontextprotocol/tasks` of metadata is reserved: begin it with a domain of your own";
    assert!(reserved.contains(key), "{reserved}");
    assert!(unwritten.contains("metadata cannot be written as JSON: key must be a string"), "{unwritten}");
    assert!(registry.tools().all(|tool| tool.meta().is_none()));
}

#[test]
fn rejects_invalid_metadata_of_dynamic_tools() {
    let build = |key: &str| {
        let meta = Map::from_iter([(key.to_owned(), Value::Null)]);
        ToolDefinition::builder("ping", "Answers.").meta(meta).build()
    };
    assert_eq!(json!(build("com.example/a").unwrap().meta()), json!({"com.example/a": null}));
    let error = build("tool-core/digest").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("tool `ping`: {}", MetaError::Reserved("tool-core/digest".to_owned()))
    );
}
