//! The same tools with rmcp's macros, and the hints that differ from the defaults of the protocol.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Found, Order};

#[derive(Deserialize, JsonSchema)]
struct FileIssue {
    /// What it is about, in one line.
    title: String,
    /// How urgent it is: the higher, the sooner.
    priority: i64,
    /// Whether nobody is told of it yet.
    draft: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
struct PurgeRecords {
    /// Which table.
    table: String,
    /// How many days are kept.
    days: u32,
    /// At most so many records.
    limit: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
struct FindDocuments {
    /// The words, separated by spaces.
    text: String,
    /// In which order they come.
    order: Order,
    /// Only with all of these labels.
    labels: Option<Vec<String>>,
}

struct RmcpTools;

#[tool_router]
impl RmcpTools {
    /// Files an issue with the team that owns the component.
    #[tool(annotations(destructive_hint = false, open_world_hint = false))]
    fn file_issue(&self, Parameters(FileIssue { title, priority, draft }): Parameters<FileIssue>) -> String {
        super::file_issue(title, priority, draft)
    }

    /// Deletes the records of a table that are older than a number of days.
    #[tool(annotations(destructive_hint = true, open_world_hint = true))]
    fn purge_records(
        &self,
        Parameters(PurgeRecords { table, days, limit }): Parameters<PurgeRecords>,
    ) -> String {
        super::purge_records(table, days, limit)
    }

    /// Finds the documents that hold every word of a text.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn find_documents(
        &self,
        Parameters(FindDocuments { text, order, labels }): Parameters<FindDocuments>,
    ) -> Json<Found> {
        Json(super::find_documents(text, order, labels))
    }
}

/// The JSON text of a tool in rmcp's list.
pub(super) fn listed(name: &str) -> String {
    serde_json::to_string(RmcpTools::tool_router().get(name).unwrap()).unwrap()
}
