//! Compares the bytes of `tools/list` with those of rmcp's macros for the same tools.
//!
//! Tools of one kind differ only in their names, so one of them gives the size of a hundred. Both sides have the
//! same hints. Ours also reject other inputs and mark destructive tools, in fewer bytes.

mod rmcp_tools;

use http_body_util::BodyExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{Registry, tool, tools};
use tool_mcp::Server;
use tower::ServiceExt as _;

/// The number of tools in a list.
const TOOLS: usize = 100;

/// Files an issue with the team that owns the component.
#[tool(operation = Write, destructive = false, open_world = false)]
fn file_issue(
    /// What it is about, in one line.
    title: String,
    /// How urgent it is: the higher, the sooner.
    priority: i64,
    /// Whether nobody is told of it yet.
    draft: Option<bool>,
) -> String {
    format!("{title}: {priority}, {draft:?}")
}

/// Deletes the records of a table that are older than a number of days.
#[tool(operation = Write, destructive = true)]
fn purge_records(
    /// Which table.
    table: String,
    /// How many days are kept.
    days: u32,
    /// At most so many records.
    limit: Option<u64>,
) -> String {
    format!("{table}: {days}, {limit:?}")
}

/// How an order is sorted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    Newest,
    Oldest,
    Relevance,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// How many there are in all.
    total: u64,
    /// The first of them.
    names: Vec<String>,
}

/// Finds the documents that hold every word of a text.
#[tool(operation = Read, open_world = false)]
fn find_documents(
    /// The words, separated by spaces.
    text: String,
    /// In which order they come.
    order: Order,
    /// Only with all of these labels.
    labels: Option<Vec<String>>,
) -> Found {
    Found { total: labels.map_or(0, |labels| labels.len() as u64), names: vec![format!("{text}: {order:?}")] }
}

/// The name and the JSON text of each tool, as a client receives them.
fn listed() -> Vec<(String, String)> {
    let registry =
        Registry::builder().tools(tools![file_issue, purge_records, find_documents]).build().unwrap();
    let router = Server::new(registry).into_axum_router().unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}).to_string();
    let request = axum::http::Request::post("/")
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/list")
        .body(axum::body::Body::from(body))
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bytes = runtime.block_on(async {
        router.oneshot(request).await.unwrap().into_body().collect().await.unwrap().to_bytes()
    });
    let answer: Value = serde_json::from_slice(&bytes).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let name_and_text = |tool: &Value| (tool["name"].as_str().unwrap().to_owned(), tool.to_string());
    tools.iter().map(name_and_text).collect()
}

/// The bytes of a list of [`TOOLS`] tools that differ only in their names, including the commas.
fn list_of(tool: &str) -> usize {
    // A number of two digits follows each name.
    TOOLS * (tool.len() + "_00,".len()) - 1
}

/// The bytes of a hundred tools of each kind. `benches/README.md` compares them with other crates.
const EXPECTED_BYTES: [(&str, usize); 3] =
    [("file_issue", 50_299), ("find_documents", 81_499), ("purge_records", 51_099)];

#[test]
fn lists_tools_in_fewer_bytes_than_rmcp() {
    let listed = listed();
    assert_eq!(listed.len(), EXPECTED_BYTES.len());
    for ((name, own), (expected, figure)) in listed.iter().zip(EXPECTED_BYTES) {
        let rmcp_text = rmcp_tools::listed(name);
        let (own_bytes, rmcp_bytes) = (list_of(own), list_of(&rmcp_text));
        assert!(own_bytes < rmcp_bytes, "{name}: {own_bytes} of {rmcp_bytes}\n{own}\n{rmcp_text}");
        assert_eq!((name.as_str(), own_bytes), (expected, figure), "{rmcp_text}: {rmcp_bytes}\n{own}");
    }
}
