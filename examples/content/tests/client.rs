//! The table of surfaces as a client of others sees it, over a pipe to the program itself.

use std::collections::BTreeMap;
use std::process::Stdio;

use content::{Settings, Site};
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams, ResourceContents};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServiceError, ServiceExt};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tool_core::Registry;
use tool_core::address::Surface;

/// What a client finds of the site: names of tools, and the addresses of what is there to be read.
#[derive(Debug, Default, PartialEq)]
struct Found {
    tools: Vec<String>,
    resources: Vec<String>,
    templates: Vec<String>,
}

/// The program, and a client of it.
struct Connected {
    client: RunningService<RoleClient, ()>,
    program: Child,
    _folder: tempfile::TempDir,
}

impl Connected {
    async fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"))
            .args(["serve", "mcp"])
            .args(arguments)
            .env("CONTENT_DATABASE", folder.path().join("museum.sqlite"))
            .env("CONTENT_SIGNING_KEY", "correct horse battery")
            .env("CONTENT_USER", "otto")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pipes = (program.stdout.take().unwrap(), program.stdin.take().unwrap());
        let client = ().serve(pipes).await.unwrap();
        Self { client, program, _folder: folder }
    }

    /// What is there, without what every server has of itself.
    async fn found(&self) -> Found {
        let tools = self.client.list_all_tools().await.unwrap();
        let resources = self.client.list_all_resources().await.unwrap();
        let templates = self.client.list_all_resource_templates().await.unwrap();
        let own = |uri: &String| !["content://tools", "content://tool/{name}"].contains(&uri.as_str());
        let mut found = Found {
            tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
            resources: resources.iter().map(|resource| resource.uri.clone()).filter(own).collect(),
            templates: templates.iter().map(|template| template.uri_template.clone()).filter(own).collect(),
        };
        found.resources.sort_unstable();
        found.templates.sort_unstable();
        found
    }

    async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let answer = self.client.read_resource(ReadResourceRequestParams::new(uri)).await?;
        match &answer.contents[..] {
            [ResourceContents::TextResourceContents { text, .. }] => Ok(serde_json::from_str(text).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.client.call_tool(request).await?;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        Ok(result.structured_content.unwrap())
    }

    async fn end(mut self) {
        self.client.cancel().await.unwrap();
        assert!(self.program.wait().await.unwrap().success());
    }
}

fn registry() -> Registry {
    content::registry(Site::at("unused"), Settings::default()).unwrap()
}

/// What the table promises: with the tools that have another surface too, or without them.
fn promised(exclusive: bool) -> Found {
    let mut found = Found::default();
    for tool in registry().tools() {
        let surface = Surface::of(tool);
        if !exclusive || surface == Surface::Tool {
            found.tools.push(tool.name().to_owned());
        }
        match &surface {
            Surface::Tool => {}
            Surface::Resource(address) => found.resources.push(format!("content://{address}")),
            Surface::ResourceTemplate(address) => found.templates.push(format!("content://{address}")),
        }
    }
    found.resources.sort_unstable();
    found.templates.sort_unstable();
    found
}

#[tokio::test]
async fn what_is_read_is_a_resource_and_by_default_a_tool_as_well() {
    let content = Connected::start(&[]).await;
    let found = content.found().await;
    assert_eq!(found, promised(false));
    assert_eq!((found.tools.len(), found.resources.len(), found.templates.len()), (21, 3, 6));

    // Read and called, it is the same.
    for (uri, tool, arguments) in [
        ("content://node/2", "get_node", json!({"id": 2})),
        ("content://node/1/revision", "list_revisions", json!({"id": 1})),
        ("content://node/1/revision/2", "get_revision", json!({"id": 1, "vid": 2})),
        ("content://node/1/translation/fr", "get_translation", json!({"id": 1, "langcode": "fr"})),
        ("content://component/callout", "explain_component_kind", json!({"kind": "callout"})),
        ("content://user/liv", "get_user", json!({"name": "liv"})),
        ("content://site", "site_overview", json!({})),
    ] {
        let called = content.call(tool, arguments).await.unwrap();
        let read = content.read(uri).await.unwrap();
        // What is no object is wrapped where it is called.
        assert_eq!(&read, called.get("result").unwrap_or(&called), "{uri}");
    }
    content.end().await;
}

#[tokio::test]
async fn exclusively_each_has_one_surface() {
    let content = Connected::start(&["--surfaces", "exclusive"]).await;
    let found = content.found().await;
    assert_eq!(found, promised(true));
    assert_eq!((found.tools.len(), found.resources.len(), found.templates.len()), (12, 3, 6));
    assert_eq!(content.read("content://node/2").await.unwrap()["title"], "The tide road");
    assert!(content.call("get_node", json!({"id": 2})).await.is_err());
    content.end().await;
}

#[tokio::test]
async fn an_address_of_nothing_is_an_error_that_says_so() {
    let content = Connected::start(&[]).await;
    let mut errors = BTreeMap::new();
    for uri in [
        "content://node/99",
        "content://node/1/revision/9",
        "content://node/1/translation/es",
        "content://node/0",
    ] {
        let Err(ServiceError::McpError(error)) = content.read(uri).await else {
            panic!("{uri} is something")
        };
        errors.insert(uri, error.message.to_string());
    }
    assert!(errors["content://node/99"].contains("there is no node 99"), "{errors:#?}");
    assert!(errors["content://node/1/revision/9"].contains("the newest is 3"), "{errors:#?}");
    assert!(errors["content://node/1/translation/es"].contains("langcode"), "{errors:#?}");
    assert!(errors["content://node/0"].contains("id"), "{errors:#?}");
    content.end().await;
}
