//! Compares the interfaces: every tool of the weather example has the same schemas, outputs and errors directly, over HTTP, over
//! MCP and on the command line, for the same generated inputs.

mod cases;
#[path = "../../tool-mcp/tests/mcp/child.rs"]
mod child;
mod faces;
mod failures;
mod hostile;
mod log;
mod mcp;
mod permissions;
mod readme;

use serde_json::json;
use tool_core::{Registry, RegistryBuilder};

use crate::cases::Case;
use crate::faces::{Answer, Faces};

#[test]
fn every_face_tells_the_same_schemas() {
    let faces = Faces::start();
    let registry = faces.registry();
    assert_eq!(registry.tools().len(), 7);
    for tool in registry.tools() {
        let expected = json!({"input": tool.input_schema(), "output": tool.output_schema()});
        for (face, schemas) in faces.schemas(tool.name()) {
            // Compared as text, so that the order of members counts.
            assert_eq!(schemas.to_string(), expected.to_string(), "`{}` over {face}", tool.name());
        }
    }
}

#[test]
fn the_minimal_call_of_every_tool_is_valid() {
    let faces = Faces::start();
    for tool in faces.registry().tools() {
        faces.registry().validate(tool.name(), tool.example().to_string().as_bytes()).unwrap();
    }
}

#[test]
fn every_face_lists_the_same_tools() {
    let faces = Faces::start();
    let names: Vec<&str> = faces.registry().tools().map(tool_core::ToolDefinition::name).collect();
    for (face, listed) in faces.names() {
        assert_eq!(listed, names, "over {face}");
    }
}

#[test]
fn every_face_answers_the_same_input_alike() {
    let faces = Faces::start();
    let mut verdicts = std::collections::BTreeMap::new();
    for Case { tool, arguments } in cases::of(faces.registry()) {
        let answers = faces.call(&tool, &arguments);
        let (_, direct) = &answers[0];
        *verdicts.entry(direct.verdict()).or_insert(0) += 1;
        for (face, answer) in &answers[1..] {
            assert_eq!(answer, direct, "`{tool}` over {face} with {arguments}");
        }
    }
    // The cases must have all kinds of results.
    for verdict in ["success", "invalid_input", "execution_failed"] {
        assert!(verdicts.get(verdict).is_some_and(|count| *count >= 5), "{verdicts:?}");
    }
    assert!(verdicts.values().sum::<i32>() > 200, "{verdicts:?}");
}

#[test]
fn every_face_refuses_what_is_no_object_or_no_json_alike() {
    let faces = Faces::start();
    for arguments in [
        "[]",
        "\"text\"",
        "null",
        "{",
        "{\"location\":\"Seattle\",\"location\":\"Seattle\"}",
        "{}{}",
        "1e400",
    ] {
        let answers = faces.call_without_mcp("get_weather", arguments);
        let (_, direct) = &answers[0];
        assert_eq!(direct.verdict(), "invalid_input", "{arguments}");
        for (face, answer) in &answers[1..] {
            assert_eq!(answer, direct, "over {face} with {arguments}");
        }
    }
}

#[test]
fn every_face_neither_lists_nor_runs_what_modifies_while_it_is_read_only() {
    let faces = Faces::start_as(RegistryBuilder::read_only);
    for (face, listed) in faces.names() {
        assert_eq!(listed.len(), 5, "over {face}");
        assert!(!listed.contains(&"delete_reports".to_owned()), "over {face}");
    }
    for (face, answer) in faces.call("report_observation", "{}") {
        let expected = Answer::Failure {
            kind: "refused".to_owned(),
            text: "`report_observation` was not run: it modifies, and this registry is read only".to_owned(),
        };
        assert_eq!(answer, expected, "over {face}");
    }
}

/// Checks that the registry answers with what the function returns.
#[tokio::test]
async fn the_registry_answers_what_the_domain_says() {
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
    assert_eq!(Answer::from(Ok(output)).verdict(), "success");
}
