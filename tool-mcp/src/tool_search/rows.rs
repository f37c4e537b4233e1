//! Lists of tools as rows, in pages that are small enough for a model.

use serde_json::{Map, Value, json};
use tool_core::results::Excerpt;
use tool_core::{Digest, Failure, FailureKind, ToolDefinition, adapter};

use crate::catalog::view::CatalogView;

/// The matching tools, in the order of the list.
pub(super) struct Rows<'r> {
    pub(super) found: &'r [&'r ToolDefinition],
    pub(super) detailed: bool,
    pub(super) view: &'r CatalogView,
}

/// The most bytes of the rows on a page: as JSON, and once more as a text, with escaped quotes. The whole result has less
/// than 4 KB.
const PAGE_BYTES: usize = 3_000;

/// The most characters of a description in a row.
const MOST_CHARACTERS: usize = 160;

impl Rows<'_> {
    /// Returns a page, counted from 1.
    pub(super) fn page(&self, number: usize) -> Result<Value, Failure> {
        let (mut pages, mut rows, mut size) = (1, Vec::new(), 0);
        let mut next = None;
        for tool in self.found {
            let row = self.row(tool);
            let bytes = bytes(&row);
            if size + bytes > PAGE_BYTES && size > 0 {
                pages += 1;
                size = 0;
                if pages > number {
                    next = Some(pages);
                    break;
                }
            }
            size += bytes;
            if pages == number {
                rows.push(row);
            }
        }
        if pages < number || number == 0 {
            let last =
                if pages == 1 { "there is one page".to_owned() } else { format!("the last page is {pages}") };
            let message = format!("there is no page {number}: {last}");
            return Err(Failure::new(FailureKind::Input, message));
        }
        let mut page = Map::from_iter([("tools".to_owned(), rows.into())]);
        page.insert("total".to_owned(), self.found.len().into());
        if let Some(next) = next {
            page.insert("nextPage".to_owned(), next.into());
        }
        Ok(page.into())
    }

    /// Stores the whole list, if it is too large to show.
    ///
    /// It is stored under a key that changes with the list, so that the same list is stored once.
    pub(super) async fn whole(&self, server: &str, search: &str) -> Option<Excerpt> {
        let results = adapter::results(&self.view.registry)?;
        let tools: Vec<String> = self.found.iter().map(|tool| identity(tool, self.view)).collect();
        let tools = Digest::of_bytes(tools.concat().as_bytes());
        let key = json!(["listing", server, search, self.detailed, tools.hex()]);
        let text = || {
            let row = |tool: &&ToolDefinition| {
                self.row_with(tool, tool.name(), self.view.description(tool)).to_string()
            };
            format!("[\n{}\n]", self.found.iter().map(row).collect::<Vec<_>>().join(",\n"))
        };
        results.excerpt(self.view.registry.principal(), Digest::of(&key), "application/json", text).await
    }

    /// Returns a short row.
    fn row(&self, tool: &ToolDefinition) -> Value {
        let (name, description) = (self.view.name_on_server(tool), self.view.description(tool));
        let mut row = self.row_with(tool, name, &shortened(description));
        if self.detailed && bytes(&row) > PAGE_BYTES {
            row["inputSchema"] = "too large for a page: ask `list_tool_details`".into();
        }
        row
    }

    fn row_with(&self, tool: &ToolDefinition, name: &str, description: &str) -> Value {
        let mut row = json!({"server": self.view.server(tool), "tool": name, "description": description});
        mark(&mut row, tool);
        if self.detailed {
            row["inputSchema"] = tool.detached().input_schema().clone();
        }
        row
    }
}

/// Returns a text that changes with the definition or the description of a tool.
pub(super) fn identity(tool: &ToolDefinition, view: &CatalogView) -> String {
    format!("{}\0{}\0{}\0", tool.digest(), view.server(tool), view.description(tool))
}

/// Returns `true` if the hints of a tool say that it modifies nothing.
pub(super) fn is_read_only(tool: &ToolDefinition) -> bool {
    tool.annotations().is_some_and(|hints| hints.read_only_hint == Some(true))
}

/// Marks a tool that modifies nothing.
pub(super) fn mark(row: &mut Value, tool: &ToolDefinition) {
    if is_read_only(tool) {
        row["readOnly"] = true.into();
    }
}

/// Returns the number of bytes of a row as JSON and as text.
fn bytes(row: &Value) -> usize {
    let json = row.to_string();
    let escapes = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    2 * json.len() + escapes + 2
}

/// Returns the first paragraph of a description, cut to its limit.
fn shortened(description: &str) -> String {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
