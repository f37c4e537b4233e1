//! Compares the interfaces: every tool of the weather example has the same schemas, outputs and errors directly, over HTTP, over
//! MCP and on the command line, for the same generated inputs.

mod cases;
#[path = "../../tool-mcp/tests/mcp/child.rs"]
mod child;
mod failures;
mod hostile;
mod interfaces;
mod log;
mod many_tools;
mod mcp;
mod permissions;
mod rate_limits;
mod readme;
mod schemas;

use serde_json::json;
use tool_core::testing::Response;
use tool_core::{Registry, RegistryBuilder};

use crate::cases::Case;
use crate::interfaces::Interfaces;

#[test]
fn shows_the_same_schemas_everywhere() {
    let interfaces = Interfaces::start();
    let registry = interfaces.registry();
    assert_eq!(registry.tools().len(), 7);
    for tool in registry.tools() {
        let expected = json!({"input": tool.input_schema(), "output": tool.output_schema()});
        for (interface, schemas) in interfaces.schemas(tool.name()) {
            // Compared as text, so that the order of members counts.
            assert_eq!(schemas.to_string(), expected.to_string(), "`{}` over {interface}", tool.name());
        }
    }
}

#[test]
fn generates_valid_examples() {
    let interfaces = Interfaces::start();
    for tool in interfaces.registry().tools() {
        interfaces.registry().validate(tool.name(), tool.example().to_string().as_bytes()).unwrap();
    }
}

#[test]
fn lists_the_same_tools_everywhere() {
    let interfaces = Interfaces::start();
    let names: Vec<&str> = interfaces.registry().tools().map(tool_core::ToolDefinition::name).collect();
    for (interface, listed) in interfaces.names() {
        assert_eq!(listed, names, "over {interface}");
    }
}

#[test]
fn returns_the_same_results_everywhere() {
    let interfaces = Interfaces::start();
    let mut verdicts = std::collections::BTreeMap::new();
    for Case { tool, arguments } in cases::of(interfaces.registry()) {
        let answers = interfaces.call(&tool, &arguments);
        let (_, direct) = &answers[0];
        *verdicts.entry(direct.kind().to_owned()).or_insert(0) += 1;
        for (interface, answer) in &answers[1..] {
            assert_eq!(answer, direct, "`{tool}` over {interface} with {arguments}");
        }
    }
    // The cases must have all kinds of results.
    for verdict in ["success", "invalid_input", "execution_failed"] {
        assert!(verdicts.get(verdict).is_some_and(|count| *count >= 5), "{verdicts:?}");
    }
    assert!(verdicts.values().sum::<i32>() > 200, "{verdicts:?}");
}

#[test]
fn rejects_invalid_arguments_alike_everywhere() {
    let interfaces = Interfaces::start();
    for arguments in [
        "[]",
        "\"text\"",
        "null",
        "{",
        "{\"location\":\"Seattle\",\"location\":\"Seattle\"}",
        "{}{}",
        "1e400",
    ] {
        let answers = interfaces.call_without_mcp("get_weather", arguments.as_bytes());
        let (_, direct) = &answers[0];
        assert_eq!(direct.kind(), "invalid_input", "{arguments}");
        for (interface, answer) in &answers[1..] {
            assert_eq!(answer, direct, "over {interface} with {arguments}");
        }
    }
}

#[test]
fn hides_and_rejects_modifying_tools_when_read_only() {
    let interfaces = Interfaces::start_as(RegistryBuilder::read_only);
    for (interface, listed) in interfaces.names() {
        assert_eq!(listed.len(), 5, "over {interface}");
        assert!(!listed.contains(&"delete_reports".to_owned()), "over {interface}");
    }
    for (interface, answer) in interfaces.call("report_observation", "{}") {
        let text = "`report_observation` was not run: it modifies data, and the registry is read-only";
        let expected = Response::failure("refused", text);
        assert_eq!(answer, expected, "over {interface}");
    }
}

#[tokio::test]
async fn returns_the_result_of_the_function() {
    let folder = tempfile::tempdir().unwrap();
    let registry: Registry = weather::registry(folder.path().join("reports.jsonl")).unwrap();
    let day = weather::Archive::embedded()
        .get(weather::City::Seattle, jiff::civil::date(2014, 7, 4))
        .unwrap()
        .clone();
    let output =
        registry.call("get_weather", json!({"location": "Seattle", "date": "2014-07-04"})).await.unwrap();
    assert_eq!(output.decode::<weather::Observation>().unwrap(), day);
    assert_eq!(output.value(), serde_json::to_value(&day).unwrap());
    assert_eq!(Response::from(Ok(output)).kind(), "success");
}
