//! The declarations of the example.

use tool_core::lint::lint;
use tool_core::testing;

use crate::{Fixture, registry};

#[test]
fn has_no_lint_findings() {
    let findings: Vec<String> = lint(&registry()).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    registry().check().unwrap();
}

#[test]
fn declares_hints_of_run_as_specified() {
    let registry = registry();
    let hints = registry.get("run").unwrap().annotations().unwrap();
    assert_eq!(
        (hints.open_world_hint, hints.read_only_hint, hints.destructive_hint),
        (Some(true), Some(false), Some(false)),
    );
    // It is not destructive because blocks cannot call destructive tools.
    assert!(registry.tools().all(|tool| !tool.destructive()));
}

#[test]
fn declares_inputs_as_specified() {
    let registry = registry();
    let inputs = |name: &str| -> Vec<(String, Option<bool>)> {
        let inputs = registry.get(name).unwrap().inputs();
        inputs.iter().map(|input| (input.name.clone().unwrap(), input.required)).collect()
    };
    assert_eq!(
        inputs("brave_web_search"),
        [("query".to_owned(), Some(true)), ("count".to_owned(), Some(false))]
    );
    assert_eq!(registry.get("brave_web_search").unwrap().input_schema()["properties"]["count"]["default"], 5);
    assert_eq!(inputs("web_fetch"), [("url".to_owned(), Some(true))]);
    assert_eq!(inputs("run"), [("command".to_owned(), Some(true))]);
    let prompt = registry.prompt("batch_search").unwrap();
    let required: Vec<_> =
        prompt.arguments().iter().map(|input| (input.name.as_deref(), input.required)).collect();
    assert_eq!(required, [(Some("topics"), Some(true)), (Some("count"), Some(false))]);
}

#[tokio::test]
async fn modifies_nothing_with_reading_tools() {
    let fixture = Fixture::new().await;
    testing::run_non_modifying(&fixture.registry).await.assert_harmless();
}
