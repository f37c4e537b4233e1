//! Lint, examples and side effects of the administration tools.

use catalogue::{Client, Egress, Store};
use serde_json::Value;
use tool_core::{Registry, testing};

fn registry(folder: &tempfile::TempDir) -> Registry {
    let store = Store::at(folder.path().join("catalogue.sqlite"));
    catalogue::administration(store, Client::new(Egress::public()).unwrap()).build().unwrap()
}

async fn registry_with_demo(folder: &tempfile::TempDir) -> Registry {
    let registry = registry(folder);
    let demo: Value = include_str!("../../seed/demo.json").parse().unwrap();
    registry.call("import_catalogue", demo).await.unwrap();
    registry
}

#[test]
fn has_no_lint_findings() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry(&folder);
    registry.check().unwrap();
    let findings: Vec<String> = catalogue::lint().run(&registry).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    assert!(!folder.path().join("catalogue.sqlite").exists(), "building the registry creates no file");
}

#[tokio::test(flavor = "multi_thread")]
async fn leaves_the_file_unchanged_when_reading() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry_with_demo(&folder).await;
    let before = std::fs::read(folder.path().join("catalogue.sqlite")).unwrap();
    let trials = testing::run_non_modifying(&registry).await;
    assert_eq!(trials.iter().len(), 5);
    trials.assert_harmless();
    assert_eq!(std::fs::read(folder.path().join("catalogue.sqlite")).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_every_example() {
    for tool in registry(&tempfile::tempdir().unwrap()).tools() {
        for example in tool.examples() {
            // Each example runs on a fresh catalogue.
            let folder = tempfile::tempdir().unwrap();
            let registry = registry_with_demo(&folder).await;
            let mut example = example.clone();
            match tool.name() {
                "add_provider" if example["code"] == "library" => example["code"] = "library_2".into(),
                "add_tool" => example["code"] = format!("{}_2", example["code"].as_str().unwrap()).into(),
                _ => {}
            }
            let called = registry.call(tool.name(), example.clone()).await;
            assert!(called.is_ok(), "{} {example}: {called:?}", tool.name());
        }
    }
}
