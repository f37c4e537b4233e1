//! Listings and details that are too large to be shown: kept once for each caller, until something changes.

use serde_json::{Value, json};
use tool_core::results::Excerpt;
use tool_core::{Digest, ToolDefinition, adapter};

use crate::catalog::view::CatalogView;
use crate::tool_search::rows::Rows;

const JSON: &str = "application/json";

impl Rows<'_> {
    /// The whole listing, if it is too large to be shown and something keeps it.
    ///
    /// Its key is the server and the digest of its tools, and what else chooses them: as long as these are the same, so is
    /// the listing, and it is not written again.
    pub(super) async fn whole(&self, server: &str, search: &str) -> Option<Excerpt> {
        let results = adapter::results(&self.view.registry)?;
        let tools: Vec<String> = self.found.iter().map(|tool| identity(tool, self.view)).collect();
        let tools = Digest::of_bytes(tools.concat().as_bytes());
        let key = json!(["listing", server, search, self.detailed, tools.hex()]);
        let text = || {
            let rows: Vec<String> = self.found.iter().map(|tool| self.full_row(tool).to_string()).collect();
            format!("[\n{}\n]", rows.join(",\n"))
        };
        results.excerpt(self.view.registry.principal(), Digest::of(&key), JSON, text).await
    }

    /// A row with nothing left out.
    fn full_row(&self, tool: &ToolDefinition) -> Value {
        let mut row = json!({
            "server": self.view.server(tool),
            "tool": tool.name(),
            "description": self.view.description(tool),
        });
        if self.detailed {
            row["inputSchema"] = tool.detached().input_schema().clone();
        }
        row
    }
}

/// Another one when a tool promises something else, or this server says so in other words.
fn identity(tool: &ToolDefinition, view: &CatalogView) -> String {
    format!("{}\0{}\0{}\0", tool.digest(), view.server(tool), view.description(tool))
}

/// All about a tool, if that is too large to be shown and something keeps it.
pub(super) async fn details(tool: &ToolDefinition, details: &Value, view: &CatalogView) -> Option<Excerpt> {
    let results = adapter::results(&view.registry)?;
    let key = json!(["details", identity(tool, view)]);
    // People and models read it line by line.
    let text = || serde_json::to_string_pretty(details).unwrap_or_default();
    results.excerpt(view.registry.principal(), Digest::of(&key), JSON, text).await
}
