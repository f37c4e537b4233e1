//! How many bytes `tools/list` takes, beside rmcp's own macros for the same tools.
//!
//! The tools of each kind differ in their names alone, so that one of them says what a hundred take. Both sides say the same
//! hints. What ours say beside that of rmcp, in fewer bytes: that no other input is taken, and that a tool destroys.

mod peer;

use http_body_util::BodyExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{Registry, tool, tools};
use tool_mcp::Server;
use tower::ServiceExt as _;

/// How many tools a list is counted for.
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

/// The tools as a client gets them, in text.
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
    let named = |tool: &Value| (tool["name"].as_str().unwrap().to_owned(), tool.to_string());
    tools.iter().map(named).collect()
}

/// The bytes of a list of [`TOOLS`] tools that differ in their names alone, with the commas between them.
fn list_of(tool: &str) -> usize {
    // A number of two digits follows each name.
    TOOLS * (tool.len() + "_00,".len()) - 1
}

/// What a hundred tools of each kind take. `benches/README.md` has the figures beside those of other crates.
const FIGURES: [(&str, usize); 3] =
    [("file_issue", 50_299), ("find_documents", 81_499), ("purge_records", 51_099)];

#[test]
fn a_list_takes_fewer_bytes_than_that_of_rmcp() {
    let listed = listed();
    assert_eq!(listed.len(), FIGURES.len());
    for ((name, ours), (expected, figure)) in listed.iter().zip(FIGURES) {
        let theirs = peer::listed(name);
        let (our_bytes, their_bytes) = (list_of(ours), list_of(&theirs));
        assert!(our_bytes < their_bytes, "{name}: {our_bytes} of {their_bytes}\n{ours}\n{theirs}");
        assert_eq!((name.as_str(), our_bytes), (expected, figure), "{theirs}: {their_bytes}\n{ours}");
    }
}
