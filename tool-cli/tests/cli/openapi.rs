//! `openapi`.

use serde_json::json;
use tool_cli::{App, Streams};

use crate::registry::app;
use crate::{Ran, cli, on};

async fn openapi(arguments: &[&str]) -> Ran {
    let app: App = app().openapi(["3.1", "3.0"], |registry, version| {
        json!({"openapi": version, "caller": registry.principal().id(), "tools": registry.tools().count()})
    });
    on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
}

#[tokio::test]
async fn prints_the_document_in_a_version() {
    let newest = openapi(&["openapi"]).await;
    assert_eq!((newest.code, newest.json()["openapi"].as_str()), (0, Some("3.1")));
    assert!(newest.json()["tools"].as_u64() > Some(3), "{}", newest.stdout);
    let older = openapi(&["openapi", "--version", "3.0"]).await;
    assert_eq!((older.code, older.json()["openapi"].as_str()), (0, Some("3.0")));
    let yaml = openapi(&["openapi", "--format", "yaml", "--version=3.0"]).await;
    assert!(yaml.stdout.starts_with("openapi: \"3.0\"\n"), "{}", yaml.stdout);
}

#[tokio::test]
async fn prints_the_document_of_a_caller() {
    let ran = openapi(&["openapi", "--as", "ada"]).await;
    assert_eq!((ran.code, ran.json()["caller"].as_str()), (0, Some("ada")), "{}", ran.stderr);
}

#[tokio::test]
async fn refuses_other_versions() {
    let ran = openapi(&["openapi", "--version", "2.0"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("[possible values: 3.1, 3.0]"), "{}", ran.stderr);
}

#[tokio::test]
async fn is_no_command_without_a_document() {
    assert!(openapi(&["--help"]).await.stdout.contains("\n  openapi "));
    assert!(!cli(&["--help"]).await.stdout.contains("openapi"));
    let ran = cli(&["openapi"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}
