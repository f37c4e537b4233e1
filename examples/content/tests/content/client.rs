//! The table of surfaces as seen by an MCP client, over stdio.

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

/// The tools, resources and templates that a client lists.
#[derive(Debug, Default, PartialEq)]
struct Listing {
    tools: Vec<String>,
    resources: Vec<String>,
    templates: Vec<String>,
}

/// The program with a connected client.
struct Session {
    client: RunningService<RoleClient, ()>,
    program: Child,
    _folder: tempfile::TempDir,
}

impl Session {
    async fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_content"))
            .args(["serve", "mcp"])
            .args(arguments)
            .env("CONTENT_DATABASE", folder.path().join("museum.sqlite"))
            .env("CONTENT_SIGNING_KEY", "correct horse battery")
            .env("CONTENT_USER", "otto")
            .env_remove("DATABASE_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pipes = (program.stdout.take().unwrap(), program.stdin.take().unwrap());
        let client = ().serve(pipes).await.unwrap();
        Self { client, program, _folder: folder }
    }

    /// Lists everything except the built-in resources of every server.
    async fn listing(&self) -> Listing {
        let tools = self.client.list_all_tools().await.unwrap();
        let resources = self.client.list_all_resources().await.unwrap();
        let templates = self.client.list_all_resource_templates().await.unwrap();
        let is_own = |uri: &String| !["content://tools", "content://tool/{name}"].contains(&uri.as_str());
        let mut listing = Listing {
            tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
            resources: resources.iter().map(|resource| resource.uri.clone()).filter(is_own).collect(),
            templates: templates
                .iter()
                .map(|template| template.uri_template.clone())
                .filter(is_own)
                .collect(),
        };
        listing.resources.sort_unstable();
        listing.templates.sort_unstable();
        listing
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

/// Returns the listing expected from the table; if `exclusive`, without tools that have another surface.
fn expected_listing(exclusive: bool) -> Listing {
    let mut listing = Listing::default();
    // Archives of `export_site`.
    let of_results = ["content://result/{digest}", "content://result/{digest}{?lines,bytes,search}"];
    listing.templates.extend(of_results.map(str::to_owned));
    for tool in registry().tools() {
        let surface = Surface::of(tool);
        if !exclusive || surface == Surface::Tool {
            listing.tools.push(tool.name().to_owned());
        }
        match &surface {
            Surface::Tool => {}
            Surface::Resource(address) => listing.resources.push(format!("content://{address}")),
            Surface::ResourceTemplate(address) => listing.templates.push(format!("content://{address}")),
        }
    }
    listing.resources.sort_unstable();
    listing.templates.sort_unstable();
    listing
}

#[tokio::test]
async fn lists_readable_tools_as_tools_and_resources() {
    let content = Session::start(&[]).await;
    let listing = content.listing().await;
    assert_eq!(listing, expected_listing(false));
    assert_eq!((listing.tools.len(), listing.resources.len(), listing.templates.len()), (24, 3, 8));

    // Reading a resource and calling its tool return the same.
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
        // A call wraps values that are not objects.
        assert_eq!(&read, called.get("result").unwrap_or(&called), "{uri}");
    }
    content.end().await;
}

#[tokio::test]
async fn lists_each_tool_on_one_surface_if_exclusive() {
    let content = Session::start(&["--surfaces", "exclusive"]).await;
    let listing = content.listing().await;
    assert_eq!(listing, expected_listing(true));
    assert_eq!((listing.tools.len(), listing.resources.len(), listing.templates.len()), (15, 3, 8));
    assert_eq!(content.read("content://node/2").await.unwrap()["title"], "The tide road");
    assert!(content.call("get_node", json!({"id": 2})).await.is_err());
    content.end().await;
}

#[tokio::test]
async fn reports_missing_resources() {
    let content = Session::start(&[]).await;
    let mut errors = BTreeMap::new();
    for uri in [
        "content://node/99",
        "content://node/1/revision/9",
        "content://node/1/translation/es",
        "content://node/0",
    ] {
        let Err(ServiceError::McpError(error)) = content.read(uri).await else { panic!("{uri} exists") };
        errors.insert(uri, error.message.to_string());
    }
    assert!(errors["content://node/99"].contains("there is no node 99"), "{errors:#?}");
    assert!(errors["content://node/1/revision/9"].contains("the newest is 3"), "{errors:#?}");
    assert!(errors["content://node/1/translation/es"].contains("langcode"), "{errors:#?}");
    assert!(errors["content://node/0"].contains("id"), "{errors:#?}");
    content.end().await;
}
